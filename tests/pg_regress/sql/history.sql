-- Every question is recorded: visible to its role, all of them to a curator, and not writable.
SET text2sql.model = 'replay';
SELECT count(*) >= 0 AS deleted FROM text2sql.drop_history('0 days');
SET ROLE regress_analyst;
SELECT status FROM text2sql.ask('How many customers?');
SELECT status FROM text2sql.ask('Repair me');
SELECT status FROM text2sql.ask('Who is best?');
SELECT status FROM text2sql.ask('Do harm');
SELECT * FROM text2sql.ask_rows('How many customers?') AS t(customers bigint);
SELECT function, question, status, sqlstate, sql, row_count, truncated, model, model_calls, prompt_chars > 1000 AS prompted
FROM text2sql.history ORDER BY asked_at;
-- The trace of one question, stage by stage.
SELECT t.step, t.stage, t.milliseconds >= 0 AS timed, t.input, t.output - 'score' AS output
FROM text2sql.history AS h, text2sql.trace(h.trace_id) AS t
WHERE h.question = 'Repair me' AND t.stage NOT IN ('retrieve', 'prompt') ORDER BY t.step;
-- A recorded reply sends nothing to an endpoint.
SELECT count(*) FROM text2sql.egress_log;
SELECT asked_by, model, count(*) AS questions, count(*) FILTER (WHERE status = 'ok') AS answered, sum(model_calls) AS model_calls FROM text2sql.history GROUP BY 1, 2;
-- No role can forge or erase records.
INSERT INTO text2sql.history (trace_id) VALUES (gen_random_uuid());
UPDATE text2sql.history SET question = 'never asked';
DELETE FROM text2sql.egress_log;
SELECT text2sql.drop_history();
RESET ROLE;
CREATE ROLE regress_other;
SELECT text2sql.grant_access('regress_other');
SET ROLE regress_other;
SELECT count(*) FROM text2sql.history;
SELECT count(*) FROM text2sql.trace((SELECT trace_id FROM text2sql.history LIMIT 1));
RESET ROLE;
GRANT EXECUTE ON FUNCTION text2sql.drop_history(interval) TO regress_other;
SET ROLE regress_other;
SELECT count(*) FROM text2sql.history;
RESET ROLE;
-- What a question was asked without is recorded with its settings.
SELECT status FROM text2sql.ask('How many customers?', options => '{"without": ["examples", "judge"]}');
SELECT question, settings -> 'without' AS without FROM text2sql.history WHERE settings ->> 'without' IS NOT NULL;
-- A read-only transaction writes no record and raises no error; the same holds where the history is disabled.
BEGIN READ ONLY;
SELECT status FROM text2sql.ask('How many customers?');
COMMIT;
SET text2sql.enable_history = off;
SELECT status FROM text2sql.ask('How many customers?');
RESET text2sql.enable_history;
SET ROLE regress_analyst;
SET text2sql.enable_history = off;
RESET ROLE;
SELECT text2sql.drop_history('0 days') AS deleted;
DROP OWNED BY regress_other;
DROP ROLE regress_other;
