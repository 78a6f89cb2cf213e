SELECT pg_catalog.row_to_json(a)::text
FROM text2sql.ask($1::text, $2::text, COALESCE($3::jsonb, '{}')) AS a
