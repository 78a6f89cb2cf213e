-- Columns of the distributed table $1 (oid) that the current user can read, as one JSON document; JSON null when the
-- table may not be read. Run by refresh() in src/pg/search/refresh/distributed.rs. Columns are arrays in the order of the
-- fields there.
SELECT coalesce((
    SELECT json_agg(json_build_array(
               a.attnum,
               a.attname,
               CASE WHEN base.typtype = 'e' THEN (
                   SELECT json_build_array(json_agg(e.enumlabel ORDER BY e.enumsortorder), count(*) <= most.labels)
                   FROM (SELECT enumlabel, enumsortorder FROM pg_enum WHERE enumtypid = base.oid
                         ORDER BY enumsortorder LIMIT most.labels + 1) AS e) END,
               base.typcategory = 'S' AND base.typtype = 'b',
               base.typtype = 'b' AND base.typnamespace = 'pg_catalog'::regnamespace AND base.oid < 16384
           ) ORDER BY a.attnum)
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    -- Each column has a copy of its labels: wide tables have fewer of each.
    CROSS JOIN LATERAL (SELECT 50000 / greatest(25, c.relnatts) AS labels) AS most
    JOIN pg_attribute a ON a.attrelid = c.oid
    JOIN pg_type own ON own.oid = a.atttypid
    JOIN pg_type base ON base.oid = CASE WHEN own.typtype = 'd' THEN own.typbasetype ELSE own.oid END
    WHERE c.oid = $1 AND c.relkind IN ('r', 'p') AND NOT c.relrowsecurity
      -- A virtual generated column is not stored.
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated <> 'v'
      AND has_schema_privilege(n.oid, 'USAGE')
      AND has_column_privilege(c.oid, a.attnum, 'SELECT')
), 'null')::text
