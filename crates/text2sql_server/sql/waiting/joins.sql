-- Joins that wait for a curator, the surest first.
SELECT coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(listed) ORDER BY listed.certainty DESC NULLS LAST, listed.id), '[]')::text
  FROM (SELECT j.* FROM text2sql.joins j WHERE j.status = 'suggested' ORDER BY j.certainty DESC NULLS LAST, j.id LIMIT 200) AS listed
