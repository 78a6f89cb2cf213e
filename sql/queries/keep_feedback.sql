-- Stores feedback on an answer, replacing earlier feedback of the same role. Called by
-- src/pg/stored/teaching/feedback.rs as the owner, with $1, the JSON document of a `Kept` there.
INSERT INTO text2sql._feedback AS f (
    trace_id, given_by, verdict, corrected_sql, comment, question, status, sql, answer_verified_by, example_id,
    suggestion_id, catalog, object_names, object_oids, column_numbers)
SELECT k.trace_id, k.given_by, k.verdict, k.corrected_sql, k.comment, k.question, k.status, k.sql,
       k.answer_verified_by, k.example_id, k.suggestion_id, k.catalog, k.names, k.oids, k.numbers
  FROM json_to_record($1::json) AS k(
       trace_id uuid, given_by name, verdict text, corrected_sql text, comment text, question text, status text,
       sql text, answer_verified_by text, example_id bigint, suggestion_id bigint, catalog text, names text[],
       oids oid[], numbers int2[])
ON CONFLICT (trace_id, given_by) DO UPDATE
   SET given_at = clock_timestamp(), verdict = excluded.verdict, corrected_sql = excluded.corrected_sql,
       comment = excluded.comment, sql = excluded.sql, example_id = excluded.example_id,
       suggestion_id = excluded.suggestion_id, catalog = excluded.catalog, object_names = excluded.object_names,
       object_oids = excluded.object_oids, column_numbers = excluded.column_numbers
