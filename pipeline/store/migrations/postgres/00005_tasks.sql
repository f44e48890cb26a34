-- +goose Up
-- A verification of an entry on a target, for a worker of the same build of
-- firmproof. It is gone when its run has its report, but for those given up (parked).
CREATE TABLE tasks (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  n BIGINT NOT NULL,
  repo_id BIGINT NOT NULL,
  installation_id BIGINT NOT NULL,
  entry TEXT NOT NULL,
  target TEXT NOT NULL,
  engine TEXT NOT NULL,
  priority BIGINT NOT NULL,
  expected BIGINT NOT NULL,
  job TEXT NOT NULL,
  module TEXT NOT NULL,
  state TEXT NOT NULL,
  owner TEXT NOT NULL DEFAULT '',
  lease_until BIGINT NOT NULL DEFAULT 0,
  tries BIGINT NOT NULL DEFAULT 0,
  not_before BIGINT NOT NULL DEFAULT 0,
  result BYTEA,
  log TEXT NOT NULL DEFAULT '',
  created_at BIGINT NOT NULL,
  started_at BIGINT NOT NULL DEFAULT 0,
  finished_at BIGINT NOT NULL DEFAULT 0
);
INSERT INTO locks (name, owner, until) VALUES ('claim', '', 0) ON CONFLICT (name) DO NOTHING;
CREATE INDEX tasks_run ON tasks (run_id, n);
CREATE INDEX tasks_pick ON tasks (state, engine, repo_id, priority, expected, id);
CREATE INDEX tasks_lease ON tasks (state, lease_until);
-- When an installation (repo_id 0) or a repository last got a worker.
CREATE TABLE shares (
  installation_id BIGINT NOT NULL,
  repo_id BIGINT NOT NULL,
  served_at BIGINT NOT NULL,
  PRIMARY KEY (installation_id, repo_id)
);
-- How long verifications took: short ones go first.
CREATE TABLE timings (
  repo_id BIGINT NOT NULL,
  target TEXT NOT NULL,
  entry TEXT NOT NULL,
  ms BIGINT NOT NULL,
  PRIMARY KEY (repo_id, target, entry)
);
-- What a target run needs to be concluded, as JSON, once it is built.
ALTER TABLE runs ADD COLUMN prepared TEXT NOT NULL DEFAULT '';
-- +goose Down
ALTER TABLE runs DROP COLUMN prepared;
DROP TABLE timings;
DROP TABLE shares;
DROP TABLE tasks;
