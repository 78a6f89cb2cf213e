-- Cancels a question that waits or is being answered. Called by src/pg/stored/queue/store.rs as the owner of the table, with
--   $1 bigint   the question
--   $2 oid      the role that asked
--   $3 boolean  whether the caller may cancel the questions of others
WITH cancelled AS (
    UPDATE text2sql._submitted AS q
       SET state = 'cancelled', finished_at = clock_timestamp()
     WHERE q.id = $1 AND (q.asked_by = $2 OR $3) AND q.state IN ('waiting', 'running')
    RETURNING q.id
), forgotten AS (
    DELETE FROM text2sql._submitted_settings AS s USING cancelled AS c WHERE s.id = c.id
)
SELECT pg_notify('text2sql_answers', c.id::text) FROM cancelled AS c
