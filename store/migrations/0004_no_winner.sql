-- The cluster that has a job is written in the Workload on the manager, and the attempts say since when: nobody read
-- these.

ALTER TABLE placements DROP COLUMN winner;
ALTER TABLE placements DROP COLUMN won_at;
