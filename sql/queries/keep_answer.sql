-- Keeps the sentence and the first rows of an answer. Called by src/pg/stored/record/kept_answers.rs as the owner of the
-- table, with
--   $1 bigint  the turn of a conversation
--   $2 oid     the role that asked
--   $3 text    the caller's search_path
--   $4 text    the JSON document of an answer; its results are texts, whose numbers keep their digits
-- The latest 500 answers of a role are kept, and at most 16 MB of rows.
WITH many AS (
    DELETE FROM text2sql._kept_answers
     WHERE turn_id IN (
        SELECT k.turn_id
          FROM (SELECT e.turn_id, row_number() OVER latest AS number,
                       sum(coalesce(pg_column_size(e.result_rows), 0) + coalesce(pg_column_size(e.results), 0)) OVER latest AS bytes
                  FROM text2sql._kept_answers AS e
                 WHERE e.asker = $2 AND e.turn_id <> $1
                WINDOW latest AS (ORDER BY e.turn_id DESC)) AS k
         WHERE k.number >= 500 OR k.bytes > 16777216)
)
INSERT INTO text2sql._kept_answers (turn_id, asker, queries, search_path, relations, answer, result_columns, result_rows, row_count, truncated, results, clarification)
SELECT $1, $2, ARRAY(SELECT json_array_elements_text(a.queries)), $3,
       ARRAY(SELECT json_array_elements_text(a.relations)), a.answer, a.result_columns::json,
       a.result_rows::json, a.row_count, a.truncated, a.results::json, a.clarification::json
  FROM json_to_record($4::json) AS a(
    queries json, relations json, answer text, result_columns text, result_rows text, row_count bigint, truncated boolean, results text, clarification text)
    -- A question that waited for approval has its answer later.
    ON CONFLICT (turn_id) DO UPDATE
   SET queries = excluded.queries, search_path = excluded.search_path, relations = excluded.relations, answer = excluded.answer, result_columns = excluded.result_columns,
       result_rows = excluded.result_rows, row_count = excluded.row_count, truncated = excluded.truncated,
       results = excluded.results, clarification = excluded.clarification
