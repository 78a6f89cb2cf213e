-- The latest turns of a conversation that a question may continue, oldest first. Called by
-- src/pg/stored/record/conversation.rs as the owner of the table, with
--   $1 oid   the role
--   $2 text  the conversation
--   $3 int   the maximum number
SELECT t.question, t.standalone, t.sql, t.readings, t.egress, t.meaning::text
  FROM (SELECT *
          FROM text2sql._conversation_turns
         WHERE asked_by = pg_get_userbyid($1) AND conversation = $2
           AND (status IN ('ok', 'ambiguous') OR status = 'unanswerable' AND readings <> '{}')
         ORDER BY turn_id DESC
         LIMIT $3) AS t
 ORDER BY t.turn_id
