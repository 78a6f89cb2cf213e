-- Examples that nobody has verified, and those that the server no longer accepts, each with the feedback that it came
-- from.
SELECT coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(listed) ORDER BY listed.id), '[]')::text
  FROM (
    SELECT e.id, e.question, e.sql, e.table_names, e.status, e.problem, e.intent, e.intent_reason, e.intent_model, e.origin,
           e.taught_by, e.taught_at,
           (SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
                       'given_by', f.given_by, 'given_at', f.given_at, 'verdict', f.verdict, 'sql', f.sql,
                       'comment', f.comment, 'trace_id', f.trace_id) ORDER BY f.given_at)
              FROM text2sql.feedback f WHERE f.example_id = e.id) AS feedback
      FROM text2sql.examples e
     WHERE e.status <> 'verified'
     ORDER BY e.id
     LIMIT 200
  ) AS listed
