-- Boards of the caller, and those that others share with a role of the caller, with the answers that the caller could read: own
-- ones first, in the order in which they were begun. A superuser is in every role, and sees what is shared with it by name.
SELECT pg_catalog.json_build_object(
           'boards', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(b) ORDER BY b.is_own DESC, b.began_at), '[]'))::text
  FROM (
    SELECT p.board AS name, p.pinned_by AS owner, p.pinned_by = current_user AS is_own, pg_catalog.min(p.pinned_at) AS began_at,
           CASE WHEN p.pinned_by = current_user THEN pg_catalog.min(p.shared_with::text[]) END AS shared_with,
           pg_catalog.json_agg(pg_catalog.json_build_object(
               'id', p.pin_id, 'question', p.question, 'queries', p.queries, 'is_asked', p.is_asked) ORDER BY p.pin_id) AS answers
      FROM text2sql._pinned_answers p
     WHERE p.pinned_by = current_user
        OR EXISTS (SELECT FROM pg_catalog.pg_roles r, pg_catalog.pg_roles me
                    WHERE r.rolname = ANY (p.shared_with) AND me.rolname = current_user
                      AND (r.oid = me.oid OR (pg_catalog.pg_has_role(r.oid, 'USAGE') AND NOT me.rolsuper)))
     GROUP BY p.board, p.pinned_by
  ) AS b
