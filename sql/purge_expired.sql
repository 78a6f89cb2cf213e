-- Deletes at most 1,000 questions older than $1 days. Called by src/pg/history.rs as the owner.
DELETE FROM text2sql.history
 WHERE trace_id IN (
    SELECT h.trace_id FROM text2sql.history AS h
     WHERE h.asked_at < clock_timestamp() - make_interval(days => $1)
     ORDER BY h.asked_at
     LIMIT 1000)
