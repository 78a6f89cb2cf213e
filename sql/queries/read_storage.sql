-- The storage of tables, as one JSON document: the indexes whose key columns the current user can read, changes
-- since ANALYZE, foreign keys that are not enforced, extended statistics. Called by src/statement/planner.rs
-- with
--   $1 oid[]   tables that this user may read
SELECT coalesce(json_agg(json_build_object(
    'table', t.oid::int8,
    'changed_rows', coalesce(pg_stat_get_mod_since_analyze(t.oid), 0),
    'indexes', (
        SELECT coalesce(json_agg(json_build_object(
                   'name', c.relname,
                   'columns', keys.names,
                   'method', am.amname,
                   'is_partial', i.indpred IS NOT NULL,
                   'is_unique', i.indisunique
               ) ORDER BY c.relname), '[]')
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_am am ON am.oid = c.relam
        CROSS JOIN LATERAL (
            SELECT json_agg(a.attname ORDER BY part.place) AS names,
                   bool_and(a.attnum IS NOT NULL
                            AND has_column_privilege(t.oid, a.attnum, 'SELECT')) AS are_readable
            FROM unnest(i.indkey) WITH ORDINALITY AS part(attnum, place)
            LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = part.attnum AND a.attnum > 0
            WHERE part.place <= i.indnkeyatts
        ) AS keys
        WHERE i.indrelid = t.oid AND i.indisvalid
          AND (keys.are_readable OR has_table_privilege(t.oid, 'SELECT'))),
    'unproven_keys', (
        SELECT coalesce(json_agg((
                   SELECT json_agg(a.attname ORDER BY part.place)
                   FROM unnest(k.conkey) WITH ORDINALITY AS part(attnum, place)
                   JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = part.attnum)), '[]')
        FROM pg_constraint k
        WHERE k.conrelid = t.oid AND k.contype = 'f' AND (NOT k.convalidated OR k.condeferrable)),
    'statistics', (
        SELECT coalesce(json_agg((
                   SELECT json_agg(a.attname)
                   FROM unnest(s.stxkeys) AS part(attnum)
                   JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = part.attnum)), '[]')
        FROM pg_statistic_ext s
        WHERE s.stxrelid = t.oid)
)), '[]')::text
FROM unnest($1) AS t(oid)
WHERE has_any_column_privilege(t.oid, 'SELECT')
