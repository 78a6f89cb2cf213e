-- Deletes the turns of a conversation of one role and returns their questions. Called by
-- src/pg/stored/record/conversation.rs as the owner of the table, with
--   $1 oid   the role
--   $2 text  the conversation
WITH deleted AS (
    DELETE FROM text2sql._conversation_turns
     WHERE asked_by = pg_get_userbyid($1) AND conversation = $2
    RETURNING turn_id, question
)
SELECT question FROM deleted ORDER BY turn_id
