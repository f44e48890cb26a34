-- +goose Up
-- What we keep up to date at GitHub beside check runs: the summary comment of a
-- pull request (number), the report of a repository's nights (number 0).
CREATE TABLE posts (
  repo_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  kind TEXT NOT NULL,
  github_id BIGINT NOT NULL,
  digest TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (repo_id, number, kind)
);
-- +goose Down
DROP TABLE posts;
