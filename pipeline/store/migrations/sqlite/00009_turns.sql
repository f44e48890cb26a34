-- +goose Up
-- A run that failed by a fault of ours is not tried again before this.
ALTER TABLE runs ADD COLUMN not_before INTEGER NOT NULL DEFAULT 0;
-- When an installation (repo_id 0) or a repository last got a worker, by kind of work: plan, build, verify.
DROP TABLE shares;
CREATE TABLE turns (
  kind TEXT NOT NULL,
  installation_id INTEGER NOT NULL,
  repo_id INTEGER NOT NULL,
  served_at INTEGER NOT NULL,
  PRIMARY KEY (kind, installation_id, repo_id)
);
-- +goose Down
DROP TABLE turns;
CREATE TABLE shares (
  installation_id INTEGER NOT NULL,
  repo_id INTEGER NOT NULL,
  served_at INTEGER NOT NULL,
  PRIMARY KEY (installation_id, repo_id)
);
ALTER TABLE runs DROP COLUMN not_before;
