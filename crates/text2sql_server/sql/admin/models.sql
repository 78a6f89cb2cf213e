-- Models that were added, and whether the caller may use each. No endpoint is contacted.
SELECT pg_catalog.json_build_object(
           'models', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(m) ORDER BY m.model), '[]'))::text
  FROM text2sql.models m
