-- Descriptions and definitions that wait for a curator.
SELECT coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(listed) ORDER BY listed.id), '[]')::text
  FROM (SELECT s.* FROM text2sql.suggestions s WHERE s.status = 'open' ORDER BY s.id LIMIT 200) AS listed
