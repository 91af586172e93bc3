-- Reasons are kept as facts, which are worded where they are shown; a fedra that expects words must not read them. What
-- was kept until now were sentences: [{"code": ..., "object": ..., "message": ..., "counts": ..., "resources": ...}].

UPDATE verdicts SET reasons_json = (
  SELECT json_group_array(json(reason)) FROM (
    SELECT json_object(
      'code', json_extract(value, '$.code'),
      'object', coalesce(json_extract(value, '$.object'), ''),
      'facts', json_object('type', 'Sentence', 'text', coalesce(json_extract(value, '$.message'), ''))) AS reason
    FROM json_each(verdicts.reasons_json) WHERE type = 'object' ORDER BY key))
WHERE CASE WHEN json_valid(reasons_json) THEN json_type(reasons_json) = 'array' ELSE 0 END;
