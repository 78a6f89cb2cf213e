-- The content of the extension, one row a line, and the next ids. See rows_0.1.0.sql.
SELECT '_annotations', to_jsonb(a) FROM text2sql._annotations a ORDER BY id;
SELECT '_definitions', to_jsonb(d) - 'period' - 'metric' - 'column_places' FROM text2sql._definitions d ORDER BY id;
SELECT '_examples', to_jsonb(e) FROM text2sql._examples e ORDER BY id;
SELECT '_joins', to_jsonb(j) FROM text2sql._joins j ORDER BY id;
SELECT '_suggestions', to_jsonb(s) FROM text2sql._suggestions s ORDER BY id;
SELECT '_feedback', to_jsonb(f) FROM text2sql._feedback f ORDER BY id;
SELECT '_protections', to_jsonb(p) FROM text2sql._protections p ORDER BY schema_name, table_name, column_name;
SELECT 'history', to_jsonb(h) FROM text2sql.history h ORDER BY trace_id;
SELECT 'egress_log', to_jsonb(l) - 'passages' - 'sample_columns' FROM text2sql.egress_log l ORDER BY egress_id;
SELECT '_conversation_turns', to_jsonb(t) FROM text2sql._conversation_turns t ORDER BY turn_id;
SELECT '_budgets', to_jsonb(b) FROM text2sql._budgets b ORDER BY budget_id;
SELECT 'suites', to_jsonb(s) FROM text2sql_eval.suites s ORDER BY suite;
SELECT 'cases', to_jsonb(c) FROM text2sql_eval.cases c ORDER BY case_id;
SELECT 'evaluations', to_jsonb(r) - 'settings' FROM text2sql_eval._evaluations r ORDER BY evaluation_id;
SELECT 'results', to_jsonb(r) - 'is_failure' FROM text2sql_eval.results r ORDER BY evaluation_id, case_id, attempt;
SELECT 'variants', to_jsonb(v) FROM text2sql_eval._variants v ORDER BY evaluation_id;
SELECT 'proposals', to_jsonb(p) - 'settings' - 'statements' - 'tokens' - 'tokens_now' - 'milliseconds' - 'milliseconds_now' - 'tried' - 'planned' - 'search_evaluation' - '{run_id,trial,difference,low,high,p_difference}'::text[] FROM text2sql_eval.proposals p ORDER BY proposal_id;
SELECT 'confidence_fits', to_jsonb(f) FROM text2sql_eval._confidence_fits f ORDER BY model;
SELECT 'next', last_value, is_called FROM text2sql._annotations_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql._definitions_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql._examples_id_seq
 UNION ALL SELECT 'next', last_value, is_called FROM text2sql._joins_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql._suggestions_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql._feedback_id_seq
 UNION ALL SELECT 'next', last_value, is_called FROM text2sql.egress_log_egress_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql._conversation_turns_turn_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql._budgets_budget_id_seq
 UNION ALL SELECT 'next', last_value, is_called FROM text2sql_eval.cases_case_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql_eval._evaluations_evaluation_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql_eval.proposals_proposal_id_seq;
SELECT 'server', srvname, ARRAY(SELECT o FROM unnest(srvoptions) AS o ORDER BY o), srvacl, (SELECT count(*) FROM pg_user_mappings m WHERE m.srvid = s.oid) FROM pg_foreign_server s;
