-- What is configured for the caller, and whether it works.
SELECT pg_catalog.json_build_object(
           'items', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(s) ORDER BY s.number), '[]'))::text
  FROM (SELECT listed.item, listed.value, listed.note, listed.number
          FROM text2sql.status() WITH ORDINALITY AS listed(item, value, note, number)) AS s
