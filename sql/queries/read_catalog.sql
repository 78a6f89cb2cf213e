-- Those of the tables $1 that the current user can read, without columns and keys, as one JSON document. Those
-- are read by src/pg/access/catalog/read.rs, which calls this with
--   $1 oid[]   the tables wanted
--   $2 boolean whether foreign tables may be read
-- and with search_path = pg_catalog. Every relation it touches is a catalog, reached by an index.
WITH candidate AS (
    SELECT wanted.oid FROM unnest($1) AS wanted(oid)
), %READABLE%,
described AS MATERIALIZED (
    SELECT r.*,
           CASE
               WHEN r.kind = 'v' THEN NULL
               WHEN r.kind = 'p' THEN (
                   -- ANALYZE of the parent is rare (autovacuum never does it): the leaf partitions are more
                   -- accurate.
                   SELECT CASE
                              WHEN bool_and(leaf.reltuples >= 0) THEN sum(leaf.reltuples)
                              WHEN r.planner_rows >= 0 THEN r.planner_rows
                              ELSE sum(leaf.reltuples) FILTER (WHERE leaf.reltuples >= 0)
                          END
                   FROM pg_partition_tree(r.oid) AS part
                   JOIN pg_class leaf ON leaf.oid = part.relid
                   WHERE part.isleaf AND leaf.relkind <> 'p')
               WHEN r.planner_rows >= 0 THEN r.planner_rows
           END AS row_estimate
    FROM readable r
    -- The guard refuses foreign tables unless they are allowed, also behind a view, a partition or an
    -- inheritance child.
    WHERE $2
       OR NOT EXISTS (SELECT FROM pg_foreign_table)
       OR r.kind = 'm'
       OR NOT EXISTS (
           WITH RECURSIVE reached(oid) AS (
               SELECT r.oid
               UNION
               SELECT next.oid
               FROM reached
               CROSS JOIN LATERAL (
                   SELECT d.refobjid
                   FROM pg_class v
                   JOIN pg_rewrite w ON w.ev_class = v.oid
                   JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                   WHERE v.oid = reached.oid AND v.relkind = 'v'
                     AND d.refclassid = 'pg_class'::regclass
                   UNION ALL
                   SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = reached.oid
               ) AS next(oid)
           )
           SELECT FROM reached JOIN pg_class f ON f.oid = reached.oid WHERE f.relkind = 'f')
)
SELECT coalesce(json_agg(json_build_object(
    'oid', t.oid::int8,
    'schema', t.schema_name,
    'name', t.name,
    'kind', t.kind,
    'row_estimate', t.row_estimate,
    'has_row_security', row_security_active(t.oid),
    -- An expression in it is measured before it is unpacked: its owner decides how long it is.
    'partition_key', CASE WHEN t.kind = 'p'
                           AND NOT EXISTS (SELECT FROM pg_partitioned_table k
                                            WHERE k.partrelid = t.oid AND octet_length(k.partexprs::text) > 50000)
                          THEN left(pg_get_partkeydef(t.oid), 1000) END,
    'reads_every_column', t.reads_every_column,
    -- What a view reads, also through other views; a partition counts as its table.
    'made_of', CASE WHEN t.kind IN ('v', 'm') THEN (
        WITH RECURSIVE reached(oid) AS (
            SELECT t.oid
            UNION
            SELECT d.refobjid
            FROM reached
            JOIN pg_class v ON v.oid = reached.oid AND v.relkind IN ('v', 'm')
            JOIN pg_rewrite w ON w.ev_class = v.oid
            JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                            AND d.refclassid = 'pg_class'::regclass
        )
        SELECT json_agg(DISTINCT coalesce(pg_partition_root(c.oid)::oid, c.oid)::int8)
        FROM reached JOIN pg_class c ON c.oid = reached.oid
        WHERE c.oid <> t.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')) END
)), '[]')::text
FROM described t
