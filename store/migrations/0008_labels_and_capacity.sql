-- What jobs are selected by, which queue of the manager they wait in, and what a cluster has to give.

ALTER TABLE workloads ADD COLUMN labels_json TEXT NOT NULL DEFAULT '{}';
ALTER TABLE workloads ADD COLUMN cluster_queue TEXT NOT NULL DEFAULT '';
ALTER TABLE clusters ADD COLUMN capacity_json TEXT NOT NULL DEFAULT '{}';
