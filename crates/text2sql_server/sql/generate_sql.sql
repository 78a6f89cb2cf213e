SELECT pg_catalog.row_to_json(a)::text
FROM text2sql.generate_sql($1::text, $2::text, COALESCE($3::text, 'postgresql')) AS a
