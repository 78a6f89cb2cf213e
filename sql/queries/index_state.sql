-- The state of the search index, if it has the format $1 (int4): an identifier of this state, embedder, length
-- of the vectors, language, totals, tables that have changed since, the latest first, and an identifier of the
-- state of definitions and examples; then the vectors of the second embedder, if they are built: its name as a
-- setting, its own name, length, and an identifier of their state. Run by src/pg/search/search_index/state.rs when one of the
-- tables changed.
-- xmin and ctid identify the version of a row: whoever writes the index writes a new one.
SELECT concat_ws(' ', s.started_at, s.refreshed_at, s.done, s.xmin, s.ctid), s.embedder, s.dimensions, s.language,
       total.of_schema, total.of_definitions, total.of_examples,
       ARRAY(
           SELECT changed.relation
           FROM (SELECT max(c.id) AS id, c.relation FROM text2sql._index_changes c
                 WHERE c.relation <> 0 GROUP BY c.relation) AS changed
           JOIN pg_class r ON r.oid = changed.relation
           WHERE r.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT r.relispartition
           ORDER BY changed.id DESC LIMIT 50),
       total.versions,
       second.model, second.embedder, second.dimensions, concat_ws(' ', second.xmin, second.ctid)
FROM text2sql._index_state s
CROSS JOIN (
    SELECT max(t.totals) FILTER (WHERE t.collection = 's') AS of_schema,
           max(t.totals) FILTER (WHERE t.collection = 'd') AS of_definitions,
           max(t.totals) FILTER (WHERE t.collection = 'e') AS of_examples,
           string_agg(concat_ws(' ', t.collection, t.xmin, t.ctid), ' ' ORDER BY t.collection) FILTER (WHERE t.collection <> 's') AS versions
    FROM text2sql._index_totals t) AS total
LEFT JOIN text2sql._second_embedder second ON second.built_at IS NOT NULL
WHERE s.format = $1
