-- What the extension owns, by name: two databases with the same extension print the same lines.
SELECT pg_catalog.pg_describe_object(classid, objid, objsubid)
FROM pg_catalog.pg_depend
WHERE refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
  AND refobjid = (SELECT oid FROM pg_catalog.pg_extension WHERE extname = 'pg_text2sql')
  AND deptype = 'e'
ORDER BY pg_catalog.pg_describe_object(classid, objid, objsubid) COLLATE "C";
