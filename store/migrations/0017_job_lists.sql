-- What lists of jobs are made of, in one index: a page of any length, its filters and its counts read no row that is
-- not shown. The index has removed_at, which is always null in it, since SQLite 3.40 would otherwise look it up in the row.

-- The codes against any worker, in the order of letters, ' DevicesAllocated TemplateMissing '; empty: none.
ALTER TABLE workloads ADD COLUMN reasons TEXT NOT NULL DEFAULT '';
-- The job's namespace and name as they compare when people count: base/natural_order.h.
ALTER TABLE workloads ADD COLUMN ns_order TEXT NOT NULL DEFAULT '';
ALTER TABLE workloads ADD COLUMN name_order TEXT NOT NULL DEFAULT '';

UPDATE workloads SET reasons = coalesce((
  SELECT ' ' || group_concat(code, ' ') || ' ' FROM (
    SELECT DISTINCT json_extract(reason.value, '$.code') AS code
    FROM verdicts v, json_each(iif(json_valid(v.reasons_json), v.reasons_json, '[]')) reason
    WHERE v.uid = workloads.uid AND iif(json_valid(v.reasons_json), json_type(v.reasons_json), '') = 'array' AND reason.type = 'object'
    ORDER BY code)
  WHERE code <> ''), '')
WHERE removed_at IS NULL;

-- Each step takes the number that `rest` begins with, or what is before the next one, to `done`.
CREATE TEMP TABLE natural AS
WITH RECURSIVE walk (name, rest, done) AS (
  SELECT name, name, '' FROM (SELECT job_ns AS name FROM workloads UNION SELECT job_name FROM workloads)
  UNION ALL
  SELECT name, ltrim(rest, '0123456789'),
         done || min(length(ltrim(rest, '0')) - length(ltrim(rest, '0123456789')), 9)
              || substr(ltrim(rest, '0'), 1, length(ltrim(rest, '0')) - length(ltrim(rest, '0123456789')))
  FROM walk WHERE rest GLOB '[0-9]*'
  UNION ALL
  SELECT name, iif(rest GLOB '[a-z.-]*', ltrim(rest, 'abcdefghijklmnopqrstuvwxyz.-'), substr(rest, 2)),
         done || substr(rest, 1, iif(rest GLOB '[a-z.-]*',
                                     length(rest) - length(ltrim(rest, 'abcdefghijklmnopqrstuvwxyz.-')), 1))
  FROM walk WHERE rest GLOB '[^0-9]*')
SELECT name, done FROM walk WHERE rest = '';
CREATE UNIQUE INDEX temp.natural_by_name ON natural (name);
UPDATE workloads SET ns_order = (SELECT done FROM natural n WHERE n.name = job_ns),
                     name_order = (SELECT done FROM natural n WHERE n.name = job_name);
DROP TABLE natural;

CREATE INDEX workloads_listed ON workloads
  (state, ns_order, name_order, created_at, uid, job_ns, job_name, queue, worker, state_since, finished_at, reasons,
   removed_at)
  WHERE removed_at IS NULL;
