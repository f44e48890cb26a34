-- +goose Up
-- Reports are documents of the blob store, with their traces; body is for older ones.
ALTER TABLE reports ADD COLUMN doc TEXT NOT NULL DEFAULT '';
DROP TABLE traces;
-- The commits that a run of a branch brought, newest first.
CREATE TABLE commits (
  run_id TEXT NOT NULL,
  n INTEGER NOT NULL,
  sha TEXT NOT NULL,
  subject TEXT NOT NULL,
  author TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (run_id, n)
);
-- +goose Down
DROP TABLE commits;
CREATE TABLE traces (
  run_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (run_id, fingerprint)
);
ALTER TABLE reports DROP COLUMN doc;
