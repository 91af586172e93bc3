-- What was last written into a workload's AdmissionCheck: in which reservation of quota, and a hash of the facts. It is
-- not known of older rows.

ALTER TABLE placements ADD COLUMN reported_in INTEGER;
ALTER TABLE placements ADD COLUMN reported_facts INTEGER NOT NULL DEFAULT 0;
