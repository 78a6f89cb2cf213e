-- The state of the search index, if it has the format $1 (int4): an identifier of this state, embedder, length
-- of the vectors, language, totals, and tables that have changed since, the latest first. Run for every
-- question by src/pg/search_index/port.rs.
SELECT concat_ws(' ', s.started_at, s.refreshed_at, s.done), s.embedder, s.dimensions, s.language,
       (SELECT t.totals FROM text2sql._index_totals t WHERE t.collection = 's'),
       (SELECT t.totals FROM text2sql._index_totals t WHERE t.collection = 'd'),
       (SELECT t.totals FROM text2sql._index_totals t WHERE t.collection = 'e'),
       ARRAY(
           SELECT changed.relation
           FROM (SELECT max(c.id) AS id, c.relation FROM text2sql._index_changes c
                 WHERE c.relation <> 0 GROUP BY c.relation) AS changed
           JOIN pg_class r ON r.oid = changed.relation
           WHERE r.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT r.relispartition
           ORDER BY changed.id DESC LIMIT 50)
FROM text2sql._index_state s
WHERE s.format = $1
