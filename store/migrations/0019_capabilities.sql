-- Which kinds of jobs a worker can run, and what of Kueue and DRA it has.

ALTER TABLE clusters ADD COLUMN capabilities_json TEXT NOT NULL DEFAULT '{}';
