-- Imports examples: $1 their text, $2 the source, $3 the format, $4 what happens with lines that cannot be taken.
SELECT pg_catalog.json_build_object(
    'source', $2::text, 'taken', i.added, 'known', i.known, 'refused', i.refused, 'dropped', i.dropped,
    'lines', (SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('line', NULL, 'kind', 'example', 'subject', '',
                 'outcome', 'refused', 'reason', p.problem) ORDER BY p.place), '[]')
                FROM pg_catalog.unnest(i.problems) WITH ORDINALITY AS p(problem, place) WHERE p.place <= 100))::text
  FROM text2sql.import_examples($1::text, $4::text, $2::text, $3::text) AS i
