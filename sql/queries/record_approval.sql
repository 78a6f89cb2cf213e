-- Stores a query that waits for approval and returns its id; the same query of the same role waits only once. Called by
-- src/pg/stored/record/approvals.rs as the owner, with $1, the JSON document of a `Waiting` there, $2, the asker (oid), and $3,
-- the minutes until it expires.
WITH given AS (
    SELECT g.*, pg_get_userbyid($2) AS asked_by
      FROM json_to_record($1::json) AS g(
           trace_id uuid, question text, standalone text, conversation text, model text, sql text, relations oid[], search_path text, reasons text[],
           explanation text, trust_report json, plan_cost float8, plan_rows float8, proposal json)
), known AS (
    SELECT a.id FROM text2sql._approvals AS a JOIN given AS g USING (asked_by)
     WHERE a.status = 'waiting' AND a.expires_at > clock_timestamp() AND a.sql = g.sql AND a.relations = g.relations AND a.question = g.question
     ORDER BY a.id LIMIT 1
), added AS (
    INSERT INTO text2sql._approvals (
        trace_id, asked_by, question, standalone, conversation, model, sql, relations, search_path, reasons, explanation, trust_report,
        plan_cost, plan_rows, proposal, expires_at)
    SELECT g.trace_id, g.asked_by, g.question, g.standalone, g.conversation, g.model, g.sql, g.relations, g.search_path, g.reasons, g.explanation,
           g.trust_report, g.plan_cost, g.plan_rows, g.proposal, clock_timestamp() + make_interval(mins => $3)
      FROM given AS g WHERE NOT EXISTS (SELECT FROM known)
    RETURNING id
), told AS MATERIALIZED (
    -- Sent at commit to whoever listens: only the id, because every role may listen.
    SELECT added.id, pg_notify('text2sql_approvals', added.id::text) FROM added
)
SELECT told.id FROM told
UNION ALL
SELECT known.id FROM known
