-- Tables whose values must be read or forgotten: those of the search index whose rows, columns or
-- readability changed since, and those of which values are kept without reason. Run by refresh() in
-- src/pg/refresh/values.rs with $1 oid: the role that reads. Rows: OID, state (NULL: forget).
WITH tables AS (
    SELECT d.item AS oid, concat_ws(' ', d.fingerprint, c.relfilenode, counted.changes, seen.hash) AS state
    FROM text2sql.index_documents d
    JOIN pg_class c ON c.oid = d.item
    CROSS JOIN LATERAL (
        -- The counters arrive a moment after a commit: at worst a table is read once more.
        SELECT sum(pg_stat_get_tuples_inserted(part.oid) + pg_stat_get_tuples_updated(part.oid)
                   + pg_stat_get_tuples_deleted(part.oid)) AS changes
        FROM (SELECT c.oid WHERE c.relkind <> 'p'
              UNION ALL
              SELECT leaf.relid FROM pg_partition_tree(CASE WHEN c.relkind = 'p' THEN c.oid END) AS leaf) AS part
    ) AS counted
    CROSS JOIN LATERAL (
        SELECT hashtextextended(concat_ws(' ', has_table_privilege($1, c.oid, 'SELECT'),
               (SELECT sum(a.attnum) FROM pg_attribute a
                WHERE a.attrelid = c.oid AND a.attacl IS NOT NULL
                  AND has_column_privilege($1, c.oid, a.attnum, 'SELECT'))), 0) AS hash
    ) AS seen
    WHERE d.collection = 's' AND c.relkind IN ('r', 'p', 'm')
      AND NOT c.relrowsecurity AND c.relispopulated
      AND has_any_column_privilege($1, c.oid, 'SELECT')
)
SELECT coalesce(tables.oid, known.relation), tables.state
FROM tables
FULL JOIN text2sql.index_value_tables AS known ON known.relation = tables.oid
WHERE tables.state IS DISTINCT FROM known.state
ORDER BY 1
