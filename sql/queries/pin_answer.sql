-- Pins an answer to a board, in place of one to the same question, unless the role has as many as it may have. Called by
-- src/pg/stored/record/boards.rs as the owner of the table, with
--   $1 oid     the role
--   $2 text    the board
--   $3 text    the question
--   $4 text[]  its queries
--   $5 bool    whether the question stands alone
--   $6 text    the caller's search_path
--   $7 text[]  the relations that the queries read
--   $8 bigint  how many answers a role may pin
--   $9 bigint  how many queries they may have in all
WITH former AS (
    DELETE FROM text2sql._pinned_answers
     WHERE pinned_by = pg_get_userbyid($1) AND board = $2 AND question = $3
)
INSERT INTO text2sql._pinned_answers (pinned_by, board, question, queries, is_asked, search_path, relations, shared_with, dismissed_by)
SELECT pg_get_userbyid($1), $2, $3, $4, $5, $6, $7,
       -- Who reads the board reads what comes onto it.
       coalesce(other.shared_with, '{}'), coalesce(other.dismissed_by, '{}')
  FROM (VALUES (1)) AS one
  LEFT JOIN LATERAL (SELECT p.shared_with, p.dismissed_by FROM text2sql._pinned_answers AS p
                      WHERE p.pinned_by = pg_get_userbyid($1) AND p.board = $2 LIMIT 1) AS other ON true
 WHERE (SELECT count(*) FROM text2sql._pinned_answers AS p WHERE p.pinned_by = pg_get_userbyid($1)) < $8
   AND (SELECT coalesce(sum(cardinality(p.queries)), 0) FROM text2sql._pinned_answers AS p WHERE p.pinned_by = pg_get_userbyid($1)) + cardinality($4) <= $9
RETURNING pin_id
