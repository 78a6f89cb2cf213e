-- Text columns of the table $1 (oid) that the current user can read, and what is known about them without
-- reading the table, as one JSON document; JSON null when the table may not be indexed. Run by refresh() in
-- src/pg/search/refresh/values.rs after it has locked the table. Columns are arrays in the order of the fields there.
SELECT coalesce((
    SELECT json_build_object(
        'rows', CASE
            WHEN c.relkind = 'p' THEN (
                SELECT coalesce(sum(CASE WHEN leaf.reltuples >= 0 THEN leaf.reltuples
                                         ELSE pg_relation_size(leaf.oid) / 100 END), 0)
                FROM pg_partition_tree(c.oid) AS part
                JOIN pg_class leaf ON leaf.oid = part.relid
                WHERE part.isleaf AND leaf.relkind = 'r')
            -- A table that was never analyzed is judged by its size.
            ELSE greatest(c.reltuples, pg_relation_size(c.oid) / 1000) END,
        'columns', coalesce((
            SELECT json_agg(json_build_array(
                       a.attnum,
                       CASE WHEN base.typtype = 'e' THEN (
                           SELECT json_build_array(json_agg(e.enumlabel ORDER BY e.enumsortorder), count(*) <= most.labels)
                           FROM (SELECT enumlabel, enumsortorder FROM pg_enum WHERE enumtypid = base.oid
                                 ORDER BY enumsortorder LIMIT most.labels + 1) AS e) END,
                       CASE WHEN s.n_distinct >= 0 THEN s.n_distinct
                            WHEN c.reltuples > 0 THEN -s.n_distinct * c.reltuples END,
                       s.sample
                   ) ORDER BY a.attnum)
            FROM pg_attribute a
            JOIN pg_type own ON own.oid = a.atttypid
            JOIN pg_type base ON base.oid = CASE WHEN own.typtype = 'd' THEN own.typbasetype ELSE own.oid END
            -- Reading a smaller table takes less time than its statistics save.
            LEFT JOIN LATERAL (
                SELECT p.n_distinct, ARRAY(
                           SELECT sampled.value
                           FROM unnest(p.most_common_vals::text::text[] || p.histogram_bounds::text::text[]) AS sampled(value)
                           WHERE length(sampled.value) <= 100
                           LIMIT most.labels) AS sample
                FROM pg_stats p
                WHERE c.reltuples > 100000
                  AND p.schemaname = n.nspname AND p.tablename = c.relname AND p.attname = a.attname
                ORDER BY p.inherited DESC LIMIT 1
            ) AS s ON true
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
              AND (base.typtype = 'e' OR base.typcategory = 'S' AND base.typtype = 'b')
              AND has_column_privilege(c.oid, a.attnum, 'SELECT')), '[]'))
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    -- Each column has labels or sampled values of its own: wide tables have fewer of each.
    CROSS JOIN LATERAL (SELECT 50000 / greatest(25, c.relnatts) AS labels) AS most
    WHERE c.oid = $1 AND c.relkind IN ('r', 'p', 'm') AND NOT c.relrowsecurity AND c.relispopulated
      AND has_schema_privilege(n.oid, 'USAGE')
      -- A scan of a foreign partition would access another server.
      AND NOT EXISTS (
          SELECT FROM pg_partition_tree(CASE WHEN c.relkind = 'p' THEN c.oid END) AS part
          JOIN pg_foreign_table f ON f.ftrelid = part.relid)
      AND NOT EXISTS (
          SELECT FROM pg_inherits i JOIN pg_foreign_table f ON f.ftrelid = i.inhrelid WHERE i.inhparent = c.oid)
), 'null')::text
