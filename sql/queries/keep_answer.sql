-- Keeps the sentence and the first rows of an answer. Called by src/pg/stored/record/kept_answers.rs as the owner of the
-- table, with
--   $1 bigint  the turn of a conversation
--   $2 oid     the role that asked
--   $3 text    the caller's search_path
--   $4 text    the JSON document of an answer; its results are texts, whose numbers keep their digits
INSERT INTO text2sql._kept_answers (turn_id, asked_by, queries, search_path, relations, answer, result_columns, result_rows, row_count, truncated, results)
SELECT $1, pg_get_userbyid($2), ARRAY(SELECT json_array_elements_text(a.queries)), $3,
       ARRAY(SELECT json_array_elements_text(a.relations)), a.answer, a.result_columns::json,
       a.result_rows::json, a.row_count, a.truncated, a.results::json
  FROM json_to_record($4::json) AS a(
    queries json, relations json, answer text, result_columns text, result_rows text, row_count bigint, truncated boolean, results text)
    -- A question that waited for approval has its answer later.
    ON CONFLICT (turn_id) DO UPDATE
   SET queries = excluded.queries, search_path = excluded.search_path, relations = excluded.relations, answer = excluded.answer, result_columns = excluded.result_columns,
       result_rows = excluded.result_rows, row_count = excluded.row_count, truncated = excluded.truncated,
       results = excluded.results
