-- Conversations of the caller: those that are pinned, then the one with the latest turn first. $1: words of its title and its
-- questions; $2: the last_turn_id below which the page begins; $3: how many, besides the pinned ones, which the first page has.
SELECT pg_catalog.json_build_object(
           'conversations', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(page) ORDER BY page.is_pinned DESC, page.last_turn_id DESC)
                                         FILTER (WHERE page.is_pinned OR page.number <= $3::text::bigint), '[]'),
           'more', coalesce(pg_catalog.max(page.number) FILTER (WHERE NOT page.is_pinned) > $3::text::bigint, false))::text
  FROM (
    SELECT listed.*, pg_catalog.row_number() OVER (PARTITION BY listed.is_pinned ORDER BY listed.last_turn_id DESC) AS number
      FROM (
        SELECT t.conversation, pg_catalog.max(t.title) AS title, pg_catalog.bool_or(t.is_pinned) AS is_pinned,
               pg_catalog.count(*) AS turns, pg_catalog.min(t.asked_at) AS began_at,
               pg_catalog.max(t.asked_at) AS last_at,
               (pg_catalog.array_agg(t.question ORDER BY t.turn_id))[1] AS first_question,
               (pg_catalog.array_agg(t.question ORDER BY t.turn_id DESC))[1] AS last_question,
               pg_catalog.max(t.turn_id) AS last_turn_id
          FROM text2sql.conversation_turns t
         GROUP BY t.conversation
        HAVING pg_catalog.bool_or(pg_catalog.strpos(pg_catalog.lower(t.question), pg_catalog.lower(coalesce($1::text, ''))) > 0)
            -- The words in any order and form: "stores' revenues" finds "Revenue per store".
            OR EXISTS (SELECT FROM (VALUES ('pg_catalog.english'::regconfig), ('pg_catalog.german')) AS spoken(language)
                        WHERE pg_catalog.to_tsvector(spoken.language, pg_catalog.concat_ws(' ', pg_catalog.max(t.title), pg_catalog.string_agg(t.question, ' ')))
                              @@ pg_catalog.plainto_tsquery(spoken.language, $1::text))
      ) AS listed
     WHERE $2::text IS NULL OR (listed.last_turn_id < $2::text::bigint AND NOT listed.is_pinned)
  ) AS page
