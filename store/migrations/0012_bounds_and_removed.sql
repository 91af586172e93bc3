-- That no other job may pass one in line any more; which workers were removed from the configuration.

ALTER TABLE places ADD COLUMN is_bound_reached INTEGER NOT NULL DEFAULT 0;
ALTER TABLE clusters ADD COLUMN is_removed INTEGER NOT NULL DEFAULT 0;
