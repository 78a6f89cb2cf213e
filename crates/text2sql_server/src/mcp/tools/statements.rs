//! The SQL behind the tools other than `ask`: one statement each, which returns one JSON value.

/// `run_sql`.
pub(super) const RUN: &str = "SELECT row_to_json(r)::text FROM text2sql.run_json($1::text) AS r";

/// `check_sql`: whether it may run, what it does, and what is suspicious about it. A query that may not run is not
/// explained: the explanation would name what the caller may not read.
pub(super) const CHECK: &str = "
SELECT json_build_object(
    'allowed', v.allowed,
    'rule', v.rule,
    'reason', v.reason,
    'error_position', v.error_position,
    'estimated_rows', v.estimated_rows,
    'estimated_cost', v.estimated_cost,
    'steps', CASE WHEN v.allowed THEN (SELECT json_agg(e.explanation ORDER BY e.step) FROM text2sql.explain($1::text) AS e)
        ELSE '[]' END,
    'findings', CASE WHEN v.allowed THEN (SELECT coalesce(json_agg(json_build_object(
        'finding', t.finding, 'severity', t.severity, 'evidence', t.evidence, 'fix', t.fix)), '[]')
        FROM text2sql.trust_report($1::text) AS t) ELSE '[]' END)::text
FROM text2sql.validate($1::text) AS v";

/// `find`.
pub(super) const FIND: &str = "
SELECT json_build_object('objects', coalesce(json_agg(json_build_object(
    'object', r.object, 'kind', r.kind, 'why', r.why, 'columns', r.best_columns) ORDER BY r.rank), '[]'))::text
FROM text2sql.retrieve($1::text) AS r WHERE r.kind <> 'certainty'";

/// `feedback`.
pub(super) const FEEDBACK: &str = "
SELECT json_build_object('example_id', text2sql.add_feedback($1::text::uuid, $2::text, $3::text, $4::text))::text";

/// `generate_sql`.
pub(super) const GENERATE_SQL: &str = include_str!("../../../sql/generate_sql.sql");
