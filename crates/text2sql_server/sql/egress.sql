-- What left the server for questions of the caller, newest first; without the prompts. $1: sent before; $2: how many.
SELECT pg_catalog.json_build_object(
           'egress', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(page) ORDER BY page.egress_id DESC)
                                  FILTER (WHERE page.number <= $2::text::bigint), '[]'),
           'more', coalesce(pg_catalog.max(page.number) > $2::text::bigint, false))::text
  FROM (
    SELECT e.egress_id, e.trace_id, e.sent_at, e.endpoint, e.purpose, e.characters, e.tables, e.value_columns, e.sample_columns,
           e.result_rows, e.input_tokens, e.output_tokens, e.cost, e.currency, e.milliseconds,
           (SELECT h.question FROM text2sql.history h WHERE h.trace_id = e.trace_id) AS question,
           pg_catalog.row_number() OVER (ORDER BY e.egress_id DESC) AS number
      FROM text2sql.egress_log e
     WHERE e.asked_by::text = current_user::text
       AND ($1::text IS NULL OR e.egress_id < $1::text::bigint)
     ORDER BY e.egress_id DESC
     LIMIT $2::text::bigint + 1
  ) AS page
