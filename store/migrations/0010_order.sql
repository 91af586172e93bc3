-- By what jobs are ordered and who is first in their line; what the running daemon goes by.

ALTER TABLE workloads ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE places ADD COLUMN first TEXT NOT NULL DEFAULT '';
ALTER TABLE places ADD COLUMN dispatch_order TEXT NOT NULL DEFAULT '';
ALTER TABLE heartbeat ADD COLUMN dispatch_order TEXT NOT NULL DEFAULT '';
ALTER TABLE heartbeat ADD COLUMN restart_needed TEXT NOT NULL DEFAULT '';
