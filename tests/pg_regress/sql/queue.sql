-- Questions that are answered in the background, and batches. Who answers them is a background worker, for which
-- CALL text2sql.work() waits; tests/server/tests/cluster/queue.rs is about cancels, crashes and rights.
\set SHOW_CONTEXT never
\pset null (null)
SET text2sql.model = 'replay';
SET ROLE regress_analyst;
SELECT text2sql.submit('How many customers?') AS submitted \gset
CALL text2sql.work();
SELECT state, status, answer, sql, result_columns, result_rows, row_count, truncated, engine, sqlstate, conversation, batch, key, asked_by,
       session_role = session_user AS by_this_login, attempts, finished_at >= started_at AS in_order
  FROM text2sql.answers WHERE id = :submitted;
-- What the history has of it.
SELECT h.function, h.status, h.asked_by FROM text2sql.history AS h JOIN text2sql.answers AS a USING (trace_id) WHERE a.id = :submitted;
-- A question without an answer.
SELECT text2sql.submit('What is the weather?') AS submitted \gset
CALL text2sql.work();
SELECT state, status, sqlstate FROM text2sql.answers WHERE id = :submitted;
-- A model that cannot be asked.
SELECT text2sql.submit('How many customers?', options => '{"model": "nowhere"}') AS submitted \gset
CALL text2sql.work(1);
SELECT state, status, answer, sqlstate FROM text2sql.answers WHERE id = :submitted;
SELECT text2sql.cancel(:submitted);
SELECT text2sql.forget('answer', :submitted);
SELECT text2sql.forget('answer', :submitted);
SELECT count(*) FROM text2sql.answers WHERE id = :submitted;
-- Misuse.
SELECT text2sql.submit('');
SELECT text2sql.submit(NULL);
SELECT text2sql.submit('How many customers?', options => '{"modle": "x"}');
SELECT text2sql.submit('How many customers?', conversation => ' ');
SELECT text2sql.cancel(NULL);
SELECT text2sql.cancel(0);
SELECT text2sql.forget('answer', 0);
CALL text2sql.work(0);
BEGIN;
CALL text2sql.work();
ROLLBACK;
BEGIN READ ONLY;
SELECT text2sql.submit('How many customers?');
ROLLBACK;
BEGIN READ ONLY;
SELECT text2sql.forget('answer', 1);
ROLLBACK;
-- What is rolled back was never submitted.
BEGIN;
SELECT text2sql.submit('How many customers?') > 0;
ROLLBACK;
SELECT count(*) FROM text2sql.answers WHERE state = 'waiting';

-- Questions of a query, one after another.
SELECT q.id, a.status, a.answer
  FROM (VALUES (1, 'How many customers?'), (2, NULL), (3, 'What is the weather?')) AS q(id, question), LATERAL text2sql.ask(q.question) AS a;

-- A batch: several at a time, kept under a name.
CALL text2sql.ask_batch('SELECT 1, 2, 3', 'wrong');
CALL text2sql.ask_batch('DELETE FROM customers', 'wrong');
CALL text2sql.ask_batch(NULL, 'wrong');
CALL text2sql.ask_batch('SELECT nothing FROM customers', 'wrong');
CALL text2sql.ask_batch($$VALUES (1, 'How many customers?'), (2, NULL), (3, 'What is the weather?')$$, 'monday', max_concurrency => 2);
SELECT key, question, state, status, answer FROM text2sql.answers WHERE batch = 'monday' ORDER BY id;
SELECT max(id) AS last FROM text2sql.answers \gset
-- Called again, it asks what failed, what is new, and what has changed.
CALL text2sql.ask_batch($$VALUES (1, 'How many customers?'), (2, 'How many customers?'), (3, 'What is the weather now?'), (4, 'How many customers?')$$, 'monday');
SELECT key, state, status, id > :last AS is_new FROM text2sql.answers WHERE batch = 'monday' ORDER BY key;
CALL text2sql.ask_batch($$VALUES (1, 'How many customers?'), (1, 'How many orders?')$$, 'tuesday');
CALL text2sql.ask_batch($$SELECT 'How many customers?'$$, NULL);
CALL text2sql.ask_batch($$SELECT 'How many customers?'$$, repeat('x', 201));
CALL text2sql.ask_batch($$SELECT 'How many customers?'$$, 'a', max_concurrency => -1);
BEGIN;
CALL text2sql.ask_batch($$SELECT 'How many customers?'$$, 'a');
ROLLBACK;

-- What cites a document is read by who may read the document.
RESET ROLE;
SELECT text2sql.add_document('Zebra policy', 'A zebra can be returned within 30 days.', readers => '{regress_analyst}') AS document \gset
SET ROLE regress_analyst;
SELECT text2sql.submit('What does the zebra policy say about returning zebras?', options => '{"model": "builtin"}') AS submitted \gset
CALL text2sql.work();
SELECT state, status, citations -> 0 ->> 'text' AS cited FROM text2sql.answers WHERE id = :submitted;
RESET ROLE;
SELECT text2sql.add_document(id => :document, readers => '{}') = :document AS shared;
SET ROLE regress_analyst;
SELECT state, status, answer, citations FROM text2sql.answers WHERE id = :submitted;
SELECT outcome FROM text2sql.forget('answer', :submitted);
RESET ROLE;
SELECT outcome FROM text2sql.forget('document', :document);
SET ROLE regress_analyst;

-- Another policy than that under which it was answered may hide rows of it.
SELECT text2sql.submit('How many customers?') AS submitted \gset
CALL text2sql.work();
SELECT state, result_rows FROM text2sql.answers WHERE id = :submitted;
RESET ROLE;
ALTER TABLE customers ENABLE ROW LEVEL SECURITY;
SET ROLE regress_analyst;
SELECT state, answer, result_rows FROM text2sql.answers WHERE id = :submitted;
RESET ROLE;
ALTER TABLE customers DISABLE ROW LEVEL SECURITY;
SET ROLE regress_analyst;
SELECT outcome FROM text2sql.forget('answer', :submitted);

-- No other role sees it, or has any privilege on what is stored.
SELECT settings FROM text2sql._submitted_settings;
UPDATE text2sql._submitted SET asked_by = 10;
SET ROLE regress_nobody;
SELECT text2sql.submit('How many customers?');
RESET ROLE;
SELECT count(*) FROM text2sql._submitted_settings;
SELECT text2sql.forget('answer', id) FROM (SELECT id FROM text2sql.answers WHERE asked_by = 'regress_analyst' AND batch IS NOT NULL ORDER BY id) AS own;
SELECT count(*) FROM text2sql._answers AS a WHERE NOT EXISTS (SELECT FROM text2sql._submitted AS q WHERE q.id = a.id);
-- The configuration file alone says how many workers there are.
SET text2sql.queue_workers = 4;
