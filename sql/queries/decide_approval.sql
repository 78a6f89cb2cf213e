-- Decides about a query that waits, and returns what it was, as JSON; no row where there is none. Called by
-- src/pg/stored/record/approvals.rs as the owner, with
--   $1 bigint         its id
--   $2, $3 oid        the role that decides, and the role that logged in
--   $4 text           approved or rejected
--   $5 text           the reason
--   $6 integer        the minutes for which an approval is valid
--
-- A question is never decided by the person who asked it. A login that may ask counts as one person, whatever role it
-- has set; one that may not, such as that of a connection pool, is used by several people. A superuser may do anything.
WITH found AS MATERIALIZED (
    SELECT a.id, a.question, coalesce(a.standalone, a.question) AS complete, a.sql, a.relations, a.search_path, a.asked_by, a.decided_by,
           CASE WHEN a.status <> 'rejected' AND a.expires_at <= clock_timestamp() THEN 'expired' ELSE a.status END AS status,
           pg_get_userbyid($2) IN (a.asked_by, a.session_role)
           OR pg_get_userbyid($3) = a.asked_by
           OR (pg_get_userbyid($3) = a.session_role
               AND has_schema_privilege($3, 'text2sql', 'USAGE')
               AND NOT (SELECT r.rolsuper FROM pg_roles AS r WHERE r.oid = $3)) AS is_own
      FROM text2sql._approvals AS a
     WHERE a.id = $1
       FOR UPDATE
), decided AS (
    UPDATE text2sql._approvals AS a
       SET status = $4, reason = $5, decided_by = pg_get_userbyid($2), decided_at = clock_timestamp(),
           expires_at = clock_timestamp() + make_interval(mins => $6)
      FROM found
     WHERE a.id = found.id AND found.status = 'waiting' AND NOT found.is_own
    RETURNING a.id
)
SELECT json_build_object('status', found.status, 'is_own', found.is_own, 'asked_by', found.asked_by,
                         'decided_by', found.decided_by, 'question', found.complete, 'sql', found.sql,
                         'relations', to_json(found.relations::int8[]), 'search_path', found.search_path)::text
  FROM found
