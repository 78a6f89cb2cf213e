-- What the search index stores about tables, as one JSON document, for any role. Run only by refresh(), in
-- src/pg/search/refresh/tables.rs, with $1 oid[]: the tables. Arrays in the order of the fields there. Every relation
-- it reads is a catalog, accessed by an index.
SELECT coalesce(json_agg(json_build_array(
    c.oid::int8, n.nspname, c.relname, c.relkind,
    (SELECT left(d.description, 4000) FROM pg_description d
     WHERE d.objoid = c.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid = 0),
    columns.described,
    keys.described
)), '[]')::text
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(json_build_array(
               a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
               (SELECT left(d.description, 400000 / greatest(100, c.relnatts)) FROM pg_description d
                WHERE d.objoid = c.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid = a.attnum),
               CASE WHEN item.typtype = 'e' THEN (
                   SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder)
                   FROM (SELECT enumlabel, enumsortorder FROM pg_enum WHERE enumtypid = item.oid
                         ORDER BY enumsortorder LIMIT 20000 / greatest(10, c.relnatts)) AS e)
               END) ORDER BY a.attnum), '[]') AS described
    FROM pg_attribute a
    JOIN pg_type own ON own.oid = a.atttypid
    JOIN pg_type item
      ON item.oid = CASE WHEN own.typcategory = 'A' AND own.typlen = -1 THEN own.typelem ELSE own.oid END
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
) AS columns
CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(json_build_array(
               (SELECT json_agg(a.attname ORDER BY part.place)
                FROM unnest(k.conkey) WITH ORDINALITY AS part(attnum, place)
                JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = part.attnum),
               k.confrelid::int8, target_schema.nspname, target.relname,
               (SELECT json_agg(a.attname ORDER BY part.place)
                FROM unnest(k.confkey) WITH ORDINALITY AS part(attnum, place)
                JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = part.attnum)
           ) ORDER BY k.oid), '[]') AS described
    FROM pg_constraint k
    JOIN pg_class target ON target.oid = k.confrelid
    JOIN pg_namespace target_schema ON target_schema.oid = target.relnamespace
    -- Of a partitioned table, its own keys and those of a partition that has most of its own.
    WHERE k.conrelid IN (c.oid, (
              SELECT p.conrelid FROM pg_inherits i JOIN pg_constraint p ON p.conrelid = i.inhrelid
               WHERE c.relkind = 'p' AND i.inhparent = c.oid AND p.contype = 'f' AND p.conparentid = 0
               GROUP BY p.conrelid ORDER BY count(*) DESC, p.conrelid LIMIT 1))
      AND k.contype = 'f' AND k.conparentid = 0
      -- A join on a temporal key (PostgreSQL 18) would compare its periods for equality.
      AND (to_jsonb(k) ->> 'conperiod') IS DISTINCT FROM 'true'
      AND target.relkind IN ('r', 'p') AND NOT target.relispartition
) AS keys
WHERE c.oid = ANY ($1)
