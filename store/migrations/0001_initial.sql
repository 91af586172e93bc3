-- The first schema. Times are milliseconds since 1970-01-01 UTC; NULL means what store/rows.h says.
-- Rows are keyed by names and uids of the outside world, so that writing one again replaces it.

CREATE TABLE heartbeat (
  only       INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  at         INTEGER NOT NULL,
  pid        INTEGER NOT NULL,
  version    TEXT    NOT NULL,
  started_at INTEGER NOT NULL
) STRICT;

CREATE TABLE clusters (
  name               TEXT    NOT NULL PRIMARY KEY,
  position           INTEGER NOT NULL,
  phase              TEXT    NOT NULL,
  phase_since        INTEGER NOT NULL,
  why                TEXT    NOT NULL,
  lost_since         INTEGER,
  last_contact       INTEGER,
  kubernetes_version TEXT    NOT NULL,
  dra_version        TEXT    NOT NULL,
  note               TEXT    NOT NULL,
  updated_at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workloads (
  uid         TEXT    NOT NULL PRIMARY KEY,
  ns          TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  job_kind    TEXT    NOT NULL,
  job_ns      TEXT    NOT NULL,
  job_name    TEXT    NOT NULL,
  queue       TEXT    NOT NULL,
  state       TEXT    NOT NULL,
  worker      TEXT    NOT NULL,
  note        TEXT    NOT NULL,
  needs       TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  state_since INTEGER NOT NULL,
  finished_at INTEGER,
  updated_at  INTEGER NOT NULL,
  removed_at  INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX workloads_by_job ON workloads (job_ns, job_name);
CREATE INDEX workloads_by_name ON workloads (ns, name);
CREATE INDEX workloads_removed ON workloads (removed_at) WHERE removed_at IS NOT NULL;

CREATE TABLE placements (
  uid          TEXT    NOT NULL PRIMARY KEY,
  ns           TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  job_kind     TEXT    NOT NULL,
  job_ns       TEXT    NOT NULL,
  job_name     TEXT    NOT NULL,
  attempt      INTEGER NOT NULL,
  nominated_at INTEGER,
  winner       TEXT,
  won_at       INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE placement_nominated (
  uid      TEXT    NOT NULL REFERENCES placements (uid) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  cluster  TEXT    NOT NULL,
  PRIMARY KEY (uid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE placement_failures (
  uid      TEXT    NOT NULL REFERENCES placements (uid) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  cluster  TEXT    NOT NULL,
  reason   TEXT    NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (uid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
  uid        TEXT    NOT NULL,
  number     INTEGER NOT NULL,
  cluster    TEXT    NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at   INTEGER,
  outcome    TEXT    NOT NULL,
  message    TEXT    NOT NULL,
  PRIMARY KEY (uid, number, cluster)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_by_start ON attempts (started_at);

CREATE TABLE intents (
  id      INTEGER NOT NULL PRIMARY KEY,
  uid     TEXT    NOT NULL,
  action  TEXT    NOT NULL,
  cluster TEXT    NOT NULL,
  ns      TEXT    NOT NULL,
  name    TEXT    NOT NULL,
  at      INTEGER NOT NULL
) STRICT;

CREATE TABLE residues (
  cluster  TEXT    NOT NULL,
  uid      TEXT    NOT NULL,
  ns       TEXT    NOT NULL,
  name     TEXT    NOT NULL,
  job_kind TEXT    NOT NULL,
  job_ns   TEXT    NOT NULL,
  job_name TEXT    NOT NULL,
  since    INTEGER NOT NULL,
  PRIMARY KEY (cluster, uid)
) STRICT, WITHOUT ROWID;

CREATE TABLE verdicts (
  uid          TEXT    NOT NULL,
  cluster      TEXT    NOT NULL,
  outcome      TEXT    NOT NULL,
  reasons_json TEXT    NOT NULL,
  pods_fitting INTEGER NOT NULL,
  pods_wanted  INTEGER NOT NULL,
  checked_at   INTEGER NOT NULL,
  PRIMARY KEY (uid, cluster)
) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT: an id is never used twice, also after retention has emptied the table.
CREATE TABLE events (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  uid     TEXT    NOT NULL,
  ns      TEXT    NOT NULL,
  name    TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  reason  TEXT    NOT NULL,
  cluster TEXT    NOT NULL,
  message TEXT    NOT NULL
) STRICT;
CREATE INDEX events_by_uid ON events (uid);
CREATE INDEX events_by_name ON events (ns, name);
CREATE INDEX events_by_time ON events (at);
