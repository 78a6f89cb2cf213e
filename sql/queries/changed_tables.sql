-- Compares every table that belongs in the search index with the content of the index, and returns the
-- differences. Run only by refresh(), in src/pg/search/refresh/: one pass over the catalogs, about a second for 10,000
-- tables of 20 columns. Rows: OID, fingerprint (NULL: no longer indexed), whether PUBLIC can read any column of
-- it, whether the document itself must be rebuilt.
WITH indexable AS MATERIALIZED (
    SELECT c.oid, n.nspname, c.relname, c.relkind, c.relacl
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND c.oid >= 16384
      AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval', 'text2sql_perturbed')
      AND NOT (c.relkind = 'v' AND EXISTS (
          SELECT FROM pg_depend d
          WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))
), columns AS (
    SELECT a.attrelid AS oid,
           sum(hashtextextended(concat_ws(' ', a.attnum, a.attname, a.atttypid, a.atttypmod), 1)) AS hash,
           bool_or(public_acl.may_read) AS is_public
    FROM pg_attribute a
    LEFT JOIN LATERAL (
        SELECT bool_or(acl.grantee = 0 AND acl.privilege_type = 'SELECT') AS may_read
        FROM aclexplode(a.attacl) AS acl
    ) AS public_acl ON a.attacl IS NOT NULL
    WHERE a.attrelid >= 16384 AND a.attnum > 0 AND NOT a.attisdropped
    GROUP BY a.attrelid
), labels AS (
    SELECT a.attrelid AS oid, sum(hashtextextended(concat_ws(' ', a.attnum, e.hash), 2)) AS hash
    FROM (SELECT enumtypid, sum(hashtextextended(concat_ws(' ', enumsortorder, enumlabel), 2)) AS hash
            FROM pg_enum GROUP BY enumtypid) AS e
    JOIN pg_type t ON t.oid = e.enumtypid
    JOIN pg_attribute a ON a.atttypid IN (t.oid, t.typarray)
    WHERE a.attnum > 0 AND NOT a.attisdropped
    GROUP BY a.attrelid
), comments AS (
    SELECT d.objoid AS oid, sum(hashtextextended(left(d.description, 4000), d.objsubid)) AS hash
    FROM pg_description d
    WHERE d.classoid = 'pg_class'::regclass AND d.objoid >= 16384
    GROUP BY d.objoid
), keys AS (
    SELECT k.conrelid AS oid,
           sum(hashtextextended(concat_ws(' ', k.oid, k.conkey::text, k.confrelid, k.confkey::text, target.relname), 3)) AS hash
    FROM pg_constraint k
    JOIN pg_class target ON target.oid = k.confrelid
    WHERE k.contype = 'f' AND k.conparentid = 0
    GROUP BY k.conrelid
), taught AS (
    SELECT object.oid, sum(object.hash) AS hash
    FROM (
        SELECT o.object_oid AS oid,
               hashtextextended(concat_ws(' ', o.column_number, a.description, a.value_meanings, a.synonyms::text), 5) AS hash
        FROM text2sql._annotations a
        CROSS JOIN LATERAL text2sql._resolve_objects(a.catalog, ARRAY[a.object_name], ARRAY[a.object_oid], ARRAY[a.column_number]) AS o
        UNION ALL
        SELECT o.object_oid, hashtextextended(concat_ws(' ', j.id, j.object_names::text), 6)
        FROM text2sql._joins j
        CROSS JOIN LATERAL text2sql._resolve_objects(j.catalog, j.object_names, j.object_oids, j.column_numbers) AS o
        WHERE j.status = 'accepted'
    ) AS object
    GROUP BY object.oid
), protected AS (
    -- Hidden columns are not embedded.
    SELECT a.attrelid AS oid, sum(hashtextextended(concat_ws(' ', a.attnum, level.name), 7)) AS hash
    FROM indexable i
    JOIN pg_attribute a ON a.attrelid = i.oid
    CROSS JOIN LATERAL (SELECT text2sql._protection(a.attrelid, a.attnum) AS name) AS level
    WHERE (SELECT EXISTS (SELECT FROM text2sql._protections))
      AND a.attnum > 0 AND NOT a.attisdropped AND level.name <> 'open'
    GROUP BY a.attrelid
), now AS (
    SELECT i.oid,
           hashtextextended(concat_ws(' ', i.nspname, i.relname, i.relkind, columns.hash, labels.hash,
                                      comments.hash, keys.hash, taught.hash, protected.hash), 4) AS fingerprint,
           coalesce(columns.is_public, false) OR EXISTS (
               SELECT FROM aclexplode(i.relacl) AS acl
               WHERE acl.grantee = 0 AND acl.privilege_type = 'SELECT') AS is_public
    FROM indexable i
    LEFT JOIN columns USING (oid)
    LEFT JOIN labels USING (oid)
    LEFT JOIN comments USING (oid)
    LEFT JOIN keys USING (oid)
    LEFT JOIN taught USING (oid)
    LEFT JOIN protected USING (oid)
)
SELECT coalesce(now.oid, known.item), now.fingerprint, coalesce(now.is_public, false),
       known.item IS NULL OR now.fingerprint IS DISTINCT FROM known.fingerprint OR NOT known.is_embedded
FROM now
FULL JOIN (SELECT * FROM text2sql._index_documents WHERE collection = 's') AS known ON known.item = now.oid
WHERE now.fingerprint IS DISTINCT FROM known.fingerprint
   OR now.is_public IS DISTINCT FROM known.is_public
   OR NOT known.is_embedded
ORDER BY 1
