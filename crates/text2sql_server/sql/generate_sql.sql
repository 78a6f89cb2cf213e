SELECT pg_catalog.row_to_json(w)::text
FROM (
    SELECT a.*, $4::text AS task_id
    FROM text2sql.generate_sql($1::text, $2::text, COALESCE($3::text, 'postgresql')) AS a) AS w
