-- Stores a question that waits. Called by src/pg/stored/queue/store.rs as the owner of the table, with
--   $1 oid   the role that asks, $2 oid the role that logged in
--   $3 text  the question, $4 text its conversation, $5 json the options of the call
--   $6 json  the settings of the session
WITH submitted AS (
    INSERT INTO text2sql._submitted (asked_by, session_role, question, conversation, options)
    VALUES ($1, $2, $3, $4, $5)
    RETURNING id
), with_settings AS (
    INSERT INTO text2sql._submitted_settings (id, settings) SELECT s.id, $6 FROM submitted AS s
)
SELECT s.id FROM submitted AS s
