-- What a job in the state Waiting waits for: a fact, beside the note in words.

ALTER TABLE workloads ADD COLUMN waits_for TEXT NOT NULL DEFAULT '';
