-- Cases of suites whose gold statements contain a name, as one JSON array. Called by src/impact/cases.rs with
--   $1 text[]  names, in lower case
SELECT coalesce(json_agg(json_build_object('object', c.suite || ': ' || c.question, 'gold', c.gold) ORDER BY c.suite, c.case_id), '[]')::text
FROM text2sql_eval.cases c
WHERE EXISTS (SELECT FROM unnest(c.gold) AS gold, unnest($1) AS name WHERE strpos(lower(gold), name) > 0)
