-- What the daemon is among its replicas, and who leads.

ALTER TABLE heartbeat ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE heartbeat ADD COLUMN identity TEXT NOT NULL DEFAULT '';
ALTER TABLE heartbeat ADD COLUMN leader TEXT NOT NULL DEFAULT '';
ALTER TABLE heartbeat ADD COLUMN leader_since INTEGER;
ALTER TABLE heartbeat ADD COLUMN takeovers INTEGER NOT NULL DEFAULT 0;
