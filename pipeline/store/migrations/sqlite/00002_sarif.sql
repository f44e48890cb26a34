-- +goose Up
-- The upload to code scanning: empty (not yet), none (not possible) or GitHub's id.
ALTER TABLE runs ADD COLUMN sarif TEXT NOT NULL DEFAULT '';
-- +goose Down
ALTER TABLE runs DROP COLUMN sarif;
