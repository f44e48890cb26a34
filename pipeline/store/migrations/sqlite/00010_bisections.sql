-- +goose Up
-- The search for the commit of the default branch that brought a finding, or took a proof away.
CREATE TABLE bisections (
  repo_id INTEGER NOT NULL,
  target TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  kind TEXT NOT NULL,
  night TEXT NOT NULL,
  open INTEGER NOT NULL,
  body TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (repo_id, target, fingerprint, kind)
);
-- +goose Down
DROP TABLE bisections;
