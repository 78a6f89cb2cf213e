-- Writes a question into the history, with what left the server for it. Called by src/pg/history.rs
-- as the owner of the tables, with
--   $1 text     the JSON document of a `Record` in that file
--   $2 boolean  whether prompts and replies are kept word for word
WITH given AS (
    SELECT * FROM json_to_record($1::json) AS r(
        trace_id uuid, asked_by oid, function text, conversation text, question text, status text,
        sqlstate text, sql text, row_count bigint, truncated boolean, confidence double precision,
        verified_by text, model text, model_calls integer, requests integer, input_tokens bigint,
        output_tokens bigint, prompt_chars integer, milliseconds double precision, settings jsonb,
        stages jsonb, exchanges json)
), recorded AS (
    INSERT INTO text2sql.history (
        trace_id, asked_by, function, conversation, question, status, sqlstate, sql, row_count,
        truncated, confidence, verified_by, model, model_calls, requests, input_tokens,
        output_tokens, prompt_chars, milliseconds, settings, stages)
    SELECT trace_id, asked_by, function, conversation, question, status, sqlstate, sql, row_count,
           truncated, confidence, verified_by, model, model_calls, requests, input_tokens,
           output_tokens, prompt_chars, milliseconds, settings, stages
      FROM given
    -- A refresh records what it sent batch by batch, under one name.
    ON CONFLICT (trace_id) DO UPDATE SET milliseconds = history.milliseconds + excluded.milliseconds
    RETURNING trace_id, asked_by
)
INSERT INTO text2sql.egress_log (
    trace_id, asked_by, endpoint, purpose, characters, prompt_sha256, tables, value_columns,
    result_rows, input_tokens, output_tokens, milliseconds, prompt, reply)
SELECT recorded.trace_id, recorded.asked_by, e.endpoint, e.purpose, char_length(e.prompt),
       encode(sha256(convert_to(e.prompt, 'UTF8')), 'hex'), e.tables, e.value_columns,
       e.result_rows, e.input_tokens, e.output_tokens, e.milliseconds,
       CASE WHEN $2 THEN e.prompt END, CASE WHEN $2 THEN e.reply END
  FROM given, recorded,
       json_to_recordset(given.exchanges) AS e(
           endpoint text, purpose text, prompt text, reply text, tables text[], value_columns text[],
           result_rows bigint, input_tokens bigint, output_tokens bigint, milliseconds double precision)
