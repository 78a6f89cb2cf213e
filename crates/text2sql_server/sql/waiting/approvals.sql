-- Queries that wait for approval, of everybody for an approver; and what became of those that the caller asked.
SELECT coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(listed) ORDER BY listed.status = 'waiting' DESC, listed.id DESC), '[]')::text
  FROM (
    SELECT a.*, a.asked_by::text = current_user::text AS is_own
      FROM text2sql.approvals a
     WHERE a.status = 'waiting' OR a.asked_by::text = current_user::text
     ORDER BY a.status = 'waiting' DESC, a.id DESC
     LIMIT 200
  ) AS listed
