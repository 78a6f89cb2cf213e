-- Deletes at most 1,000 questions older than $1 days, and as many turns of conversations. Called by
-- src/pg/history.rs as the owner.
WITH turns AS (
    DELETE FROM text2sql.conversation_turns
     WHERE turn_id IN (
        SELECT t.turn_id FROM text2sql.conversation_turns AS t
         WHERE t.asked_at < clock_timestamp() - make_interval(days => $1)
         ORDER BY t.asked_at
         LIMIT 1000)
), purged AS (
    DELETE FROM text2sql.history
     WHERE trace_id IN (
        SELECT h.trace_id FROM text2sql.history AS h
         WHERE h.asked_at < clock_timestamp() - make_interval(days => $1)
         ORDER BY h.asked_at
         LIMIT 1000)
    RETURNING trace_id
)
DELETE FROM text2sql.egress_log AS e USING purged WHERE e.trace_id = purged.trace_id
