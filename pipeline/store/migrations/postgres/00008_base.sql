-- +goose Up
-- The branch that a run's commit is to be merged into, and against which it is judged.
ALTER TABLE runs ADD COLUMN base_ref TEXT NOT NULL DEFAULT '';
-- Runs that were recorded as ended ended then.
UPDATE runs SET finished_at = created_at WHERE state = 'done' AND finished_at = 0;
-- +goose Down
ALTER TABLE runs DROP COLUMN base_ref;
