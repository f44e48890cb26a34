-- +goose Up
-- Answers of the engine, by the key of the verification. scope is empty, or names
-- the pull request from a fork whose answers nobody else may use.
DROP TABLE cache;
CREATE TABLE answers (
  repo_id INTEGER NOT NULL,
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  exact TEXT NOT NULL,
  run_id TEXT NOT NULL,
  head_sha TEXT NOT NULL,
  steady INTEGER NOT NULL,
  budget INTEGER NOT NULL,
  body BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (repo_id, scope, key)
);
CREATE INDEX answers_used ON answers (used_at);
-- +goose Down
DROP TABLE answers;
CREATE TABLE cache (
  digest TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  body BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL
);
