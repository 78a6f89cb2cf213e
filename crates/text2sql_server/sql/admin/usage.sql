-- Questions, tokens and cost by role and model over the last days. $1: how many days.
SELECT pg_catalog.json_build_object(
           'days', $1::text::integer,
           'usage', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(u) ORDER BY u.questions DESC, u.asked_by, u.model), '[]'))::text
  FROM (
    SELECT u.asked_by, u.model, pg_catalog.sum(u.questions) AS questions, pg_catalog.sum(u.answered) AS answered,
           pg_catalog.sum(u.model_calls) AS model_calls, pg_catalog.sum(u.input_tokens) AS input_tokens,
           pg_catalog.sum(u.output_tokens) AS output_tokens, pg_catalog.sum(u.cost) AS cost, u.currency,
           pg_catalog.sum(u.milliseconds) AS milliseconds, pg_catalog.max(u.day) AS last_day
      FROM text2sql.usage_by_role u
     WHERE u.day > (pg_catalog.now() AT TIME ZONE 'UTC')::date - $1::text::integer
     GROUP BY u.asked_by, u.model, u.currency
     ORDER BY questions DESC, u.asked_by, u.model
     LIMIT 500
  ) AS u
