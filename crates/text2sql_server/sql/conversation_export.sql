-- A conversation of the role as one JSON object.
SELECT pg_catalog.json_build_object(
           'conversation', $1::text,
           'turns', coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
               'asked_at', t.asked_at, 'question', t.question, 'standalone', t.standalone,
               'status', t.status, 'sql', t.sql, 'readings', t.readings, 'trace_id', t.trace_id,
               'answer', t.answer, 'result_columns', t.result_columns, 'result_rows', t.result_rows,
               'row_count', t.row_count, 'truncated', t.truncated, 'results', t.results)
               ORDER BY t.turn_id), '[]'))::text
  FROM text2sql.conversation_turns AS t
 WHERE t.conversation = $1::text
