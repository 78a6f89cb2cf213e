-- Questions asked in conversations, so that a question can refer to earlier ones. Run once by
-- CREATE EXTENSION.
--
-- Written by the library, as the owner of the table (src/pg/stored/record/conversation.rs). A role sees, exports and
-- deletes its own turns only. Questions and SQL are stored: whether the SQL may still be run is checked whenever a
-- turn is used. Answers are kept in a table of their own, unless the role switches text2sql.keep_answers off.

CREATE TABLE text2sql._conversation_turns (
    turn_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    asked_by name NOT NULL,
    conversation text NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    trace_id uuid NOT NULL,
    question text NOT NULL,
    standalone text,
    status text NOT NULL,
    sql text,
    readings text[] NOT NULL,
    egress text NOT NULL CHECK (egress IN ('schema', 'values', 'rows')),
    -- Only where the built-in engine answered: a follow-up changes it.
    meaning jsonb,
    -- What the role calls the conversation, and whether it stands above the others: on each of its turns.
    title text,
    is_pinned boolean NOT NULL DEFAULT false
);
CREATE INDEX ON text2sql._conversation_turns (asked_by, conversation, turn_id);
CREATE INDEX ON text2sql._conversation_turns (asked_at);
SELECT pg_catalog.pg_extension_config_dump('text2sql._conversation_turns', '');
SELECT pg_catalog.pg_extension_config_dump('text2sql._conversation_turns_turn_id_seq', '');

ALTER TABLE text2sql._conversation_turns ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON text2sql._conversation_turns USING (asked_by OPERATOR(pg_catalog.=) current_user);

-- The sentence and the first rows of answers. They are shown only to the role that got them, and only while it could
-- still run each of the queries, over the same tables with the same policies and views: a revoked privilege, a column that
-- was hidden since, another policy or another view takes them away again. No dump
-- has them, because a dump can leave out the tables that the rows are from.
CREATE TABLE text2sql._kept_answers (
    turn_id bigint PRIMARY KEY REFERENCES text2sql._conversation_turns ON DELETE CASCADE,
    -- By OID: a later role of that name is somebody else.
    asker oid NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    queries text[] NOT NULL,
    -- Under which the queries were written, and what their names meant: another table may have the name later.
    search_path text NOT NULL,
    relations text[] NOT NULL DEFAULT '{}',
    answer text,
    result_columns json,
    result_rows json,
    row_count bigint,
    truncated boolean,
    results json,
    clarification json
);
CREATE INDEX ON text2sql._kept_answers (asker, turn_id);
CREATE INDEX ON text2sql._kept_answers (kept_at);
ALTER TABLE text2sql._kept_answers ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_and_readable ON text2sql._kept_answers FOR SELECT USING (
    asker OPERATOR(pg_catalog.=) (SELECT me.oid FROM pg_catalog.pg_roles AS me WHERE me.rolname OPERATOR(pg_catalog.=) current_user)
    AND text2sql._relations_of(queries, search_path, true) OPERATOR(pg_catalog.=) relations);
COMMENT ON TABLE text2sql._kept_answers IS 'Answers to questions of conversations, kept unless text2sql.keep_answers was off.';

CREATE VIEW text2sql.conversation_turns WITH (security_invoker = true) AS
SELECT t.conversation, t.turn_id, t.asked_at, t.trace_id, t.question, t.standalone, t.status, t.sql, t.readings, t.egress,
       k.answer, k.result_columns, k.result_rows, k.row_count, k.truncated, k.results, t.turn, t.is_last, t.title, t.is_pinned, k.clarification
  FROM (SELECT m.*, row_number() OVER (PARTITION BY m.conversation ORDER BY m.turn_id) AS turn,
               lead(m.turn_id) OVER (PARTITION BY m.conversation ORDER BY m.turn_id) IS NULL AS is_last
          FROM text2sql._conversation_turns AS m
         WHERE m.asked_by = current_user) AS t
  LEFT JOIN text2sql._kept_answers AS k ON k.turn_id = t.turn_id;
COMMENT ON VIEW text2sql.conversation_turns IS
    'Questions that the caller asked in conversations, with their SQL, and their answers unless text2sql.keep_answers was off.';
COMMENT ON COLUMN text2sql.conversation_turns.conversation IS 'The name of the conversation.';
COMMENT ON COLUMN text2sql.conversation_turns.turn_id IS 'Identifies the turn; later turns have greater ids.';
COMMENT ON COLUMN text2sql.conversation_turns.asked_at IS 'When the question was asked.';
COMMENT ON COLUMN text2sql.conversation_turns.trace_id IS 'Identifies the question, as history does.';
COMMENT ON COLUMN text2sql.conversation_turns.question IS 'The question as it was asked.';
COMMENT ON COLUMN text2sql.conversation_turns.standalone IS 'The question completed from earlier turns; NULL where it stood alone.';
COMMENT ON COLUMN text2sql.conversation_turns.status IS 'The status of the answer.';
COMMENT ON COLUMN text2sql.conversation_turns.sql IS 'The SQL that answered.';
COMMENT ON COLUMN text2sql.conversation_turns.readings IS 'Possible meanings, where the question was ambiguous; where it had no answer, questions near it that have one.';
COMMENT ON COLUMN text2sql.conversation_turns.egress IS 'What a model may be shown of the turn: schema, values or rows.';
COMMENT ON COLUMN text2sql.conversation_turns.answer IS 'The sentence of the answer; this and the columns after it are NULL where no answer was kept, or the caller could not run its query any more.';
COMMENT ON COLUMN text2sql.conversation_turns.result_columns IS 'Names and types of the columns of the result.';
COMMENT ON COLUMN text2sql.conversation_turns.result_rows IS 'The first rows of the result, at most text2sql.max_kept_rows.';
COMMENT ON COLUMN text2sql.conversation_turns.row_count IS 'The number of rows that the answer had.';
COMMENT ON COLUMN text2sql.conversation_turns.truncated IS 'Whether the result had more rows than are kept.';
COMMENT ON COLUMN text2sql.conversation_turns.results IS 'The result of each part, where the question consisted of several.';
COMMENT ON COLUMN text2sql.conversation_turns.turn IS 'The number of the turn in its conversation, from 1.';
COMMENT ON COLUMN text2sql.conversation_turns.is_last IS 'Whether it is the last turn of its conversation: one row of each, whose turn is the number of questions.';
COMMENT ON COLUMN text2sql.conversation_turns.title IS 'What the role calls the conversation; NULL where it has named none.';
COMMENT ON COLUMN text2sql.conversation_turns.is_pinned IS 'Whether the role keeps the conversation above the others.';
COMMENT ON COLUMN text2sql.conversation_turns.clarification IS 'What can be changed and asked next, or was not understood, as ask has it; NULL as answer is.';
COMMENT ON TABLE text2sql._conversation_turns IS 'Rows behind the view text2sql.conversation_turns.';

-- Answers on boards: a question and its queries, never a row, so that each is read anew with the rights of who looks. Written by
-- the library, as the owner of the table (src/pg/stored/record/boards.rs). A role sees its own, and of others what they
-- share with a role that it has, as far as it could run the queries over the same tables itself.
CREATE TABLE text2sql._pinned_answers (
    pin_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pinned_by name NOT NULL,
    pinned_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    board text NOT NULL,
    question text NOT NULL,
    queries text[] NOT NULL,
    -- Whether the question stands alone, and is asked anew; else its query is run.
    is_asked boolean NOT NULL,
    search_path text NOT NULL,
    relations text[] NOT NULL,
    shared_with name[] NOT NULL,
    -- Roles that do not want to see it.
    dismissed_by name[] NOT NULL DEFAULT '{}'
);
CREATE INDEX ON text2sql._pinned_answers (pinned_by, board);
SELECT pg_catalog.pg_extension_config_dump('text2sql._pinned_answers', '');
SELECT pg_catalog.pg_extension_config_dump('text2sql._pinned_answers_pin_id_seq', '');

ALTER TABLE text2sql._pinned_answers ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_or_shared_and_readable ON text2sql._pinned_answers FOR SELECT USING (
    pinned_by OPERATOR(pg_catalog.=) current_user
    OR (EXISTS (SELECT FROM pg_catalog.pg_roles AS r
                 WHERE r.rolname OPERATOR(pg_catalog.=) ANY (shared_with) AND pg_catalog.pg_has_role(r.oid, 'USAGE'))
        AND current_user OPERATOR(pg_catalog.<>) ALL (dismissed_by)
        AND text2sql._relations_of(queries, search_path) OPERATOR(pg_catalog.=) relations));
COMMENT ON TABLE text2sql._pinned_answers IS 'Answers that roles pinned to boards: questions and queries, without rows.';
