-- The roles that logged in and have questions that are not answered, the one that was served longest ago first, and those
-- that were put off last, with the number of these questions. Called by src/pg/stored/queue/store.rs as the owner of the table, with
--   $1 oid     the role that has to be allowed to become them; NULL for all
--   $2 text    the privilege on a role that SET ROLE needs
--   $3 bigint  the scope of a batch; NULL for questions of submit()
--   $4 oid     the role that logged in: what a session has submitted itself may be answered at its call
SELECT q.session_role, count(*)
  FROM text2sql._submitted AS q
 WHERE q.state IN ('waiting', 'running')
   AND CASE WHEN $3 IS NULL THEN q.batch IS NULL ELSE hashtextextended(q.batch, q.asked_by::bigint) = $3 END
   AND ($1 IS NULL OR pg_has_role($1, q.session_role, $2) AND pg_has_role($1, q.asked_by, $2)
        OR q.asked_by = $1 AND q.session_role = $4)
 GROUP BY q.session_role
 ORDER BY max(q.not_before), max(q.started_at) NULLS FIRST, q.session_role
