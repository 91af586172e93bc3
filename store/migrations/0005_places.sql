-- Where a workload stands in line, on each worker whose devices it waits for.

CREATE TABLE places (
  uid     TEXT    NOT NULL,
  cluster TEXT    NOT NULL,
  place   INTEGER NOT NULL,
  passes  INTEGER NOT NULL,
  is_kept INTEGER NOT NULL,
  PRIMARY KEY (uid, cluster)
) STRICT, WITHOUT ROWID;
