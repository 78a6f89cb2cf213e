-- Takes an import back: $1 its source, $2 whether verified examples are dropped, too.
WITH taken AS MATERIALIZED (
    SELECT t.* FROM text2sql.forget('import', $1::text, include_verified => $2::text::boolean) AS t
)
SELECT pg_catalog.json_build_object(
    'dropped', pg_catalog.count(*) FILTER (WHERE outcome = 'dropped'),
    'left', coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('kind', kind, 'subject', name, 'reason', reason))
        FILTER (WHERE outcome = 'left'), '[]'))::text
  FROM taken
