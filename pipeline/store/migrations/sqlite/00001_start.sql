-- +goose Up
-- Times are milliseconds since 1970 (UTC), flags are 0 or 1, documents are JSON text.
CREATE TABLE installations (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL
);
CREATE TABLE repos (
  id INTEGER PRIMARY KEY,
  installation_id INTEGER NOT NULL,
  full_name TEXT NOT NULL,
  clone_url TEXT NOT NULL,
  html_url TEXT NOT NULL,
  default_branch TEXT NOT NULL,
  private INTEGER NOT NULL DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL
);
CREATE TABLE deliveries (
  guid TEXT PRIMARY KEY,
  event TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL,
  error TEXT NOT NULL DEFAULT '',
  received_at INTEGER NOT NULL,
  handled_at INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX deliveries_open ON deliveries (state, received_at);
CREATE TABLE pulls (
  repo_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  draft INTEGER NOT NULL DEFAULT 0,
  title TEXT NOT NULL DEFAULT '',
  author TEXT NOT NULL DEFAULT '',
  association TEXT NOT NULL DEFAULT '',
  head_sha TEXT NOT NULL,
  head_ref TEXT NOT NULL,
  base_sha TEXT NOT NULL,
  base_ref TEXT NOT NULL,
  fork INTEGER NOT NULL DEFAULT 0,
  approved_by TEXT NOT NULL DEFAULT '',
  approved_sha TEXT NOT NULL DEFAULT '',
  event_at INTEGER NOT NULL,
  PRIMARY KEY (repo_id, number)
);
CREATE INDEX pulls_head ON pulls (repo_id, head_sha);
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  parent_id TEXT NOT NULL DEFAULT '',
  repo_id INTEGER NOT NULL,
  installation_id INTEGER NOT NULL,
  pull INTEGER NOT NULL DEFAULT 0,
  head_sha TEXT NOT NULL,
  base_sha TEXT NOT NULL DEFAULT '',
  ref TEXT NOT NULL,
  target TEXT NOT NULL DEFAULT '',
  run_trigger TEXT NOT NULL,
  options TEXT NOT NULL DEFAULT '{}',
  state TEXT NOT NULL,
  conclusion TEXT NOT NULL DEFAULT '',
  detail TEXT NOT NULL DEFAULT '',
  counts TEXT NOT NULL DEFAULT '{}',
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  superseded_by TEXT NOT NULL DEFAULT '',
  owner TEXT NOT NULL DEFAULT '',
  lease_until INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  started_at INTEGER NOT NULL DEFAULT 0,
  finished_at INTEGER NOT NULL DEFAULT 0,
  check_run_id INTEGER NOT NULL DEFAULT 0,
  posted_annotations INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1,
  published_version INTEGER NOT NULL DEFAULT 0,
  changed_at INTEGER NOT NULL
);
CREATE INDEX runs_parent ON runs (parent_id);
CREATE INDEX runs_state ON runs (state, lease_until);
CREATE INDEX runs_head ON runs (repo_id, head_sha);
CREATE INDEX runs_pull ON runs (repo_id, pull, created_at);
CREATE TABLE reports (
  run_id TEXT PRIMARY KEY,
  body BLOB NOT NULL,
  changed TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL
);
CREATE TABLE findings (
  run_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  claim TEXT NOT NULL,
  rule TEXT NOT NULL,
  target TEXT NOT NULL,
  entry TEXT NOT NULL,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  message TEXT NOT NULL,
  status TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (run_id, fingerprint)
);
CREATE TABLE traces (
  run_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (run_id, fingerprint)
);
CREATE TABLE baselines (
  repo_id INTEGER NOT NULL,
  branch TEXT NOT NULL,
  target TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  claim TEXT NOT NULL,
  first_sha TEXT NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  PRIMARY KEY (repo_id, branch, target, fingerprint)
);
CREATE TABLE baseline_heads (
  repo_id INTEGER NOT NULL,
  branch TEXT NOT NULL,
  target TEXT NOT NULL,
  sha TEXT NOT NULL,
  run_id TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (repo_id, branch, target)
);
CREATE TABLE suppressions (
  repo_id INTEGER NOT NULL,
  claim TEXT NOT NULL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (repo_id, claim)
);
CREATE TABLE schedules (
  repo_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  spec TEXT NOT NULL,
  last_run_at INTEGER NOT NULL DEFAULT 0,
  next_run_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (repo_id, name)
);
CREATE TABLE commands (
  comment_id INTEGER NOT NULL,
  line TEXT NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (comment_id, line)
);
CREATE TABLE locks (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  until INTEGER NOT NULL
);
CREATE TABLE cache (
  digest TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  body BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL
);
CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  repo_id INTEGER NOT NULL,
  pull INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  detail TEXT NOT NULL
);
-- +goose Down
DROP TABLE audit;
DROP TABLE cache;
DROP TABLE locks;
DROP TABLE commands;
DROP TABLE schedules;
DROP TABLE suppressions;
DROP TABLE baseline_heads;
DROP TABLE baselines;
DROP TABLE traces;
DROP TABLE findings;
DROP TABLE reports;
DROP TABLE runs;
DROP TABLE pulls;
DROP TABLE deliveries;
DROP TABLE repos;
DROP TABLE installations;
