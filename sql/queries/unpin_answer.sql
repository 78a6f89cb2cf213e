-- Takes an own answer off its board; where another role shares the board, hides the board from the role. Called by
-- src/pg/stored/record/boards.rs as the owner of the table, with
--   $1 oid     the role
--   $2 bigint  the answer
WITH own AS (
    DELETE FROM text2sql._pinned_answers
     WHERE pinned_by = pg_get_userbyid($1) AND pin_id = $2
    RETURNING pin_id
), of_another AS (
    UPDATE text2sql._pinned_answers AS p SET dismissed_by = array_append(p.dismissed_by, pg_get_userbyid($1))
      FROM text2sql._pinned_answers AS named
     WHERE named.pin_id = $2 AND named.pinned_by <> pg_get_userbyid($1)
       AND EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = ANY (named.shared_with) AND pg_has_role($1, r.oid, 'USAGE'))
       AND p.pinned_by = named.pinned_by AND p.board = named.board AND pg_get_userbyid($1) <> ALL (p.dismissed_by)
    RETURNING p.pin_id
)
SELECT pin_id FROM own UNION ALL SELECT pin_id FROM of_another
