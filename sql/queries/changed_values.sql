-- Tables whose values must be read or removed: those of the search index whose rows, columns or readability
-- have changed, and those whose values must no longer be stored. Run by refresh() in src/pg/search/refresh/values.rs
-- with $1 oid: the role that reads; $2 boolean: whether a worker asks, which looks every minute. It reads a large
-- table again when a tenth of its rows has changed, as ANALYZE does, and one that could not be read when it has
-- changed. $3 oid[], $4 text[], $5 float8[]: the distributed tables, with the states of their rows and their sizes, NULL
-- if not known; a worker leaves these alone once they were tried. Rows: OID, state of the rows (NULL: remove), state of
-- the rest, whether that is as it was.
WITH tables AS (
    SELECT d.item AS oid, CASE WHEN spread.oid IS NULL THEN %ROWS% ELSE coalesce(spread.state, 'shards') END AS rows,
           spread.oid IS NOT NULL AND spread.state IS NULL AS is_unknown,
           CASE WHEN coalesce(spread.size, c.reltuples) > 10000 THEN coalesce(spread.size, c.reltuples) / 10 ELSE 1 END AS enough, concat_ws(' ', d.fingerprint, seen.hash, CASE WHEN (SELECT EXISTS (SELECT FROM text2sql._protections)) THEN (
               SELECT string_agg(text2sql._protection(c.oid, a.attnum), ' ' ORDER BY a.attnum) FROM pg_attribute a
               WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) END) AS state
    FROM text2sql._index_documents d
    JOIN pg_class c ON c.oid = d.item
    LEFT JOIN unnest($3, $4, $5) AS spread(oid, state, size) ON spread.oid = c.oid
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
SELECT coalesce(tables.oid, known.relation), tables.rows, tables.state, known.state IN (tables.state, 'unread ' || tables.state)
FROM tables
FULL JOIN text2sql._index_value_tables AS known ON known.relation = tables.oid
WHERE (tables.state IS DISTINCT FROM known.state OR tables.rows IS DISTINCT FROM known.rows OR tables.is_unknown)
  AND NOT coalesce(
      $2 AND known.state IN (tables.state, 'unread', 'unread ' || tables.state)
      AND (tables.is_unknown OR split_part(known.rows, ' ', 1) = split_part(tables.rows, ' ', 1)
          AND abs(nullif(split_part(known.rows, ' ', 2), '')::numeric - nullif(split_part(tables.rows, ' ', 2), '')::numeric) < tables.enough),
      false)
ORDER BY 1
