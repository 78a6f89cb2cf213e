-- Questions to begin with: verified examples of what the caller may read, then what the caller asked with success. A
-- question that continued a conversation says nothing by itself.
-- $1: how many.
WITH verified AS (
    SELECT e.id, e.question, e.sql, e.verified_by::text
      FROM text2sql.examples e WHERE e.status = 'verified'
     ORDER BY e.verified_at DESC LIMIT $1::text::bigint
), asked AS (
    SELECT h.question, pg_catalog.max(h.asked_at) AS asked_at
      FROM text2sql.history h
     WHERE h.asked_by::text = current_user::text AND h.status = 'ok' AND h.function IN ('ask', 'show')
       AND NOT EXISTS (SELECT FROM verified v WHERE v.question = h.question)
       AND NOT EXISTS (SELECT FROM text2sql.conversation_turns t
                        WHERE t.trace_id = h.trace_id AND t.standalone <> t.question)
     GROUP BY h.question ORDER BY 2 DESC LIMIT $1::text::bigint
)
SELECT pg_catalog.json_build_object('examples', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(listed) ORDER BY listed.number), '[]'))::text
  FROM (
    SELECT ordered.*, pg_catalog.row_number() OVER (ORDER BY ordered.origin DESC, ordered.number_in) AS number
      FROM (
        SELECT v.id, v.question, v.sql, v.verified_by, 'verified' AS origin, pg_catalog.row_number() OVER () AS number_in FROM verified v
        UNION ALL
        SELECT NULL, a.question, NULL, NULL, 'asked', pg_catalog.row_number() OVER (ORDER BY a.asked_at DESC) FROM asked a
      ) AS ordered
     ORDER BY ordered.origin DESC, ordered.number_in
     LIMIT $1::text::bigint
  ) AS listed
