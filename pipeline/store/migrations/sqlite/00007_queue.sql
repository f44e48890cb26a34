-- +goose Up
-- Whose turn it is, and whether a run's tasks are over, must not cost more with more tasks.
CREATE INDEX tasks_wait ON tasks (state, engine, repo_id, priority, created_at, id);
CREATE INDEX tasks_open ON tasks (run_id, state);
-- +goose Down
DROP INDEX tasks_open;
DROP INDEX tasks_wait;
