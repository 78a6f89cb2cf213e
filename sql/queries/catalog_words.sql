-- The names and descriptions of all tables that belong in the search index, for any role: by the words in them,
-- names are taken apart. Run only by refresh(), in src/pg/search/refresh/catalog_words.rs: one pass over the catalogs.
-- Nothing of what is hidden: a word of a hidden name must not explain another name. Rows: a text, how often it
-- occurs, whether it is a name.
WITH indexable AS MATERIALIZED (
    SELECT c.oid, c.relname
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND c.oid >= 16384
      AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval', 'text2sql_perturbed')
      AND NOT (c.relkind = 'v' AND EXISTS (
          SELECT FROM pg_depend d
          WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))
), protects AS MATERIALIZED (
    SELECT EXISTS (SELECT FROM text2sql._protections) AS is_any
), shown AS MATERIALIZED (
    SELECT i.oid, 0::int2 AS number, i.relname AS name
    FROM indexable i
    WHERE NOT (SELECT is_any FROM protects) OR text2sql._protection(i.oid, 0::int2) <> 'hidden'
    UNION ALL
    SELECT a.attrelid, a.attnum, a.attname
    FROM indexable i
    JOIN pg_attribute a ON a.attrelid = i.oid
    WHERE a.attnum > 0 AND NOT a.attisdropped
      AND (NOT (SELECT is_any FROM protects) OR text2sql._protection(a.attrelid, a.attnum) <> 'hidden')
)
SELECT s.name::text, count(*), true
FROM shown s
GROUP BY s.name
UNION ALL
-- As many as have 32 MB together.
SELECT said.text, 1, false
FROM (SELECT left(d.description, 4000) AS text,
             sum(octet_length(left(d.description, 4000))) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
      FROM pg_description d
      JOIN shown s ON s.oid = d.objoid AND s.number = d.objsubid
      WHERE d.classoid = 'pg_class'::regclass AND d.objoid >= 16384) AS said
WHERE said.bytes <= 32000000
UNION ALL
SELECT described.text, 1, false
FROM text2sql._annotations a
CROSS JOIN LATERAL text2sql._resolve_objects(a.catalog, ARRAY[a.object_name], ARRAY[a.object_oid], ARRAY[a.column_number]) AS o
JOIN shown s ON s.oid = o.object_oid AND s.number = o.column_number
CROSS JOIN LATERAL unnest(a.synonyms || a.description) AS described(text)
WHERE described.text IS NOT NULL
