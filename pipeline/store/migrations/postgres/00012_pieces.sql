-- +goose Up
-- A report in pieces, beside the document: what a page shows is read, and nothing else (store.Piece).
CREATE TABLE pieces (
  run_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  body BYTEA NOT NULL,
  PRIMARY KEY (run_id, kind, name)
);
CREATE INDEX findings_place ON findings (run_id, file, line);
CREATE INDEX findings_fingerprint ON findings (fingerprint);
-- +goose Down
DROP INDEX findings_fingerprint;
DROP INDEX findings_place;
DROP TABLE pieces;
