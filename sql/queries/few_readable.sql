-- Tables that the role $1 (oid) may be able to read, when they are few: at most $2 (bigint) of them; no row
-- where the role's own grants do not determine that. Run by src/pg/search/search_index/readable_tables.rs.
--
-- Ownership and grants are in pg_shdepend, by role; what PUBLIC can read is recorded in the search index, and
-- what has changed since in its list of changes. Predefined roles have no entries in pg_shdepend, and the owner
-- of the database is a member of one of them.
WITH RECURSIVE roles(oid) AS (
    SELECT $1
    UNION
    SELECT m.roleid FROM roles JOIN pg_auth_members m ON m.member = roles.oid
), database AS MATERIALIZED (
    SELECT d.oid, d.datdba FROM pg_database d WHERE d.datname = current_database()
), told AS MATERIALIZED (
    SELECT NOT EXISTS (SELECT FROM roles r WHERE r.oid < 16384)
       AND NOT EXISTS (SELECT FROM roles r JOIN database ON database.datdba = r.oid)
       AND NOT EXISTS (SELECT FROM text2sql._index_changes c WHERE c.relation = 0)
       -- Beyond this number nothing is recorded any more.
       AND (SELECT count(*) < 1000 FROM (SELECT FROM text2sql._index_changes LIMIT 1000) AS noted) AS completely
), granted AS (
    SELECT d.objid AS oid
    FROM roles r
    CROSS JOIN LATERAL (
        SELECT s.objid FROM pg_shdepend s
        WHERE s.refclassid = 'pg_authid'::regclass AND s.refobjid = r.oid
          AND s.dbid = (SELECT oid FROM database) AND s.classid = 'pg_class'::regclass
        LIMIT $2 + 1
    ) AS d
    WHERE (SELECT completely FROM told)
    LIMIT $2 + 1
), public AS (
    SELECT d.item AS oid FROM text2sql._index_documents d
    WHERE d.collection = 's' AND d.is_public AND (SELECT completely FROM told)
    LIMIT $2 + 1
), possible AS MATERIALIZED (
    SELECT oid FROM granted
    UNION
    SELECT oid FROM public
    UNION
    SELECT c.relation FROM text2sql._index_changes c WHERE (SELECT completely FROM told)
)
SELECT coalesce(array_agg(possible.oid), '{}')
FROM possible JOIN pg_class c ON c.oid = possible.oid
-- The same as in list_tables.sql: no views of the extension, which every caller can read.
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relnamespace NOT IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace)
HAVING (SELECT completely FROM told) AND count(*) <= $2
