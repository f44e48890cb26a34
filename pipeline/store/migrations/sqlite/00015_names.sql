-- +goose Up
-- Names that repositories have or had; the last one that had a name is at it.
CREATE TABLE names (
  full_name TEXT PRIMARY KEY,
  repo_id INTEGER NOT NULL
);
INSERT INTO names (full_name, repo_id) SELECT full_name, MAX(id) FROM repos GROUP BY full_name;
-- +goose Down
DROP TABLE names;
