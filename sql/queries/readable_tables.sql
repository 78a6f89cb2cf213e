-- The relations that questions may use: included by the catalog queries in place of %READABLE%, after a CTE
-- `candidate(oid, …)`, whose further columns are passed through. The only definition of "readable", for the
-- current user; `PlainTable` in src/pg/access/catalog/privileges.rs recognizes tables for which it certainly holds,
-- without a query.
--
-- Partitions are folded into their parent. System catalogs, temporary tables that load_file() did not make
-- and the extension's own schema are never readable, except for the views that show permissions (no search finds those), and neither are views
-- that an extension owns, and the books that Citus keeps: they show the server's internals.
-- src/pg/access/catalog decides about foreign tables, and about what is out of scope or hidden (visibility.rs).
readable AS (
    SELECT candidate.*,
           CASE WHEN n.oid = pg_my_temp_schema() THEN 'pg_temp' ELSE n.nspname END AS schema_name,
           c.relname AS name,
           c.relkind AS kind,
           c.relnamespace AS schema_oid,
           c.reltuples AS planner_rows,
           has_table_privilege(c.oid, 'SELECT') AS reads_every_column
    FROM candidate
    JOIN pg_class c ON c.oid = candidate.oid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
      AND NOT c.relispartition
      -- A materialized view without data only raises an error.
      AND c.relispopulated
      AND (n.nspname NOT LIKE 'pg\_%' OR n.oid = pg_my_temp_schema() AND text2sql._is_loaded(c.oid))
      AND n.nspname NOT IN ('information_schema', 'text2sql_eval', 'text2sql_perturbed')
      AND (n.nspname <> 'text2sql' OR c.relname IN ('permissions', 'roles', 'access'))
      AND has_schema_privilege(n.oid, 'USAGE')
      -- Like has_any_column_privilege, which takes ten times as long where there is no such privilege.
      AND (has_table_privilege(c.oid, 'SELECT') OR EXISTS (
          SELECT FROM pg_attribute granted
          WHERE granted.attrelid = c.oid AND granted.attnum > 0 AND granted.attacl IS NOT NULL
            AND has_column_privilege(c.oid, granted.attnum, 'SELECT')))
      AND NOT ((c.relkind = 'v' AND n.nspname <> 'text2sql' OR n.nspname IN ('columnar', 'columnar_internal', 'citus', 'citus_internal'))
          AND EXISTS (
          SELECT FROM pg_depend d
          WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))
)
