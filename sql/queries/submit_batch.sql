-- Stores the questions of a batch that have no row in it. Called by src/pg/stored/queue/store.rs as the owner of the table, who
-- has deleted the rows of questions that are to be asked again, with
--   $1 oid     the role that asks, $2 oid the role that logged in
--   $3 text    the batch, $4 json the options of the call, $5 json the settings of the session
--   $6 text[]  the keys, $7 text[] the questions
WITH given AS (
    SELECT DISTINCT ON (g.key) g.key, g.question, g.number
      FROM unnest($6, $7) WITH ORDINALITY AS g(key, question, number)
     ORDER BY g.key, g.number
), submitted AS (
    INSERT INTO text2sql._submitted (asked_by, session_role, question, options, batch, key)
    SELECT $1, $2, g.question, $4, $3, g.key
      FROM given AS g
     WHERE NOT EXISTS (SELECT FROM text2sql._submitted AS q WHERE q.asked_by = $1 AND q.batch = $3 AND q.key = g.key)
     ORDER BY g.number
    RETURNING id
), with_settings AS (
    INSERT INTO text2sql._submitted_settings (id, settings) SELECT s.id, $5 FROM submitted AS s
)
SELECT count(*) FROM submitted
