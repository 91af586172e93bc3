-- Why one worker that can run a workload comes before another: rows of before know of no devices.

ALTER TABLE verdicts ADD COLUMN alternatives_json TEXT NOT NULL DEFAULT '[]';
ALTER TABLE verdicts ADD COLUMN headroom INTEGER NOT NULL DEFAULT 0;
