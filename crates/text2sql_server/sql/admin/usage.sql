-- Questions, tokens and cost by role and model over the last days. $1: how many days.
SELECT pg_catalog.json_build_object(
           'days', $1::text::integer,
           'usage', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(u) ORDER BY u.questions DESC, u.asked_by, u.model), '[]'))::text
  FROM (
    SELECT h.asked_by, h.model, pg_catalog.count(*) AS questions, pg_catalog.count(*) FILTER (WHERE h.status = 'ok') AS answered,
           pg_catalog.sum(h.model_calls) AS model_calls, pg_catalog.sum(h.input_tokens) AS input_tokens,
           pg_catalog.sum(h.output_tokens) AS output_tokens,
           CASE WHEN pg_catalog.count(DISTINCT h.currency) = 1 THEN pg_catalog.sum(h.cost) END AS cost, pg_catalog.string_agg(DISTINCT h.currency, ', ') AS currency,
           pg_catalog.round(pg_catalog.sum(h.milliseconds)::numeric, 1) AS milliseconds,
           pg_catalog.max(h.asked_at AT TIME ZONE 'UTC')::date AS last_day
      FROM text2sql.history h
     WHERE (h.asked_at AT TIME ZONE 'UTC')::date > (pg_catalog.now() AT TIME ZONE 'UTC')::date - $1::text::integer
     GROUP BY h.asked_by, h.model
     ORDER BY questions DESC, h.asked_by, h.model
     LIMIT 500
  ) AS u
