-- Records what left the server in one request for a question, and the reply. Called by src/pg/stored/record/history.rs
-- as the owner of the table, after record_question.sql, with
--   $6 text           the SHA-256 of what was sent
--   $13, $14 text     prompt and reply, where they are recorded verbatim
INSERT INTO text2sql.egress_log (
    trace_id, asked_by, endpoint, purpose, characters, prompt_sha256, tables, value_columns,
    result_rows, input_tokens, output_tokens, milliseconds, prompt, reply, cost, currency,
    passages, sample_columns)
VALUES ($1, pg_get_userbyid($2), $3, $4, $5::int4, $6, $7, $8,
        $9, $10, $11, $12, $13, $14, trim_scale(round($15::numeric, 9)), $16, $17, $18)
