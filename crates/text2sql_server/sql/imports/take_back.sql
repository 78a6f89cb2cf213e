-- Takes an import back: $1 its source, $2 whether verified examples are dropped, too.
WITH taken AS MATERIALIZED (
    SELECT t.* FROM text2sql.drop_import($1::text, $2::text::boolean) AS t
)
SELECT pg_catalog.json_build_object(
    'dropped', pg_catalog.count(*) FILTER (WHERE outcome = 'dropped'),
    'left', coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('kind', kind, 'subject', subject, 'reason', reason))
        FILTER (WHERE outcome = 'left'), '[]'))::text
  FROM taken
