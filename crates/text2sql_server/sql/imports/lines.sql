-- What became of the lines of a file: $1 its source, $2 an outcome or NULL, $3 how many were listed before, $4 how many.
SELECT pg_catalog.json_build_object(
    'lines', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(l)) FILTER (WHERE l.number <= $4::text::int), '[]'),
    'more', coalesce(pg_catalog.bool_or(l.number > $4::text::int), false))::text
  FROM (SELECT pg_catalog.row_number() OVER (ORDER BY i.line NULLS LAST, i.subject) AS number, i.*
          FROM text2sql._import_outcomes i
         WHERE i.source = $1::text AND ($2::text IS NULL OR i.outcome = $2::text)
         ORDER BY i.line NULLS LAST, i.subject
        OFFSET $3::text::int LIMIT $4::text::int + 1) AS l
