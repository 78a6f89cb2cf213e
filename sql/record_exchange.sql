-- Writes what left the server in one request for a question, and what came back. Called by
-- src/pg/history.rs as the owner of the table, after record_question.sql, with
--   $5 text, $6 text  prompt and reply
--   $13 boolean       whether both are kept word for word
INSERT INTO text2sql.egress_log (
    trace_id, asked_by, endpoint, purpose, characters, prompt_sha256, tables, value_columns,
    result_rows, input_tokens, output_tokens, milliseconds, prompt, reply)
VALUES ($1, $2, $3, $4, char_length($5), encode(sha256(convert_to($5, 'UTF8')), 'hex'), $7, $8,
        $9, $10, $11, $12, CASE WHEN $13 THEN $5 END, CASE WHEN $13 THEN $6 END)
