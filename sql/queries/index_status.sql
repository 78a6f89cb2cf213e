-- A summary of the search index in one row. Run by src/pg/search/search_index/report.rs as its owner, with $1 int4:
-- the format of this version.
SELECT s.format = $1, s.embedder, s.dimensions, s.language,
       (SELECT t.totals[1] FROM text2sql._index_totals t WHERE t.collection = 's'),
       (SELECT t.totals[1] FROM text2sql._index_totals t WHERE t.collection = 'd'),
       (SELECT t.totals[1] FROM text2sql._index_totals t WHERE t.collection = 'e'),
       (SELECT count(*) FROM text2sql._index_value_columns),
       (SELECT count(DISTINCT c.relation) FROM text2sql._index_changes c JOIN pg_class r ON r.oid = c.relation),
       s.done, s.total,
       to_char(s.refreshed_at, 'YYYY-MM-DD HH24:MI:SS TZ'), s.refreshed_by::text,
       s.refreshed_at IS NULL OR s.refreshed_at < s.started_at,
       to_regclass('text2sql._index_vectors_s_hnsw') IS NOT NULL
FROM text2sql._index_state s
