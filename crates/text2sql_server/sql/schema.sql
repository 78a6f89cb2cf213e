-- Tables that questions of the caller may be about, with their readable columns. Names, keys and comments of what the
-- caller may not read, or of what is hidden, are left out. $1: a word in names, comments, descriptions or synonyms;
-- $2: tables to skip; $3: how many tables.
WITH known AS MATERIALIZED (
    SELECT d.object, d.description, d.value_meanings, d.synonyms, d.priority FROM text2sql.descriptions d
), readable AS MATERIALIZED (
    SELECT c.oid, n.nspname::text AS schema, c.relname::text AS name,
           pg_catalog.format('%I.%I', n.nspname, c.relname) AS object,
           CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table'
                ELSE 'table' END AS kind,
           pg_catalog.obj_description(c.oid, 'pg_class') AS comment
      FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.oid >= '16384'::pg_catalog.oid
       AND c.relpersistence <> 't'
       AND n.nspname::text NOT LIKE 'pg\_%'
       AND n.nspname::text <> ALL (ARRAY['information_schema', 'text2sql', 'text2sql_eval', 'text2sql_perturbed'])
       AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
       AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
       -- A partition is part of its table, unless the caller reads the partition only.
       AND NOT (c.relispartition AND EXISTS (
               SELECT FROM pg_catalog.pg_inherits i
                WHERE i.inhrelid = c.oid AND pg_catalog.has_any_column_privilege(i.inhparent, 'SELECT')))
       AND NOT EXISTS (
               SELECT FROM pg_catalog.pg_depend d
                WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')
       AND text2sql._is_shown(c.oid)
), page AS MATERIALIZED (
    SELECT r.*, pg_catalog.row_number() OVER (ORDER BY r.schema, r.name) AS number
      FROM readable r
     WHERE coalesce($1::text, '') = ''
        OR pg_catalog.strpos(pg_catalog.lower(pg_catalog.concat_ws(' ', r.schema, r.name, r.comment)), pg_catalog.lower($1::text)) > 0
        OR EXISTS (SELECT FROM known k
                    WHERE (k.object = r.object OR pg_catalog.starts_with(k.object, r.object || '.'))
                      AND pg_catalog.strpos(pg_catalog.lower(pg_catalog.concat_ws(' ', k.description, pg_catalog.array_to_string(k.synonyms, ' '))), pg_catalog.lower($1::text)) > 0)
        OR EXISTS (SELECT FROM pg_catalog.pg_attribute a
                    WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
                      AND pg_catalog.has_column_privilege(r.oid, a.attnum, 'SELECT')
                      AND text2sql._protection(r.oid, a.attnum) <> 'hidden'
                      AND pg_catalog.strpos(pg_catalog.lower(pg_catalog.concat_ws(' ', a.attname, pg_catalog.col_description(r.oid, a.attnum))), pg_catalog.lower($1::text)) > 0)
     ORDER BY r.schema, r.name
    OFFSET coalesce($2::text::bigint, 0)
     LIMIT $3::text::bigint + 1
)
SELECT pg_catalog.json_build_object(
           'tables', coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
               'schema', t.schema, 'name', t.name, 'object', t.object, 'kind', t.kind,
               'comment', coalesce(k.description, t.comment), 'synonyms', coalesce(k.synonyms, '{}'),
               'columns', columns.listed) ORDER BY t.schema, t.name)
                   FILTER (WHERE t.number <= coalesce($2::text::bigint, 0) + $3::text::bigint), '[]'),
           'more', coalesce(pg_catalog.max(t.number) > coalesce($2::text::bigint, 0) + $3::text::bigint, false))::text
  FROM page t
  LEFT JOIN known k ON k.object = t.object
 CROSS JOIN LATERAL (
    SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_strip_nulls(pg_catalog.json_build_object(
               'name', a.attname, 'object', a.object, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
               'comment', coalesce(a.description, pg_catalog.col_description(t.oid, a.attnum)),
               'protection', nullif(a.level, 'open'),
               'key', (SELECT CASE pg_catalog.min(CASE c.contype WHEN 'p' THEN 1 ELSE 2 END) WHEN 1 THEN 'primary' WHEN 2 THEN 'unique' END
                         FROM pg_catalog.pg_constraint c
                        WHERE c.conrelid = t.oid AND c.contype IN ('p', 'u') AND a.attnum = ANY (c.conkey)
                          AND (c.contype = 'p' OR pg_catalog.cardinality(c.conkey) = 1)),
               'references', (SELECT pg_catalog.min(pg_catalog.format('%I.%I.%I', f.nspname, r.relname, ra.attname))
                                FROM pg_catalog.pg_constraint c
                               CROSS JOIN LATERAL ROWS FROM (pg_catalog.unnest(c.conkey), pg_catalog.unnest(c.confkey)) AS pair(here, there)
                                JOIN pg_catalog.pg_class r ON r.oid = c.confrelid
                                JOIN pg_catalog.pg_namespace f ON f.oid = r.relnamespace
                                JOIN pg_catalog.pg_attribute ra ON ra.attrelid = r.oid AND ra.attnum = pair.there
                               WHERE c.conrelid = t.oid AND c.contype = 'f' AND pair.here = a.attnum
                                 AND NOT r.relispartition
                                 AND pg_catalog.has_schema_privilege(f.oid, 'USAGE')
                                 AND pg_catalog.has_column_privilege(r.oid, pair.there, 'SELECT')
                                 AND text2sql._is_shown(r.oid)
                                 AND text2sql._protection(r.oid, pair.there) <> 'hidden'),
               'value_meanings', a.value_meanings, 'synonyms', nullif(a.synonyms, '{}'), 'priority', a.priority))
               ORDER BY a.attnum), '[]') AS listed
      FROM (
        SELECT b.attnum, b.attname::text, b.atttypid, b.atttypmod, named.object,
               text2sql._protection(t.oid, b.attnum) AS level, d.description, d.value_meanings, d.synonyms, d.priority
          FROM pg_catalog.pg_attribute b
         CROSS JOIN LATERAL pg_catalog.concat(t.object, '.', pg_catalog.quote_ident(b.attname)) AS named(object)
          LEFT JOIN known d ON d.object = named.object
         WHERE b.attrelid = t.oid AND b.attnum > 0 AND NOT b.attisdropped
           AND pg_catalog.has_column_privilege(t.oid, b.attnum, 'SELECT')
      ) AS a
     WHERE a.level <> 'hidden'
  ) AS columns
