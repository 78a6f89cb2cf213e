-- What the server has counted of tables and of their indexes, as one JSON document. Called by
-- src/statement/workload.rs as the effective role, with
--   $1 oid[]   tables that this role may read
SELECT coalesce(json_agg(json_build_object(
    'table', t.oid::int8,
    'name', format('%I.%I', s.nspname, r.relname),
    'inserted', coalesce(pg_stat_get_tuples_inserted(t.oid), 0),
    'updated', coalesce(pg_stat_get_tuples_updated(t.oid), 0),
    'hot_updated', coalesce(pg_stat_get_tuples_hot_updated(t.oid), 0),
    'deleted', coalesce(pg_stat_get_tuples_deleted(t.oid), 0),
    'indexes', (
        SELECT coalesce(json_agg(json_build_object(
                   'name', format('%I.%I', n.nspname, c.relname),
                   'columns', keys.names,
                   'is_plain', am.amname = 'btree' AND i.indpred IS NULL AND NOT i.indisunique
                               AND i.indoption::text !~ '[^0 ]',
                   'is_needed', i.indisunique OR i.indisreplident OR i.indisexclusion
                                OR EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid),
                   'scans', coalesce(pg_stat_get_numscans(i.indexrelid), 0),
                   'size', coalesce(pg_relation_size(i.indexrelid), 0),
                   'same_as', (
                       SELECT min(format('%I.%I', nn.nspname, cc.relname))
                       FROM pg_index o
                       JOIN pg_class cc ON cc.oid = o.indexrelid
                       JOIN pg_namespace nn ON nn.oid = cc.relnamespace
                       WHERE o.indrelid = i.indrelid AND o.indexrelid <> i.indexrelid AND o.indisvalid
                         AND cc.relam = c.relam
                         AND o.indkey::text = i.indkey::text AND o.indclass::text = i.indclass::text
                         AND o.indcollation::text = i.indcollation::text AND o.indoption::text = i.indoption::text
                         AND o.indnkeyatts = i.indnkeyatts
                         -- Measured before they are unpacked: their owner decides how long they are.
                         AND coalesce(octet_length(o.indexprs::text), 0) + coalesce(octet_length(i.indexprs::text), 0)
                             + coalesce(octet_length(o.indpred::text), 0) + coalesce(octet_length(i.indpred::text), 0) < 100000
                         AND coalesce(left(pg_get_expr(o.indexprs, o.indrelid), 100000), '') = coalesce(left(pg_get_expr(i.indexprs, i.indrelid), 100000), '')
                         AND coalesce(left(pg_get_expr(o.indpred, o.indrelid), 100000), '') = coalesce(left(pg_get_expr(i.indpred, i.indrelid), 100000), '')
                         -- The one that a constraint needs, else the older one, is the original.
                         AND NOT i.indisunique
                         AND (o.indisunique OR o.indexrelid < i.indexrelid))
               ) ORDER BY c.relname), '[]')
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_am am ON am.oid = c.relam
        CROSS JOIN LATERAL (
            SELECT coalesce(json_agg(a.attname ORDER BY part.place), '[]') AS names
            FROM unnest(i.indkey) WITH ORDINALITY AS part(attnum, place)
            LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = part.attnum AND a.attnum > 0
            WHERE part.place <= i.indnkeyatts
        ) AS keys
        WHERE i.indrelid = t.oid AND i.indisvalid AND has_table_privilege(t.oid, 'SELECT'))
) ORDER BY s.nspname, r.relname), '[]')::text
FROM unnest($1) AS t(oid)
JOIN pg_class r ON r.oid = t.oid
JOIN pg_namespace s ON s.oid = r.relnamespace
WHERE r.relkind IN ('r', 'm') AND has_any_column_privilege(t.oid, 'SELECT')
