-- Questions that go on from earlier ones, by the built-in engine; what is kept of them.
SET ROLE regress_analyst;
\pset null '∅'
SELECT status, rows FROM text2sql.ask('How many customers are in Germany?', conversation => 'monday');
SELECT status, rows, warnings FROM text2sql.ask('and in France?', conversation => 'monday');
SELECT * FROM text2sql.show('why so few?', 'monday');
-- Without the conversation it is no question.
SELECT status FROM text2sql.ask('and in France?');
SELECT conversation, turns, first_question FROM text2sql.conversations;
SELECT conversation, question, standalone, status, egress FROM text2sql.conversation_turns ORDER BY turn_id;
SELECT turn ->> 'question' AS question, turn ->> 'status' AS status
FROM json_array_elements(text2sql.export_conversation('monday') -> 'turns') AS turn;
SELECT text2sql.export_conversation('nothing');
SELECT conversation, count(*) FROM text2sql.history WHERE conversation IS NOT NULL GROUP BY conversation;
SELECT text2sql.drop_conversation('monday'), text2sql.drop_conversation('monday');
SELECT count(*) FROM text2sql.conversations;
-- A name that is none.
SELECT status FROM text2sql.ask('How many customers?', conversation => '');
\echo :SQLSTATE
-- Turns are the asker's own, and nobody writes them.
INSERT INTO text2sql._conversation_turns (asked_by, conversation, trace_id, question, status, readings, egress)
VALUES ('regress_analyst', 'monday', '00000000-0000-0000-0000-000000000000', 'x', 'ok', '{}', 'rows');
UPDATE text2sql._conversation_turns SET question = 'x';
SET ROLE regress_nobody;
SELECT text2sql.export_conversation('monday');
