-- The latest turns of a conversation of the caller, oldest first, or no row. All columns of the view, so that answers are
-- there where the role keeps them. $1: the conversation; $2: the turn_id before which the page ends; $3: how many.
SELECT pg_catalog.json_build_object(
           'conversation', $1::text,
           'turns', pg_catalog.json_agg(pg_catalog.row_to_json(page.turn) ORDER BY page.turn_id)
                        FILTER (WHERE page.number <= $3::text::bigint),
           'more', pg_catalog.max(page.number) > $3::text::bigint)::text
  FROM (
    SELECT t AS turn, t.turn_id, pg_catalog.row_number() OVER (ORDER BY t.turn_id DESC) AS number
      FROM text2sql.conversation_turns t
     WHERE t.conversation = $1::text AND ($2::text IS NULL OR t.turn_id < $2::text::bigint)
     ORDER BY t.turn_id DESC
     LIMIT $3::text::bigint + 1
  ) AS page
HAVING pg_catalog.count(*) > 0
