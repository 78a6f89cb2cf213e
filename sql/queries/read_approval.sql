-- A question that the role $2 (oid) asked and whose query waits or waited, as JSON; no row for any other. Called by
-- src/pg/stored/record/approvals.rs as the owner, with $1, its id.
SELECT json_build_object(
           'status', CASE WHEN a.status <> 'rejected' AND a.expires_at <= clock_timestamp() THEN 'expired' ELSE a.status END,
           'question', a.question, 'standalone', a.standalone, 'sql', a.sql,
           'relations', to_json(a.relations::int8[]), 'search_path', a.search_path,
           'explanation', a.explanation, 'proposal', a.proposal,
           'decided_by', a.decided_by, 'reason', a.reason, 'conversation', a.conversation, 'trace_id', a.trace_id)::text
  FROM text2sql._approvals AS a
 WHERE a.id = $1 AND a.asked_by = pg_get_userbyid($2)
