-- Feedback that made no example, newest first: what was said to be wrong without the right SQL.
SELECT coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(listed) ORDER BY listed.given_at DESC), '[]')::text
  FROM (
    SELECT f.* FROM text2sql.feedback f
     WHERE f.example_id IS NULL AND f.verdict = 'wrong'
     ORDER BY f.given_at DESC
     LIMIT 100
  ) AS listed
