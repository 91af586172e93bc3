-- Which workers an administrator has taken out of service.

ALTER TABLE clusters ADD COLUMN cordon TEXT NOT NULL DEFAULT '';
