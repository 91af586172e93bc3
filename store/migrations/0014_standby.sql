-- Why a replica could not lead now, or what is wrong with its Lease; and when it led last: what is
-- stored of jobs is as of then.

ALTER TABLE heartbeat ADD COLUMN lead_problem TEXT NOT NULL DEFAULT '';
ALTER TABLE heartbeat ADD COLUMN decided_at INTEGER;
UPDATE heartbeat SET decided_at = at WHERE role <> 'Standby';
