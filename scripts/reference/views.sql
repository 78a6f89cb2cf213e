-- The views and tables of the extension on which privileges can be granted, as a page.
WITH listed AS (
    SELECT n.nspname AS schema_name, c.relname, c.oid, c.relkind, obj_description(c.oid, 'pg_class') AS comment,
           (SELECT array_agg(DISTINCT l.audience) FROM text2sql._privileges() l
             WHERE l.kind = 'relation' AND l.schema_name = n.nspname AND l.object_name = c.relname) AS audiences
      FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
      JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
     WHERE e.extname = 'pg_text2sql' AND c.relkind IN ('r', 'v') AND n.nspname LIKE 'text2sql%'
       AND c.relname NOT LIKE '\_%'
)
SELECT E'# Views and tables\n\nThis page is written by `make reference` from the catalog of a database with the extension.\n'
       'They are in the schema `text2sql` unless another one is named. Tables whose names begin with `_` belong to the extension alone.\n'
UNION ALL
SELECT part FROM (
    SELECT l.schema_name, l.relname,
           format(E'## %s\n\n%s\n\n%s\n\nMay be read by: %s.\n',
                  CASE l.schema_name WHEN 'text2sql' THEN '' ELSE l.schema_name || '.' END || l.relname,
                  CASE l.relkind WHEN 'r' THEN 'Table: ' ELSE 'View: ' END || lower(left(l.comment, 1)) || rtrim(substr(l.comment, 2), '.') || '.',
                  -- A table where columns have comments, else a list.
                  (SELECT CASE WHEN count(comment) > 0
                               THEN E'| column | type | meaning |\n|---|---|---|\n' ||
                                    string_agg(format('| `%s` | %s | %s |', a.attname, a.type_name, replace(coalesce(a.comment, ''), '|', '\|')), E'\n' ORDER BY a.attnum)
                               ELSE 'Columns: ' || string_agg(format('`%s` %s', a.attname, a.type_name), ', ' ORDER BY a.attnum) || '.' END
                     FROM (SELECT a.attname, a.attnum, format_type(a.atttypid, a.atttypmod) AS type_name, col_description(l.oid, a.attnum) AS comment
                             FROM pg_attribute a WHERE a.attrelid = l.oid AND a.attnum > 0 AND NOT a.attisdropped) AS a),
                  CASE WHEN 'usage' = ANY (l.audiences) THEN 'roles with access'
                       WHEN 'curator' = ANY (l.audiences) THEN 'roles with access as curator'
                       WHEN 'approver' = ANY (l.audiences) THEN 'roles with access as approver'
                       WHEN 'evaluation' = ANY (l.audiences) THEN 'roles with access for evaluation'
                       ELSE 'superusers and the owner of the extension' END) AS part
      FROM listed l
     ORDER BY l.schema_name, l.relname
) AS parts;
