-- +goose Up
-- What pages show of a task, beside its documents: its time limit, whether it is of the commit that a change starts from,
-- and how it ended (Task.Outcome).
ALTER TABLE tasks ADD COLUMN timeout BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN base BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
-- +goose Down
ALTER TABLE tasks DROP COLUMN outcome;
ALTER TABLE tasks DROP COLUMN base;
ALTER TABLE tasks DROP COLUMN timeout;
