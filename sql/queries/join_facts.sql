-- What refresh() infers joins from: tables and columns that the role $1 (oid) can read, with $2 text, the catalog in
-- which OIDs are valid. Run as the owner of the extension in src/pg/search/refresh/joins/facts.rs. Rows: OID, schema, name, state of the rows
-- (NULL: they must not be read), and a JSON array of columns, keys and settled joins, arrays in the order of
-- the fields there.
WITH readable AS MATERIALIZED (
    SELECT c.*, n.nspname
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'm', 'f') AND NOT c.relispartition AND c.relpersistence <> 't'
      AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval', 'text2sql_perturbed')
      AND has_schema_privilege($1, n.oid, 'USAGE')
      AND has_any_column_privilege($1, c.oid, 'SELECT')
), columns AS (
    SELECT a.attrelid, json_agg(json_build_array(
               a.attnum, a.attname,
               CASE WHEN base.typname IN ('int2', 'int4', 'int8', 'numeric') THEN 'n'
                    WHEN base.typname = 'uuid' THEN 'u'
                    WHEN base.typcategory = 'S' AND base.typtype = 'b' THEN 't'
                    ELSE 'o' END,
               -- Statistics of a table with row-level security are about rows that the role may not see.
               NOT c.relrowsecurity AND coalesce((
                   SELECT s.n_distinct = -1 AND s.null_frac = 0 FROM pg_stats s
                   WHERE s.schemaname = c.nspname AND s.tablename = c.relname AND s.attname = a.attname
                   ORDER BY s.inherited DESC LIMIT 1), false)
           ) ORDER BY a.attnum) AS list
    FROM readable c
    JOIN pg_attribute a ON a.attrelid = c.oid
    JOIN pg_type own ON own.oid = a.atttypid
    JOIN pg_type base ON base.oid = CASE WHEN own.typtype = 'd' THEN own.typbasetype ELSE own.oid END
    WHERE a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege($1, c.oid, a.attnum, 'SELECT')
    GROUP BY a.attrelid
), keys AS (
    SELECT i.indrelid, json_agg((i.indkey::int2[])[0 : i.indnkeyatts - 1] ORDER BY i.indisprimary DESC, i.indexrelid) AS list
    FROM readable c
    JOIN pg_index i ON i.indrelid = c.oid
    WHERE i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
    GROUP BY i.indrelid
), settled AS (
    SELECT s.oid, json_agg(json_build_array(s.columns, s.target::int8, s.is_rejected)) AS list
    FROM (
        SELECT k.conrelid AS oid, k.conkey AS columns, k.confrelid AS target, false AS is_rejected
        FROM pg_constraint k WHERE k.contype = 'f'
        UNION ALL
        -- A partition's key is one of the partitioned table.
        SELECT root.oid, array_agg(own.attnum ORDER BY key.place), k.confrelid, false
        FROM pg_constraint k
        JOIN pg_class c ON c.oid = k.conrelid AND c.relispartition
        CROSS JOIN LATERAL (SELECT pg_partition_root(c.oid)::oid AS oid) AS root
        CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS key(number, place)
        JOIN pg_attribute part ON part.attrelid = c.oid AND part.attnum = key.number
        JOIN pg_attribute own ON own.attrelid = root.oid AND own.attname = part.attname
        WHERE k.contype = 'f' AND k.conparentid = 0
        GROUP BY k.oid, k.confrelid, root.oid
        UNION ALL
        SELECT j.object_oids[1], j.column_numbers[1 : cardinality(j.column_numbers) / 2],
               j.object_oids[cardinality(j.object_oids)], j.status = 'rejected'
        FROM text2sql._joins j
        WHERE j.catalog = $2 AND j.status IN ('accepted', 'rejected')
    ) AS s
    GROUP BY s.oid
)
SELECT c.oid, c.nspname::text, c.relname::text,
       CASE WHEN c.relkind <> 'f' AND NOT c.relrowsecurity AND c.relispopulated THEN %ROWS% END,
       json_build_array(columns.list, coalesce(keys.list, '[]'), coalesce(settled.list, '[]'))::text
FROM readable c
JOIN columns ON columns.attrelid = c.oid
LEFT JOIN keys ON keys.indrelid = c.oid
LEFT JOIN settled ON settled.oid = c.oid
ORDER BY c.oid
