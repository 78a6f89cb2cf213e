-- Describes tables as one JSON document: those of $1 that the current user may read, and of them
-- the columns, keys and statistics that this user may see. Called by src/pg/catalog/read.rs with
--   $1 oid[]   the tables wanted
--   $2 oid[]   the caller's effective search_path, in order; it decides which type names need a schema
--   $3 boolean whether foreign tables may be read
--   $4 boolean whether statistics are wanted, which take most of the time
-- and with search_path = pg_catalog. Every relation it touches is a catalog, reached by an index.
WITH candidate AS (
    SELECT wanted.oid FROM unnest($1) AS wanted(oid)
), %READABLE%,
described AS MATERIALIZED (
    SELECT r.*,
           CASE
               WHEN r.kind = 'v' THEN NULL
               WHEN r.kind = 'p' THEN (
                   -- ANALYZE of the parent is rare (autovacuum never does it): the leaves know better.
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
    WHERE $3
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
    'comment', (
        SELECT d.description FROM pg_description d
        WHERE d.objoid = t.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid = 0),
    'row_estimate', t.row_estimate,
    'has_row_security', row_security_active(t.oid),
    'partition_key', CASE WHEN t.kind = 'p' THEN pg_get_partkeydef(t.oid) END,
    'columns', columns.described,
    'primary_key', keys.primary_key,
    'unique_keys', keys.unique_keys,
    'foreign_keys', foreign_keys.described,
    'statistics', statistics.described,
    'related', coalesce(foreign_keys.targets, '[]'::jsonb) || coalesce(columns.row_types, '[]'::jsonb),
    'type_oids', columns.type_oids
)), '[]')::text
FROM described t
-- The members of a column are in the order of `ColumnDocument` in src/pg/catalog/read.rs: without
-- their names the document is half as long.
CROSS JOIN LATERAL (
    SELECT json_agg(json_build_array(
               a.attnum,
               a.attname,
               CASE
                   WHEN own.typnamespace = 'pg_catalog'::regnamespace
                   THEN format_type(a.atttypid, a.atttypmod)
                   ELSE (
                       -- The schema goes where no schema earlier in the path has a type of this name.
                       SELECT CASE
                                  WHEN starts_with(type.name, type.prefix) AND named.oid = (
                                      SELECT other.oid
                                      FROM unnest($2) WITH ORDINALITY AS path(schema_oid, place)
                                      JOIN pg_type other
                                        ON other.typnamespace = path.schema_oid
                                       AND other.typname = named.typname
                                      ORDER BY path.place LIMIT 1)
                                  THEN substr(type.name, length(type.prefix) + 1)
                                  ELSE type.name
                              END
                       FROM pg_type named
                       JOIN pg_namespace n ON n.oid = named.typnamespace
                       CROSS JOIN LATERAL (
                           SELECT format_type(a.atttypid, a.atttypmod) AS name,
                                  quote_ident(n.nspname) || '.' AS prefix
                       ) AS type
                       WHERE named.oid = CASE WHEN own.typcategory = 'A' AND own.typlen = -1 AND own.typtype = 'b'
                                              THEN own.typelem ELSE own.oid END)
               END,
               base.oid::int8,
               base.typtype,
               base.typcategory,
               CASE WHEN own.typtype = 'd' THEN format_type(base.oid, bottom.found[2]::int4) END,
               CASE WHEN item.typtype = 'e' THEN (
                   SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder)
                   FROM pg_enum e WHERE e.enumtypid = item.oid) END,
               CASE WHEN item.typtype = 'c' THEN (
                   SELECT json_agg(quote_ident(f.attname) || ' ' || format_type(f.atttypid, f.atttypmod)
                                   ORDER BY f.attnum)
                   FROM pg_attribute f
                   WHERE f.attrelid = item.typrelid AND f.attnum > 0 AND NOT f.attisdropped) END,
               a.attnotnull OR (own.typtype = 'd' AND own.typnotnull),
               a.attgenerated <> '',
               a.attidentity <> '',
               d.description
           ) ORDER BY a.attnum) AS described,
           jsonb_agg(item.typrelid::int8) FILTER (WHERE item.typrelid <> 0) AS row_types,
           (SELECT json_agg(DISTINCT used.oid::int8)
            FROM unnest(array_agg(own.oid) || array_agg(base.oid) || array_agg(item.oid)) AS used(oid)
            WHERE used.oid >= 16384) AS type_oids
    FROM pg_attribute a
    JOIN pg_type own ON own.oid = a.atttypid
    -- What a domain, or a domain over a domain, is made of: type and modifier.
    CROSS JOIN LATERAL (
        SELECT CASE WHEN own.typtype = 'd' THEN (
            WITH RECURSIVE chain(oid, modifier, depth) AS (
                SELECT own.oid, -1, 0
                UNION ALL
                SELECT under.typbasetype, under.typtypmod, chain.depth + 1
                FROM chain JOIN pg_type under ON under.oid = chain.oid AND under.typtype = 'd'
            )
            SELECT ARRAY[chain.oid::int8, chain.modifier] FROM chain ORDER BY chain.depth DESC LIMIT 1
        ) END AS found
    ) AS bottom
    JOIN pg_type base ON base.oid = coalesce(bottom.found[1]::oid, own.oid)
    -- The element of an array, else the type itself: labels and fields are of use for both.
    JOIN pg_type item
      ON item.oid = CASE WHEN base.typcategory = 'A' AND base.typlen = -1 THEN base.typelem ELSE base.oid END
    LEFT JOIN pg_description d
      ON d.objoid = t.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid = a.attnum
    WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
      AND (t.reads_every_column OR has_column_privilege(t.oid, a.attnum, 'SELECT'))
) AS columns
-- Constraints and plain unique indexes alike; none with a predicate, an expression, a column that
-- may not be read, or a build that has not ended.
CROSS JOIN LATERAL (
    SELECT (json_agg(key.columns ORDER BY key.indexrelid) FILTER (WHERE key.indisprimary)) -> 0 AS primary_key,
           json_agg(key.columns ORDER BY key.indexrelid) FILTER (WHERE NOT key.indisprimary) AS unique_keys
    FROM (
        SELECT i.indexrelid, i.indisprimary,
               (SELECT json_agg(a.attname ORDER BY part.place)
                FROM unnest(i.indkey) WITH ORDINALITY AS part(attnum, place)
                JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = part.attnum
                WHERE part.place <= i.indnkeyatts) AS columns
        FROM pg_index i
        WHERE i.indrelid = t.oid AND i.indisunique AND i.indisvalid
          AND i.indpred IS NULL AND i.indexprs IS NULL
          AND (t.reads_every_column OR NOT EXISTS (
              SELECT FROM unnest(i.indkey) WITH ORDINALITY AS part(attnum, place)
              WHERE part.place <= i.indnkeyatts
                AND NOT has_column_privilege(t.oid, part.attnum, 'SELECT')))
    ) AS key
) AS keys
-- A constraint with a parent is the copy that a partition holds.
CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object(
               'columns', fk.columns,
               'target', fk.confrelid::int8,
               'target_schema', fk.target_schema,
               'target_name', fk.target_name,
               'target_columns', fk.target_columns
           ) ORDER BY fk.oid) FILTER (WHERE fk.is_readable) AS described,
           jsonb_agg(fk.confrelid::int8) AS targets
    FROM (
        SELECT c.oid, c.confrelid, target.relname AS target_name, n.nspname AS target_schema,
               (SELECT json_agg(a.attname ORDER BY part.place)
                FROM unnest(c.conkey) WITH ORDINALITY AS part(attnum, place)
                JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = part.attnum) AS columns,
               (SELECT json_agg(a.attname ORDER BY part.place)
                FROM unnest(c.confkey) WITH ORDINALITY AS part(attnum, place)
                JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = part.attnum) AS target_columns,
               target.relkind IN ('r', 'p') AND NOT target.relispartition
               AND n.nspname NOT IN ('text2sql', 'text2sql_perturbed')
               AND has_schema_privilege(n.oid, 'USAGE')
               AND (t.reads_every_column OR NOT EXISTS (
                   SELECT FROM unnest(c.conkey) AS part(attnum)
                   WHERE NOT has_column_privilege(t.oid, part.attnum, 'SELECT')))
               AND NOT EXISTS (
                   SELECT FROM unnest(c.confkey) AS part(attnum)
                   WHERE NOT has_column_privilege(c.confrelid, part.attnum, 'SELECT')) AS is_readable
        FROM pg_constraint c
        JOIN pg_class target ON target.oid = c.confrelid
        JOIN pg_namespace n ON n.oid = target.relnamespace
        WHERE c.conrelid = t.oid AND c.contype = 'f' AND c.conparentid = 0
    ) AS fk
) AS foreign_keys
-- pg_stats shows only what the current user may read, and nothing under row-level security. Of a
-- table with children the inherited facts count: a query on the parent reads them all. Values of
-- more than 100 characters are left out: cut short they would be values that do not exist. So are
-- the most common of many numbers or dates: they are keys and measures, and nobody asks for them;
-- but they count for the range ("untold"), because the histogram does not hold them. Where a column
-- has so few values that the histogram holds all of the others, as with the unique names of a small
-- table, they are known as well ("rarer").
CROSS JOIN LATERAL (
    SELECT json_object_agg(s.attname, json_build_object(
               'most_common', CASE WHEN values.are_telling THEN (
                   SELECT json_agg(json_build_array(common.value, common.share) ORDER BY common.place)
                   FROM unnest(s.most_common_vals::text::text[], s.most_common_freqs)
                        WITH ORDINALITY AS common(value, share, place)
                   WHERE length(common.value) <= 100 AND common.place <= 100) END,
               'untold', CASE WHEN NOT values.are_telling AND own.typdelim = ',' THEN s.most_common_vals::text END,
               'rarer', CASE WHEN values.are_telling AND own.typcategory IN ('S', 'E', 'U')
                    AND cardinality(ends.bounds) + coalesce(cardinality(s.most_common_freqs), 0) >= values.number THEN (
                   SELECT json_agg(bound) FROM unnest(ends.bounds) AS bound WHERE length(bound) <= 100) END,
               'null_share', s.null_frac,
               'distinct_values', values.number,
               'lowest', CASE WHEN length(ends.lowest) <= 100 THEN ends.lowest END,
               'highest', CASE WHEN length(ends.highest) <= 100 THEN ends.highest END
           )) AS described
    FROM (
        SELECT DISTINCT ON (p.attname) p.*
        FROM pg_stats p
        WHERE $4 AND p.schemaname = t.schema_name AND p.tablename = t.name
        ORDER BY p.attname, p.inherited DESC
    ) AS s
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = s.attname
    JOIN pg_type own ON own.oid = a.atttypid
    CROSS JOIN LATERAL (
        SELECT own.typdelim = ','
               AND (own.typcategory NOT IN ('N', 'D', 'T') OR s.n_distinct BETWEEN 1 AND 100) AS are_telling,
               CASE
                   WHEN s.n_distinct > 0 THEN s.n_distinct::numeric
                   WHEN s.n_distinct < 0 THEN round((-s.n_distinct * t.row_estimate)::numeric)
               END AS number
    ) AS values
    LEFT JOIN LATERAL (
        SELECT bounds, bounds[1] AS lowest, bounds[array_upper(bounds, 1)] AS highest
        -- OFFSET 0: without it the planner repeats the cast at each use.
        FROM (SELECT s.histogram_bounds::text::text[] OFFSET 0) AS histogram(bounds)
        WHERE own.typdelim = ','
    ) AS ends ON true
) AS statistics
