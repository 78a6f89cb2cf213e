-- The strictest approval rule that applies to the role $1 (oid) or to the role that logged in ($2), and the queries that
-- were approved for $1, as JSON; NULL when no rule applies. Called by src/pg/stored/record/approvals.rs as the owner.
SELECT json_build_object(
           'is_always', bool_or(r.approval = 'always'),
           'min_confidence', max(r.min_confidence),
           'approved', (SELECT coalesce(json_agg(json_build_object('sql', a.sql, 'relations', a.relations::int8[])), '[]')
                          FROM (SELECT a.sql, a.relations FROM text2sql._approvals AS a
                                 WHERE a.asked_by = pg_get_userbyid($1) AND a.status = 'approved'
                                   AND a.expires_at > clock_timestamp()
                                 ORDER BY a.id DESC LIMIT 1000) AS a))::text
  FROM text2sql._approval_rules AS r
 WHERE text2sql._applies_to_role(r.role_name, $1) OR text2sql._applies_to_role(r.role_name, $2)
HAVING count(*) > 0
