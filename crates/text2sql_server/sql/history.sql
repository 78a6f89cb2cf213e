-- Questions, newest first: those of the caller, or ($1 = 'true') all that the caller may see. $2: asked before;
-- $3: how many.
SELECT pg_catalog.json_build_object(
           'questions', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(page) ORDER BY page.number)
                                     FILTER (WHERE page.number <= $3::text::bigint), '[]'),
           'more', coalesce(pg_catalog.max(page.number) > $3::text::bigint, false))::text
  FROM (
    SELECT h.trace_id, h.asked_at, h.asked_by, h.function, h.conversation, h.question, h.status, h.sqlstate, h.sql,
           h.row_count, h.truncated, h.confidence, h.verified_by, h.model, h.input_tokens, h.output_tokens, h.cost,
           h.currency, h.milliseconds, pg_catalog.row_number() OVER (ORDER BY h.asked_at DESC, h.trace_id) AS number
      FROM text2sql.history h
     WHERE (h.asked_by::text = current_user::text OR $1::text::boolean)
       AND ($2::text IS NULL OR h.asked_at < $2::text::timestamptz)
     ORDER BY h.asked_at DESC, h.trace_id
     LIMIT $3::text::bigint + 1
  ) AS page
