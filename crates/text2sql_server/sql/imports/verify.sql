-- Verifies the examples of an import: $1 its source, $2 whether a model must have found them sound; NULL: yes.
WITH verified AS MATERIALIZED (
    SELECT v.* FROM text2sql.check_examples(max_examples => 0, source => $1::text, verify => true, needs_opinion => coalesce($2::text::boolean, true)) AS v
)
SELECT pg_catalog.json_build_object(
    'verified', pg_catalog.count(*) FILTER (WHERE outcome = 'verified'),
    'known', pg_catalog.count(*) FILTER (WHERE outcome = 'known'),
    'left', coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('id', id, 'question', question, 'reason', reason) ORDER BY id)
        FILTER (WHERE outcome = 'left'), '[]'))::text
  FROM verified
