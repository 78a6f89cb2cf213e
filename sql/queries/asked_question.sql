-- A recorded question, for roles that may give feedback on it: $1 its trace_id, $2 the OID of the role, $3
-- whether that is a curator, who may do so for questions of all roles. Called by src/pg/stored/teaching/feedback.rs as
-- the owner.
SELECT json_build_object('function', h.function, 'question', h.question, 'status', h.status, 'sql', h.sql,
                         'verified_by', h.verified_by)::text
  FROM text2sql.history AS h
 WHERE h.trace_id = $1::uuid AND (h.asked_by = pg_get_userbyid($2) OR $3)
