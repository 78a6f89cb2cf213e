-- Imports a glossary or examples ($5): $1 the text, $2 the source, $3 the format, $4 what happens with lines that cannot be taken. The
-- counts are of all lines; of those that were taken or known, the first hundred are listed.
WITH imported AS MATERIALIZED (
    SELECT l.*, pg_catalog.row_number() OVER (PARTITION BY l.outcome IN ('taken', 'known')) AS number
      FROM text2sql.import_knowledge($1::text, $5::text, $2::text, $3::text, on_error => $4::text) AS l
)
SELECT pg_catalog.json_build_object(
    'source', $2::text,
    'taken', pg_catalog.count(*) FILTER (WHERE outcome = 'taken'),
    'known', pg_catalog.count(*) FILTER (WHERE outcome = 'known'),
    'refused', pg_catalog.count(*) FILTER (WHERE outcome = 'refused'),
    'dropped', pg_catalog.count(*) FILTER (WHERE outcome = 'dropped'),
    'lines', coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('line', line, 'kind', kind, 'subject', name,
        'outcome', outcome, 'reason', reason) ORDER BY line NULLS LAST, name)
        FILTER (WHERE number <= 100), '[]'))::text
  FROM imported
