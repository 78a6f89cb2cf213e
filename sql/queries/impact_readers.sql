-- What depends on objects according to pg_depend, one step away, as one JSON array. Called by src/impact/recorded.rs
-- as the effective role with
--   $1 oid[]   classes of the objects: pg_class or pg_proc
--   $2 oid[]   their OIDs
--   $3 int4[]  column numbers; 0: the object as a whole
--   $4 oid     the role that called, whose privileges on functions count
-- What the caller may not see is returned too, marked, because others read through it.
WITH node AS MATERIALIZED (
    SELECT given.class, given.oid, given.number, given.place
    FROM unnest($1, $2, $3) WITH ORDINALITY AS given(class, oid, number, place)
), depends AS MATERIALIZED (
    SELECT n.place, n.class, n.oid, n.number, d.classid, d.objid, d.refobjsubid
    FROM node n
    JOIN pg_depend d ON d.refclassid = n.class AND d.refobjid = n.oid
    WHERE d.deptype IN ('n', 'a', 'i') AND (n.number = 0 OR d.refobjsubid IN (n.number, 0))
    UNION
    -- Functions that take or return rows of the table.
    SELECT n.place, n.class, n.oid, n.number, d.classid, d.objid, 0
    FROM node n
    JOIN pg_class c ON n.class = 'pg_class'::regclass AND c.oid = n.oid
    JOIN pg_type t ON t.oid = c.reltype
    JOIN pg_depend d ON d.refclassid = 'pg_type'::regclass AND d.refobjid IN (t.oid, t.typarray) AND d.classid = 'pg_proc'::regclass
), reader AS (
    -- A view whose rule depends on the table and on none of its columns may still read whole rows.
    SELECT d.place, CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' ELSE 'rule' END AS kind,
           CASE WHEN c.relkind IN ('v', 'm') THEN c.oid::regclass::text
                ELSE format('%I on %s', w.rulename, c.oid::regclass) END AS object,
           c.oid AS relation, NULL::oid AS function, CASE WHEN c.relkind IN ('v', 'm') THEN 0 END AS next_number,
           true AS is_certain
    FROM depends d
    JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
    JOIN pg_class c ON c.oid = w.ev_class
    WHERE (w.ev_type <> '1' OR d.class <> 'pg_class'::regclass OR c.oid <> d.oid)
      AND (d.number = 0 OR d.refobjsubid = d.number OR c.relkind IN ('v', 'm'))
    UNION ALL
    SELECT d.place, CASE p.prokind WHEN 'p' THEN 'procedure' WHEN 'a' THEN 'aggregate' ELSE 'function' END, p.oid::regprocedure::text,
           NULL, p.oid, 0, d.number = 0 OR d.refobjsubid = d.number
    FROM depends d
    JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
    UNION ALL
    SELECT d.place, 'policy', format('%I on %s', p.polname, p.polrelid::regclass), p.polrelid, NULL, NULL, true
    FROM depends d
    JOIN pg_policy p ON d.classid = 'pg_policy'::regclass AND p.oid = d.objid
    WHERE d.number = 0 OR d.refobjsubid = d.number
    UNION ALL
    SELECT d.place, 'trigger', format('%I on %s', g.tgname, g.tgrelid::regclass), g.tgrelid, NULL, NULL, true
    FROM depends d
    JOIN pg_trigger g ON d.classid = 'pg_trigger'::regclass AND g.oid = d.objid
    WHERE NOT g.tgisinternal AND g.tgparentid = 0 AND (d.number = 0 OR d.refobjsubid = d.number)
    UNION ALL
    -- A table's own constraints, indexes and statistics go with it: they are listed for a column.
    SELECT d.place, CASE k.contype WHEN 'f' THEN 'foreign key' WHEN 'p' THEN 'primary key' WHEN 'u' THEN 'unique constraint'
                                   WHEN 'x' THEN 'exclusion constraint' WHEN 'n' THEN 'not-null constraint' ELSE 'check constraint' END,
           CASE WHEN k.conrelid = 0 THEN format('%I on %s', k.conname, k.contypid::regtype)
                ELSE format('%I on %s', k.conname, k.conrelid::regclass) END,
           nullif(k.conrelid, 0), NULL, NULL, true
    FROM depends d
    JOIN pg_constraint k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
    WHERE k.conparentid = 0
      AND CASE d.number WHEN 0 THEN d.class <> 'pg_class'::regclass OR k.conrelid <> d.oid ELSE d.refobjsubid = d.number END
    UNION ALL
    SELECT d.place, 'index', c.oid::regclass::text, i.indrelid, NULL, NULL, true
    FROM depends d
    JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid AND c.relkind IN ('i', 'I') AND NOT c.relispartition
    JOIN pg_index i ON i.indexrelid = c.oid
    WHERE CASE d.number WHEN 0 THEN d.class <> 'pg_class'::regclass OR i.indrelid <> d.oid ELSE d.refobjsubid = d.number END
    UNION ALL
    SELECT d.place, 'partition key', c.oid::regclass::text, c.oid, NULL, NULL, true
    FROM depends d
    JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid AND c.relkind = 'p'
    WHERE d.number > 0 AND d.refobjsubid = d.number AND c.oid = d.oid
    UNION ALL
    SELECT d.place, CASE a.attgenerated WHEN '' THEN 'default' ELSE 'generated column' END,
           format('%s.%I', f.adrelid::regclass, a.attname), f.adrelid, NULL, CASE a.attgenerated WHEN '' THEN NULL ELSE a.attnum END, true
    FROM depends d
    JOIN pg_attrdef f ON d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid
    JOIN pg_attribute a ON a.attrelid = f.adrelid AND a.attnum = f.adnum
    WHERE NOT (d.class = 'pg_class'::regclass AND f.adrelid = d.oid AND (d.number = 0 OR d.refobjsubid <> d.number OR f.adnum = d.number))
    UNION ALL
    SELECT d.place, 'statistics', format('%I.%I', ns.nspname, s.stxname), s.stxrelid, NULL, NULL, true
    FROM depends d
    JOIN pg_statistic_ext s ON d.classid = 'pg_statistic_ext'::regclass AND s.oid = d.objid
    JOIN pg_namespace ns ON ns.oid = s.stxnamespace
    WHERE CASE d.number WHEN 0 THEN d.class <> 'pg_class'::regclass ELSE d.refobjsubid = d.number END
    UNION ALL
    SELECT d.place, 'publication', quote_ident(b.pubname), r.prrelid, NULL, NULL, true
    FROM depends d
    JOIN pg_publication_rel r ON d.classid = 'pg_publication_rel'::regclass AND r.oid = d.objid
    JOIN pg_publication b ON b.oid = r.prpubid
    WHERE d.number = 0 OR d.refobjsubid = d.number
    UNION ALL
    -- What else uses a function: operators, casts, types, event triggers.
    SELECT d.place, named.type, named.identity, NULL, NULL, NULL, true
    FROM depends d
    CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, 0) AS named
    WHERE d.class = 'pg_proc'::regclass
      AND d.classid NOT IN ('pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_policy'::regclass, 'pg_trigger'::regclass,
                            'pg_constraint'::regclass, 'pg_class'::regclass, 'pg_attrdef'::regclass,
                            'pg_statistic_ext'::regclass, 'pg_publication_rel'::regclass)
)
SELECT coalesce(json_agg(json_build_object(
           'of', found.place - 1, 'kind', found.kind, 'object', found.object,
           'relation', coalesce(found.relation::int8, 0), 'function', coalesce(found.function::int8, 0), 'next', found.next_number,
           'is_certain', found.is_certain, 'is_visible', found.is_visible)), '[]')::text
FROM (
    SELECT r.place, r.kind, r.object, r.relation, r.function, r.next_number, bool_or(r.is_certain) AS is_certain,
           bool_and(CASE
               WHEN r.relation IS NOT NULL THEN
                   has_schema_privilege(c.relnamespace, 'USAGE') AND text2sql._is_shown(c.oid)
                   AND CASE WHEN r.next_number > 0
                       THEN has_column_privilege(c.oid, r.next_number::int2, 'SELECT') AND text2sql._protection(c.oid, r.next_number::int2) <> 'hidden'
                       ELSE has_any_column_privilege(c.oid, 'SELECT') END
               WHEN r.function IS NOT NULL THEN
                   (has_schema_privilege(p.pronamespace, 'USAGE') OR has_schema_privilege($4, p.pronamespace, 'USAGE'))
                   AND has_function_privilege($4, p.oid, 'EXECUTE')
               ELSE true END) AS is_visible
    FROM reader r
    LEFT JOIN pg_class c ON c.oid = r.relation
    LEFT JOIN pg_proc p ON p.oid = r.function
    GROUP BY r.place, r.kind, r.object, r.relation, r.function, r.next_number
) AS found
