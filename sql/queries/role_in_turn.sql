-- The role whose turn it is among those that have a question of submit() which a worker could take now: the one that was
-- served longest ago, never the role $1 (oid). Questions that are answered count, so that a role with many questions does not
-- go first again. With $2 (boolean), any such role; else only one that was served longer ago than the role $1. Called by
-- src/pg/stored/queue/store.rs as the owner of the table; what a worker can take is said in claimable_questions.sql.
SELECT waiting.session_role
  FROM (SELECT DISTINCT q.session_role
          FROM text2sql._submitted AS q
         WHERE q.state = 'waiting' AND q.batch IS NULL AND q.session_role <> $1
           AND q.not_before <= clock_timestamp()
           AND (q.attempts <= 3 OR q.started_at + least(2 ^ (q.attempts - 3), 600) * interval '1 second' <= clock_timestamp())
           AND (q.conversation IS NULL OR NOT EXISTS (
                SELECT FROM text2sql._submitted AS earlier
                 WHERE earlier.asked_by = q.asked_by AND earlier.conversation = q.conversation
                   AND earlier.state IN ('waiting', 'running') AND earlier.id < q.id))) AS waiting
 CROSS JOIN LATERAL (
       SELECT coalesce(max(q.started_at), '-infinity') AS at FROM text2sql._submitted AS q
        WHERE q.session_role = waiting.session_role) AS served
 WHERE $2 OR served.at < (SELECT coalesce(max(q.started_at), '-infinity') FROM text2sql._submitted AS q WHERE q.session_role = $1)
 ORDER BY served.at, waiting.session_role
 LIMIT 1
