-- In which sections a standby's configuration differs from the leader's.

ALTER TABLE heartbeat ADD COLUMN config_differs TEXT NOT NULL DEFAULT '';
