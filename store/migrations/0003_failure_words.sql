-- What a cluster said when it did not keep a workload; whether it refused it, and how often in a row: the pause before
-- it is asked again.

ALTER TABLE placement_failures ADD COLUMN message TEXT NOT NULL DEFAULT '';
ALTER TABLE placement_failures ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE placement_failures ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
