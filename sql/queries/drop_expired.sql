-- Deletes at most 1,000 kept answers older than 30 days, at most 1,000 questions older than $1 minutes, at most 1,000 turns of conversations, at most 1,000
-- questions that waited for approval and no longer do, and at most 1,000 submitted questions with their answers. Called by
-- src/pg/stored/record/history.rs as the owner.
WITH kept AS (
    DELETE FROM text2sql._kept_answers
     WHERE turn_id IN (
        SELECT k.turn_id FROM text2sql._kept_answers AS k
         WHERE k.kept_at < clock_timestamp() - interval '30 days'
         ORDER BY k.kept_at
         LIMIT 1000)
), turns AS (
    DELETE FROM text2sql._conversation_turns
     WHERE turn_id IN (
        SELECT t.turn_id FROM text2sql._conversation_turns AS t
         WHERE t.asked_at < clock_timestamp() - make_interval(mins => $1)
         ORDER BY t.asked_at
         LIMIT 1000)
), waited AS (
    DELETE FROM text2sql._approvals
     WHERE id IN (
        SELECT a.id FROM text2sql._approvals AS a
         WHERE a.asked_at < clock_timestamp() - make_interval(mins => $1) AND a.expires_at < clock_timestamp()
         ORDER BY a.asked_at
         LIMIT 1000)
), submitted AS (
    DELETE FROM text2sql._submitted
     WHERE id IN (
        SELECT q.id FROM text2sql._submitted AS q
         WHERE q.submitted_at < clock_timestamp() - make_interval(mins => $1) AND q.state NOT IN ('waiting', 'running')
         ORDER BY q.submitted_at
         LIMIT 1000)
), deleted AS (
    DELETE FROM text2sql.history
     WHERE trace_id IN (
        SELECT h.trace_id FROM text2sql.history AS h
         WHERE h.asked_at < clock_timestamp() - make_interval(mins => $1)
         ORDER BY h.asked_at
         LIMIT 1000)
    RETURNING trace_id
)
DELETE FROM text2sql.egress_log AS e USING deleted WHERE e.trace_id = deleted.trace_id
