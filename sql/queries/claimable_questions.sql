-- Questions that a process of a role may take: those that wait, and those that were being answered, of which the caller
-- finds out by their locks whether somebody still does. Called by src/pg/stored/queue/store.rs as the owner of the table, with
--   $1 oid     the role that logged in
--   $2 bigint  the scope of a batch; NULL for questions of submit()
--   $3 bigint  how many
SELECT q.id
  FROM text2sql._submitted AS q
 WHERE q.session_role = $1 AND q.state IN ('waiting', 'running')
   AND q.not_before <= clock_timestamp()
   -- A question that ended several processes waits longer each time.
   AND (q.attempts <= 3 OR q.started_at + least(2 ^ (q.attempts - 3), 600) * interval '1 second' <= clock_timestamp())
   AND CASE WHEN $2 IS NULL THEN q.batch IS NULL ELSE hashtextextended(q.batch, q.asked_by::bigint) = $2 END
   -- The questions of a conversation are answered in their order.
   AND (q.conversation IS NULL OR NOT EXISTS (
        SELECT FROM text2sql._submitted AS earlier
         WHERE earlier.asked_by = q.asked_by AND earlier.conversation = q.conversation
           AND earlier.state IN ('waiting', 'running') AND earlier.id < q.id))
 ORDER BY q.id
 LIMIT $3
