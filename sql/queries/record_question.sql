-- Records a question in the history. Called by src/pg/stored/record/history.rs as the owner of the table, with the
-- fields of a `Record` in that file in the order of the columns.
INSERT INTO text2sql.history (
    trace_id, asked_by, function, conversation, question, status, sqlstate, sql, row_count,
    truncated, confidence, verified_by, model, model_calls, requests, input_tokens,
    output_tokens, prompt_chars, milliseconds, settings, stages, cost, currency)
VALUES ($1, pg_get_userbyid($2), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::int4, $15::int4, $16, $17, $18::int4,
        $19, $20, $21, trim_scale(round($22::numeric, 9)), $23)
-- A refresh records what it sent batch by batch, under one trace_id.
ON CONFLICT (trace_id) DO UPDATE SET milliseconds = history.milliseconds + excluded.milliseconds,
       input_tokens = history.input_tokens + excluded.input_tokens,
       cost = coalesce(history.cost + excluded.cost, history.cost, excluded.cost),
       currency = coalesce(history.currency, excluded.currency)
