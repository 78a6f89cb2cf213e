-- Everything that the catalog says about the extension, one line for each property of an object: an updated database
-- must give the same lines as a new one. Names only, as OIDs differ.
SET search_path = pg_catalog;
WITH extension AS (
    SELECT e.* FROM pg_extension e WHERE e.extname = 'pg_text2sql'
), own AS (
    SELECT d.classid, d.objid FROM pg_depend d, extension e
     WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
    UNION ALL
    SELECT 'pg_namespace'::regclass, 'text2sql'::regnamespace
), tables AS (
    SELECT c.* FROM own o JOIN pg_class c ON o.classid = 'pg_class'::regclass AND c.oid = o.objid
), facts (object, property, value) AS (
    SELECT 'extension', v.property, v.value FROM extension e, LATERAL (VALUES
        ('version', e.extversion), ('owner', e.extowner::regrole::text), ('schema', e.extnamespace::regnamespace::text),
        ('relocatable', e.extrelocatable::text), ('condition', e.extcondition::text),
        ('dumped', (SELECT string_agg(c::regclass::text, ' ' ORDER BY n) FROM unnest(e.extconfig) WITH ORDINALITY AS s(c, n))),
        ('requires', (SELECT string_agg(pg_describe_object(d.refclassid, d.refobjid, 0), ', ' ORDER BY pg_describe_object(d.refclassid, d.refobjid, 0)) FROM pg_depend d
                       WHERE d.classid = 'pg_extension'::regclass AND d.objid = e.oid))) AS v(property, value)
    UNION ALL
    SELECT pg_describe_object(o.classid, o.objid, 0), 'is a member', 'yes' FROM own o
    UNION ALL
    SELECT pg_describe_object(d.classoid, d.objoid, d.objsubid), 'comment', d.description
      FROM own o JOIN pg_description d ON d.classoid = o.classid AND d.objoid = o.objid
    UNION ALL
    SELECT pg_describe_object(i.classoid, i.objoid, i.objsubid), 'initial privileges', (SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(i.initprivs) AS a)
      FROM own o JOIN pg_init_privs i ON i.classoid = o.classid AND i.objoid = o.objid
    UNION ALL
    SELECT pg_describe_object(o.classid, o.objid, 0), v.property, v.value
      FROM own o JOIN pg_proc p ON o.classid = 'pg_proc'::regclass AND p.oid = o.objid, LATERAL (VALUES
        ('definition', pg_get_functiondef(p.oid)), ('owner', p.proowner::regrole::text), ('privileges', (SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(coalesce(p.proacl, acldefault('f', p.proowner))) AS a)),
        ('arguments', pg_get_function_arguments(p.oid)), ('support', p.prosupport::text)) AS v(property, value)
    UNION ALL
    SELECT pg_describe_object('pg_class'::regclass, c.oid, 0), v.property, v.value FROM tables c, LATERAL (VALUES
        ('owner', c.relowner::regrole::text), ('privileges', (SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))) AS a)), ('kind', c.relkind::text), ('persistence', c.relpersistence::text),
        ('options', c.reloptions::text), ('row security', format('%s %s', c.relrowsecurity, c.relforcerowsecurity)),
        ('replica identity', c.relreplident::text), ('access method', (SELECT a.amname FROM pg_am a WHERE a.oid = c.relam)),
        ('view', CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) END),
        ('columns', (SELECT string_agg(format('%s %s%s%s%s%s storage %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                            CASE WHEN a.attnotnull THEN ' not null' END, ' default ' || pg_get_expr(f.adbin, f.adrelid),
                            ' identity ' || nullif(a.attidentity::text, ''), ' generated ' || nullif(a.attgenerated::text, ''), a.attstorage,
                            ' compression ' || nullif(a.attcompression::text, '') || ' privileges ' || coalesce(a.attacl::text, '')), E'\n' ORDER BY a.attnum)
                       FROM pg_attribute a LEFT JOIN pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
                      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)),
        ('constraints', (SELECT string_agg(format('%s %s', k.conname, pg_get_constraintdef(k.oid)), E'\n' ORDER BY k.conname) FROM pg_constraint k WHERE k.conrelid = c.oid)),
        ('indexes', (SELECT string_agg(format('%s %s', pg_get_indexdef(i.indexrelid), x.relowner::regrole), E'\n' ORDER BY x.relname)
                       FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid WHERE i.indrelid = c.oid)),
        ('triggers', (SELECT string_agg(format('%s %s', pg_get_triggerdef(t.oid), t.tgenabled), E'\n' ORDER BY t.tgname) FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)),
        ('policies', (SELECT string_agg(format('%s %s %s %s %s %s', p.polname, p.polcmd, p.polpermissive, p.polroles::regrole[], pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)), E'\n' ORDER BY p.polname)
                        FROM pg_policy p WHERE p.polrelid = c.oid)),
        ('rules', (SELECT string_agg(r.rulename, ' ' ORDER BY r.rulename) FROM pg_rewrite r WHERE r.ev_class = c.oid)),
        ('statistics', (SELECT string_agg(s.stxname, ' ') FROM pg_statistic_ext s WHERE s.stxrelid = c.oid)),
        ('sequence', (SELECT format('%s %s %s %s %s %s %s', format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement, s.seqmax, s.seqmin, s.seqcache, s.seqcycle) FROM pg_sequence s WHERE s.seqrelid = c.oid)),
        ('of', (SELECT string_agg(pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid), ', ' ORDER BY d.refobjid) FROM pg_depend d WHERE c.relkind = 'S' AND d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')))
        ) AS v(property, value)
    UNION ALL
    SELECT pg_describe_object(o.classid, o.objid, 0), v.property, v.value
      FROM own o JOIN pg_event_trigger t ON o.classid = 'pg_event_trigger'::regclass AND t.oid = o.objid, LATERAL (VALUES
        ('definition', format('%s %s %s %s', t.evtevent, t.evtfoid::regprocedure, t.evtenabled, t.evttags)), ('owner', t.evtowner::regrole::text)) AS v(property, value)
    UNION ALL
    SELECT pg_describe_object(o.classid, o.objid, 0), v.property, v.value
      FROM own o JOIN pg_foreign_data_wrapper w ON o.classid = 'pg_foreign_data_wrapper'::regclass AND w.oid = o.objid, LATERAL (VALUES
        ('definition', format('%s %s %s', w.fdwhandler, w.fdwvalidator::regprocedure, w.fdwoptions)), ('owner', w.fdwowner::regrole::text), ('privileges', (SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(coalesce(w.fdwacl, acldefault('F', w.fdwowner))) AS a))) AS v(property, value)
    UNION ALL
    SELECT pg_describe_object(o.classid, o.objid, 0), v.property, v.value
      FROM own o JOIN pg_namespace n ON o.classid = 'pg_namespace'::regclass AND n.oid = o.objid, LATERAL (VALUES
        ('owner', n.nspowner::regrole::text), ('privileges', (SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(coalesce(n.nspacl, acldefault('n', n.nspowner))) AS a))) AS v(property, value)
    UNION ALL
    SELECT pg_describe_object(o.classid, o.objid, 0), v.property, v.value
      FROM own o JOIN pg_type t ON o.classid = 'pg_type'::regclass AND t.oid = o.objid, LATERAL (VALUES
        ('owner', t.typowner::regrole::text), ('privileges', (SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(coalesce(t.typacl, acldefault('T', t.typowner))) AS a))) AS v(property, value)
    UNION ALL
    SELECT format('default privileges of %s in %s', d.defaclrole::regrole, d.defaclnamespace::regnamespace), d.defaclobjtype::text, d.defaclacl::text
      FROM pg_default_acl d
    UNION ALL
    SELECT format('schema %s', n.nspname), 'exists', 'yes' FROM pg_namespace n WHERE n.nspname LIKE 'text2sql%'
    UNION ALL
    -- Objects in the schemas that no extension has.
    SELECT pg_describe_object(d.classid, d.objid, d.objsubid), 'is in the schema of the extension', 'yes'
      FROM pg_depend d
     WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid IN (SELECT n.oid FROM pg_namespace n WHERE n.nspname LIKE 'text2sql%')
       AND d.classid <> 'pg_extension'::regclass
       AND NOT EXISTS (SELECT FROM pg_depend m WHERE m.classid = d.classid AND m.objid = d.objid AND m.deptype IN ('e', 'i', 'a', 'I'))
)
SELECT object || ' | ' || property || ' | ' || coalesce(line, '')
  FROM facts, regexp_split_to_table(coalesce(value, ''), '\n') WITH ORDINALITY AS lines(line, n)
 ORDER BY object COLLATE "C", property COLLATE "C", n;
