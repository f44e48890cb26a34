-- +goose Up
-- Notes on lines that GitHub has of a run, or was about to be sent, in their order (JSON, store.Run.Notes), and when the run
-- was shown there last.
ALTER TABLE runs ADD COLUMN notes TEXT NOT NULL DEFAULT '[]';
ALTER TABLE runs ADD COLUMN shown_at BIGINT NOT NULL DEFAULT 0;
-- +goose Down
ALTER TABLE runs DROP COLUMN shown_at;
ALTER TABLE runs DROP COLUMN notes;
