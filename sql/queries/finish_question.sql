-- Stores the outcome of a question that is still being answered: not of one that was cancelled or deleted meanwhile.
-- Called by src/pg/stored/queue/store.rs as the owner of the table, with
--   $1 bigint  the question
--   $2 text    done or failed
--   $3 text    the caller's search_path
--   $4 text    the JSON document of the answer; its rows are texts, whose numbers keep their digits
WITH outcome AS (
    SELECT * FROM json_to_record($4::json) AS a(
        status text, sqlstate text, trace_id uuid, queries json, relations json, answer text, sql text, result_columns text, result_rows text,
        row_count bigint, truncated boolean, confidence double precision, score text, plan text, engine text, warnings json,
        withheld json, clarification text, results text, citations text, verified_by text)
), finished AS (
    UPDATE text2sql._submitted AS q
       SET state = $2, finished_at = clock_timestamp(), status = o.status, sqlstate = o.sqlstate, trace_id = o.trace_id
      FROM outcome AS o
     WHERE q.id = $1 AND q.state = 'running'
    RETURNING q.id, q.asked_by
), kept AS (
    INSERT INTO text2sql._answers (id, asked_by, queries, search_path, relations, answer, sql, result_columns, result_rows,
           row_count, truncated, confidence, score, plan, engine, warnings, withheld, clarification, results, citations, verified_by)
    SELECT f.id, f.asked_by, ARRAY(SELECT json_array_elements_text(o.queries)), $3,
           ARRAY(SELECT json_array_elements_text(o.relations)), o.answer, o.sql, o.result_columns::json,
           o.result_rows::json, o.row_count, o.truncated, o.confidence, o.score::json, o.plan, o.engine,
           ARRAY(SELECT json_array_elements_text(o.warnings)), ARRAY(SELECT json_array_elements_text(o.withheld)),
           o.clarification::json, o.results::json, o.citations::json, o.verified_by
      FROM finished AS f, outcome AS o
), forgotten AS (
    DELETE FROM text2sql._submitted_settings AS s USING finished AS f WHERE s.id = f.id
)
-- The id alone: every role of the database may listen.
SELECT pg_notify('text2sql_answers', f.id::text) FROM finished AS f
