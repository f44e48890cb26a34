-- +goose Up
-- What programs read about a repository with, by digest (store.Token).
CREATE TABLE tokens (
  digest TEXT PRIMARY KEY,
  id TEXT NOT NULL,
  repo_id BIGINT NOT NULL,
  token_use TEXT NOT NULL,
  note TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL
);
CREATE INDEX tokens_repo ON tokens (repo_id);
-- +goose Down
DROP TABLE tokens;
