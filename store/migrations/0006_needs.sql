-- What a workload needs, as facts instead of a sentence: '{"claims": [...], "pods": 2, "templates": [...]}', or '{}'
-- where it is not known. The sentence was "queue ml/gpu · template one-gpu · claim shared · 2 pods"; the queue has a
-- column of its own. Names in Kubernetes hold neither a space nor the separator.

ALTER TABLE workloads ADD COLUMN needs_json TEXT NOT NULL DEFAULT '{}';

CREATE TEMP VIEW parts AS
SELECT w.uid, part.key AS position, part.value AS text
FROM workloads w, json_each('[' || replace(json_quote(w.needs), ' · ', '","') || ']') part;

UPDATE workloads SET needs_json = json_object(
  'claims', json((SELECT json_group_array(substr(text, length('claim ') + 1))
                  FROM (SELECT text FROM parts WHERE uid = workloads.uid AND text GLOB 'claim *' ORDER BY position))),
  'pods', (SELECT CAST(text AS INTEGER) FROM parts WHERE uid = workloads.uid AND text GLOB '[0-9]* pod*'),
  'templates', json((SELECT json_group_array(substr(text, length('template ') + 1))
                     FROM (SELECT text FROM parts
                           WHERE uid = workloads.uid AND text GLOB 'template *' ORDER BY position))))
WHERE EXISTS (SELECT 1 FROM parts WHERE uid = workloads.uid AND text GLOB '[0-9]* pod*');

DROP VIEW parts;
ALTER TABLE workloads DROP COLUMN needs;
