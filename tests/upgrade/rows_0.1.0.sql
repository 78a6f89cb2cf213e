-- The content of version 0.1.0 under the names of 0.2.0, one row a line, and the next ids: rows.sql must give the same
-- after an update.
SELECT '_annotations', to_jsonb(a) - 'rarely_useful' || jsonb_build_object('priority', CASE WHEN rarely_useful THEN 'low' END, 'derived_from', '[]'::jsonb,
       'synonyms', to_jsonb((array_remove(synonyms, NULL))[1:100]), 'value_meanings', CASE WHEN value_meanings IS NOT NULL THEN (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each_text(value_meanings)) END)
  FROM text2sql.annotations a ORDER BY id;
SELECT '_definitions', to_jsonb(d) FROM text2sql.definitions d ORDER BY id;
SELECT '_examples', to_jsonb(e) || '{"behind_oids": null, "behind_names": null}' FROM text2sql.examples e ORDER BY id;
SELECT '_joins', to_jsonb(j) || '{"certainty": null}' FROM text2sql.joins j ORDER BY id;
SELECT '_suggestions', to_jsonb(s) || jsonb_build_object('status', replace(status, 'applied', 'accepted')) FROM text2sql.suggestions s ORDER BY id;
SELECT '_feedback', to_jsonb(f) FROM text2sql.given_feedback f ORDER BY id;
SELECT '_protections', to_jsonb(p) FROM text2sql.protections p ORDER BY schema_name, table_name, column_name;
SELECT 'history', to_jsonb(h) || '{"cost": null, "currency": null}' || jsonb_build_object('asked_by', pg_get_userbyid(asked_by)) FROM text2sql.history h ORDER BY trace_id;
SELECT 'egress_log', to_jsonb(l) || '{"cost": null, "currency": null}' || jsonb_build_object('asked_by', pg_get_userbyid(asked_by)) FROM text2sql.egress_log l ORDER BY egress_id;
SELECT '_conversation_turns', to_jsonb(t) || jsonb_build_object('asked_by', pg_get_userbyid(asked_by), 'meaning', NULL, 'title', NULL, 'is_pinned', false) FROM text2sql.conversation_turns t ORDER BY turn_id;
SELECT '_budgets', to_jsonb(b) - 'role' || '{"cost_per_day": null, "currency": "USD"}' || jsonb_build_object('role_name', pg_get_userbyid(role)) FROM text2sql.budgets b ORDER BY budget_id;
SELECT 'suites', to_jsonb(s) FROM text2sql.suites s ORDER BY suite;
SELECT 'cases', to_jsonb(c) || '{"kind": null, "gold_texts": null, "search_path": null, "relations": null}' FROM text2sql.cases c ORDER BY case_id;
SELECT 'evaluations', to_jsonb(r) - 'run_id' - 'run_by' - 'settings' || jsonb_build_object('evaluation_id', run_id, 'evaluated_by', run_by) FROM text2sql.runs r ORDER BY run_id;
SELECT 'results', to_jsonb(r) - 'run_id' || '{"cost": null, "currency": null, "engine": null, "expected_kind": null, "gold_texts": null, "kind": null, "context_precision": null, "context_recall": null, "lexical_text_faithfulness": null, "text_relevancy": null, "faithfulness": null, "answer_relevancy": null, "judge_calls": null, "relevance": null, "sentence_relevancy": null, "vector_similarity": null, "repairs": null, "valid_syntax": null, "valid_names": null}' || jsonb_build_object('evaluation_id', run_id, 'lexical_relevancy', answer_relevancy, 'lexical_faithfulness', faithfulness) FROM text2sql.results r ORDER BY run_id, case_id, attempt;
SELECT 'variants', to_jsonb(v) - 'run_id' || jsonb_build_object('evaluation_id', run_id) FROM text2sql.variants v ORDER BY run_id;
SELECT 'proposals', to_jsonb(p) - 'baseline_run' - 'proposal_run' - 'settings' - 'statements' || jsonb_build_object('baseline_evaluation', baseline_run, 'proposal_evaluation', proposal_run) FROM text2sql.proposals p ORDER BY proposal_id;
SELECT 'confidence_fits', to_jsonb(f) - 'right' - 'brier_of_share' - 'run_ids' || jsonb_build_object('basis', '{}'::jsonb, 'right_answers', "right", 'baseline_brier', brier_of_share, 'evaluation_ids', run_ids) FROM text2sql.confidence_fits f ORDER BY model;
SELECT 'next', last_value, is_called FROM text2sql.annotations_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql.definitions_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql.examples_id_seq
 UNION ALL SELECT 'next', last_value, is_called FROM text2sql.joins_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql.suggestions_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql.given_feedback_id_seq
 UNION ALL SELECT 'next', last_value, is_called FROM text2sql.egress_log_egress_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql.conversation_turns_turn_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql.budgets_budget_id_seq
 UNION ALL SELECT 'next', last_value, is_called FROM text2sql.cases_case_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql.runs_run_id_seq UNION ALL SELECT 'next', last_value, is_called FROM text2sql.proposals_proposal_id_seq;
SELECT 'server', srvname, ARRAY(SELECT o FROM unnest(srvoptions) AS o ORDER BY o), srvacl, (SELECT count(*) FROM pg_user_mappings m WHERE m.srvid = s.oid) FROM pg_foreign_server s;
