-- Who may call what, and what each function is for. Run last by CREATE EXTENSION.

-- Lets a role ask questions. It asks with its own rights: it reads what it may read, no more.
CREATE FUNCTION text2sql.grant_usage(role_name text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $grant_usage$
DECLARE
    signature regprocedure;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
        RAISE EXCEPTION 'role "%" does not exist', role_name
            USING ERRCODE = 'undefined_object',
                  HINT = 'the name is taken as it is, without quotes: SELECT text2sql.grant_usage(''analyst'')';
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA text2sql TO %I', role_name);
    FOR signature IN
        SELECT p.oid FROM pg_proc p
         WHERE p.pronamespace = 'text2sql'::regnamespace
           AND p.proname IN ('show', 'ask', 'ask_rows', 'ask_cursor', 'to_sql', 'preview_prompt',
                             'run', 'run_json', 'validate', 'lineage', 'explain', 'status', 'version', 'trace')
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', signature, role_name);
    END LOOP;
    -- Row-level security shows each role its own.
    EXECUTE format('GRANT SELECT ON text2sql.history, text2sql.egress_log, text2sql.usage_by_role TO %I', role_name);
END
$grant_usage$;

-- Nothing is executable by PUBLIC. Every upgrade script that adds a function repeats this line.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA text2sql FROM PUBLIC;

COMMENT ON FOREIGN DATA WRAPPER text2sql IS
    'models: each server of it is an endpoint that text2sql.model can name';
COMMENT ON FUNCTION text2sql.show(text) IS
    'answers a question with lines to read: rows, a sentence, the SQL';
COMMENT ON FUNCTION text2sql.ask(text, jsonb) IS
    'answers a question with one row: status, sentence, SQL, and the rows as JSON';
COMMENT ON FUNCTION text2sql.ask_rows(text) IS
    'answers a question with typed rows: SELECT * FROM text2sql.ask_rows(''…'') AS t(region text, revenue numeric)';
COMMENT ON FUNCTION text2sql.ask_cursor(text) IS
    'answers a question with a cursor over the captured rows, open until the end of the transaction';
COMMENT ON FUNCTION text2sql.to_sql(text, boolean) IS
    'writes the SQL for a question without running it; guarded, as a call of text2sql.run with typed columns';
COMMENT ON FUNCTION text2sql.preview_prompt(text) IS
    'shows what would be sent to the model for a question, without sending it';
COMMENT ON FUNCTION text2sql.run(text) IS
    'runs a SELECT under the full guard: SELECT * FROM text2sql.run(''…'') AS t(…)';
COMMENT ON FUNCTION text2sql.run_json(text) IS
    'runs a SELECT under the full guard and gives columns and rows as JSON';
COMMENT ON FUNCTION text2sql.validate(text) IS
    'says whether the guard would let a statement run, why not, and what it reads and calls; runs nothing';
COMMENT ON FUNCTION text2sql.lineage(text) IS
    'lists the columns that a SELECT reads, views resolved to the tables behind them; runs nothing';
COMMENT ON FUNCTION text2sql.explain(text) IS
    'explains a query clause by clause in plain words, with the comments of what it reads';
COMMENT ON FUNCTION text2sql.status() IS
    'shows what is configured for the caller, and whether it works';
COMMENT ON FUNCTION text2sql.version() IS
    'the version of the loaded library';
COMMENT ON FUNCTION text2sql.add_model(text, text, text, text, text, text, jsonb) IS
    'adds a model: the short form of CREATE SERVER … FOREIGN DATA WRAPPER text2sql';
COMMENT ON FUNCTION text2sql.grant_usage(text) IS
    'lets a role ask questions, with the role''s own rights';
COMMENT ON TABLE text2sql.history IS
    'the questions that you asked, each with its SQL, status, cost and stages; who may purge it sees everybody''s';
COMMENT ON TABLE text2sql.egress_log IS
    'what left the server for your questions: to which endpoint, which names, values of which columns, how many rows';
COMMENT ON VIEW text2sql.usage_by_role IS
    'questions, answers, tokens and time by role, day (UTC) and model';
COMMENT ON TABLE text2sql.budgets IS
    'how many questions and tokens a role may use in a day (UTC); set with text2sql.set_budget';
COMMENT ON FUNCTION text2sql.trace(uuid) IS
    'the stages of a question, in order: what went in, what came out, how long it took';
COMMENT ON FUNCTION text2sql.purge_history(interval) IS
    'deletes questions older than the interval, with what left the server for them; gives their number';
COMMENT ON FUNCTION text2sql.set_budget(text, integer, bigint) IS
    'bounds the questions and tokens of a role and its members in a day (UTC); without numbers, lifts the bound';
COMMENT ON FUNCTION text2sql.budget_usage() IS
    'how much of each budget is used up today';
COMMENT ON FUNCTION text2sql._count_today(integer, text, bigint, bigint) IS
    'adds to a budget''s counter of a day';
COMMENT ON FUNCTION text2sql._catalog_stamp() IS
    'names the catalog in which the OIDs kept in text2sql tables mean something';
COMMENT ON FUNCTION text2sql._tell_sessions() IS
    'trigger: every session reads the table again after the commit';
COMMENT ON FUNCTION text2sql._validate_options(text[], oid) IS
    'checks the options of servers and user mappings';
