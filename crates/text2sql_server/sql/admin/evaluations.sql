-- Evaluations that the caller may see, newest first, at most a hundred.
SELECT pg_catalog.json_build_object(
           'evaluations', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(listed) ORDER BY listed.evaluation_id DESC), '[]'))::text
  FROM (
    SELECT s.evaluation_id, s.suite, s.name, s.state, s.started_at, s.finished_at, s.evaluated_by, s.cases, s.broken,
           s.cases_right, s.accuracy, s.low, s.high, s.model_calls, s.cost, s.currency, s.mean_milliseconds
      FROM text2sql_eval.evaluations s
     ORDER BY s.evaluation_id DESC
     LIMIT 100
  ) AS listed
