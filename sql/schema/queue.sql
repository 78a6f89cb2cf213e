-- Questions that are answered in the background, and batches of questions. Run once by CREATE EXTENSION.
--
-- Only the library writes the tables, as their owner (src/pg/stored/queue/store.rs). A question waits as an ordinary row, so it
-- holds no connection and no snapshot, and survives a restart. Who answers it holds a lock that ends with its process
-- (src/pg/stored/queue/locks.rs): no row has a lease that could run out while somebody still works.
--
-- Roles are stored by OID: a role that is created later with the name of a dropped one must neither read its questions nor
-- have them answered with its rights. No dump has these tables, because a question that waits in one server must not be
-- asked, and paid for, by a copy of it; and a dump can leave out the tables that the rows of an answer are from.

CREATE TABLE text2sql._submitted (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- The role whose rights it is answered with, and the role that logged in.
    asked_by oid NOT NULL,
    session_role oid NOT NULL,
    question text,
    conversation text,
    options json NOT NULL,
    batch text,
    key text,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
    submitted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at timestamptz,
    finished_at timestamptz,
    not_before timestamptz NOT NULL DEFAULT '-infinity',
    -- How often a process began to answer it, without those that gave it back.
    attempts integer NOT NULL DEFAULT 0,
    status text,
    sqlstate text,
    trace_id uuid
);
CREATE INDEX ON text2sql._submitted (session_role, id) WHERE state IN ('waiting', 'running');
CREATE INDEX ON text2sql._submitted (asked_by, batch) WHERE batch IS NOT NULL;
CREATE INDEX ON text2sql._submitted (asked_by, conversation, id) WHERE conversation IS NOT NULL AND state IN ('waiting', 'running');
CREATE INDEX ON text2sql._submitted (submitted_at);

-- A role sees what it asked; a role that may delete the history sees all questions, and no answer.
ALTER TABLE text2sql._submitted ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_or_curated ON text2sql._submitted FOR SELECT USING (
    asked_by OPERATOR(pg_catalog.=) (SELECT r.oid FROM pg_catalog.pg_roles AS r WHERE r.rolname OPERATOR(pg_catalog.=) current_user)
    OR pg_catalog.has_function_privilege('text2sql.drop_history(interval)', 'EXECUTE'));

-- The settings of the session that asked, until the question is answered. A setting of an application may hold a secret:
-- nobody but the owner may read them.
CREATE TABLE text2sql._submitted_settings (
    id bigint PRIMARY KEY REFERENCES text2sql._submitted ON DELETE CASCADE,
    settings json NOT NULL
);
-- There is deliberately no policy: members of pg_read_all_data see no row either.
ALTER TABLE text2sql._submitted_settings ENABLE ROW LEVEL SECURITY;

-- Answers, on the terms of _kept_answers: shown only to the role that asked, and only while it could still run each query, and
-- read each document and column that is cited.
CREATE TABLE text2sql._answers (
    id bigint PRIMARY KEY REFERENCES text2sql._submitted ON DELETE CASCADE,
    asked_by oid NOT NULL,
    queries text[] NOT NULL,
    -- Under which the queries were written, and what their names meant.
    search_path text NOT NULL,
    relations text[] NOT NULL DEFAULT '{}',
    answer text,
    sql text,
    result_columns json,
    result_rows json,
    row_count bigint,
    truncated boolean,
    confidence double precision,
    score json,
    plan text,
    engine text,
    warnings text[],
    withheld text[],
    clarification json,
    results json,
    citations json,
    verified_by text
);
ALTER TABLE text2sql._answers ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_and_readable ON text2sql._answers FOR SELECT USING (
    asked_by OPERATOR(pg_catalog.=) (SELECT r.oid FROM pg_catalog.pg_roles AS r WHERE r.rolname OPERATOR(pg_catalog.=) current_user)
    AND NOT EXISTS (
        SELECT FROM pg_catalog.json_array_elements(citations) AS c(cited)
         WHERE (cited OPERATOR(pg_catalog.->>) 'document') IS NOT NULL AND NOT EXISTS (
               SELECT FROM text2sql._documents AS d WHERE d.id OPERATOR(pg_catalog.=) (cited OPERATOR(pg_catalog.->>) 'document')::bigint))
    AND text2sql._relations_of(queries, search_path, true) OPERATOR(pg_catalog.=) relations);

CREATE VIEW text2sql.answers WITH (security_invoker = true) AS
SELECT q.id, q.state, q.batch, q.key, q.question, q.conversation,
       q.status, a.answer, a.sql, a.result_columns, a.result_rows, a.row_count, a.truncated, a.confidence, a.score, a.plan, a.engine,
       a.warnings, a.withheld, a.clarification, a.results, a.citations, a.verified_by, q.trace_id, q.sqlstate,
       pg_catalog.pg_get_userbyid(q.asked_by) AS asked_by, pg_catalog.pg_get_userbyid(q.session_role) AS session_role,
       q.submitted_at, q.started_at, q.finished_at, q.attempts
  FROM text2sql._submitted AS q
  LEFT JOIN text2sql._answers AS a ON a.id = q.id;

COMMENT ON FUNCTION text2sql.submit(text, text, jsonb) IS
    'Submits a question, which is answered in the background with the rights and the settings of the caller. Returns its id in the view answers; NOTIFY text2sql_answers tells when it is answered. Example: SELECT text2sql.submit(''How many orders are there?'').';
COMMENT ON FUNCTION text2sql.cancel(bigint) IS
    'Cancels a question of submit() or ask_batch() that waits or is being answered. Returns whether it did.';
COMMENT ON PROCEDURE text2sql.work(integer) IS
    'Has the submitted questions of all roles that the caller may become answered, at most so many at a time, and waits for them. Example: CALL text2sql.work().';
COMMENT ON PROCEDURE text2sql.ask_batch(text, text, jsonb, integer) IS
    'Asks the questions that a query returns, several at a time, and keeps the answers under the name of the batch in the view answers. Called again, it asks what has no answer. Example: CALL text2sql.ask_batch(''SELECT id, question FROM questions'', ''monday'').';
COMMENT ON FUNCTION text2sql._questions(text) IS
    'Runs a query that returns questions, behind the guard and with the rights of the caller.';
COMMENT ON VIEW text2sql.answers IS
    'Questions of submit() and ask_batch() with their answers: those of the caller. A role that may delete the history sees the questions of all roles.';
COMMENT ON COLUMN text2sql.answers.id IS 'Identifies the question: cancel(id), forget(''answer'', id). It is the payload of NOTIFY text2sql_answers.';
COMMENT ON COLUMN text2sql.answers.state IS 'waiting, running, done, failed (see answer), or cancelled.';
COMMENT ON COLUMN text2sql.answers.batch IS 'The batch of ask_batch(); NULL for a question of submit().';
COMMENT ON COLUMN text2sql.answers.key IS 'The key of the question in its batch.';
COMMENT ON COLUMN text2sql.answers.question IS 'The question.';
COMMENT ON COLUMN text2sql.answers.conversation IS 'The conversation that it belongs to.';
COMMENT ON COLUMN text2sql.answers.status IS 'The status of the answer, as ask() returns it. With waiting, its query waits for approval.';
COMMENT ON COLUMN text2sql.answers.answer IS 'The sentence of the answer, or why there is none. This and the columns up to verified_by are those of ask(); they are NULL where the caller could not run the query, or read what is cited, any more.';
COMMENT ON COLUMN text2sql.answers.sql IS 'The query.';
COMMENT ON COLUMN text2sql.answers.result_columns IS 'Names and types of the columns of the result.';
COMMENT ON COLUMN text2sql.answers.result_rows IS 'The rows of the result.';
COMMENT ON COLUMN text2sql.answers.row_count IS 'Number of rows.';
COMMENT ON COLUMN text2sql.answers.truncated IS 'Whether the query had more rows.';
COMMENT ON COLUMN text2sql.answers.confidence IS 'How likely the answer is right, where that was measured.';
COMMENT ON COLUMN text2sql.answers.score IS 'The score of the query.';
COMMENT ON COLUMN text2sql.answers.plan IS 'What the query does, in words.';
COMMENT ON COLUMN text2sql.answers.engine IS 'What wrote the query.';
COMMENT ON COLUMN text2sql.answers.warnings IS 'What the reader should know.';
COMMENT ON COLUMN text2sql.answers.withheld IS 'What was withheld from the model.';
COMMENT ON COLUMN text2sql.answers.clarification IS 'The readings of an ambiguous question.';
COMMENT ON COLUMN text2sql.answers.results IS 'The result of each part, where the question consisted of several.';
COMMENT ON COLUMN text2sql.answers.citations IS 'The passages that the answer cites.';
COMMENT ON COLUMN text2sql.answers.verified_by IS 'Who verified the example that answered.';
COMMENT ON COLUMN text2sql.answers.trace_id IS 'Identifies the question in the history.';
COMMENT ON COLUMN text2sql.answers.sqlstate IS 'The SQLSTATE, where the status is not ok.';
COMMENT ON COLUMN text2sql.answers.asked_by IS 'The role whose rights it is answered with.';
COMMENT ON COLUMN text2sql.answers.session_role IS 'The role that logged in.';
COMMENT ON COLUMN text2sql.answers.submitted_at IS 'When it was submitted.';
COMMENT ON COLUMN text2sql.answers.started_at IS 'When a process began to answer it, the last time.';
COMMENT ON COLUMN text2sql.answers.finished_at IS 'When it was answered, failed or was cancelled.';
COMMENT ON COLUMN text2sql.answers.attempts IS 'How often a process began to answer it; more than one where processes ended meanwhile.';
COMMENT ON TABLE text2sql._submitted IS 'Questions of the view text2sql.answers.';
COMMENT ON TABLE text2sql._submitted_settings IS 'Settings of the sessions that submitted questions, until these are answered.';
COMMENT ON TABLE text2sql._answers IS 'Answers of the view text2sql.answers.';
