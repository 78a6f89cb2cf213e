-- Stores a turn of a conversation, and deletes old ones: those beyond the last 200 of a conversation and beyond
-- 10,000 of a role. Returns its id. Called by src/pg/stored/record/conversation.rs as the owner of the table, with
--   $1 text  the JSON document of a turn
WITH given AS (
    SELECT pg_get_userbyid(r.asker) AS asked_by, r.*
      FROM json_to_record($1::json) AS r(
        asker oid, conversation text, trace_id uuid, question text, standalone text, status text,
        sql text, readings json, egress text, meaning jsonb)
), long AS (
    DELETE FROM text2sql._conversation_turns
     WHERE turn_id IN (
        SELECT t.turn_id FROM text2sql._conversation_turns AS t, given
         WHERE t.asked_by = given.asked_by AND t.conversation = given.conversation
         ORDER BY t.turn_id DESC OFFSET 199)
), many AS (
    DELETE FROM text2sql._conversation_turns
     WHERE turn_id IN (
        SELECT t.turn_id FROM text2sql._conversation_turns AS t, given
         WHERE t.asked_by = given.asked_by
         ORDER BY t.turn_id DESC OFFSET 9999)
)
INSERT INTO text2sql._conversation_turns (
    asked_by, conversation, trace_id, question, standalone, status, sql, readings, egress, meaning, title, is_pinned)
SELECT given.asked_by, given.conversation, given.trace_id, given.question, given.standalone, given.status, given.sql,
       ARRAY(SELECT json_array_elements_text(given.readings)), given.egress, given.meaning, former.title, coalesce(former.is_pinned, false)
  FROM given
  -- The conversation keeps its name.
  LEFT JOIN LATERAL (
        SELECT t.title, t.is_pinned FROM text2sql._conversation_turns AS t
         WHERE t.asked_by = given.asked_by AND t.conversation = given.conversation
         ORDER BY t.turn_id DESC LIMIT 1) AS former ON true
RETURNING turn_id
