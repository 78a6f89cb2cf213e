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
           AND p.proname IN ('show', 'ask', 'ask_rows', 'ask_cursor', 'to_sql', 'preview_prompt', 'retrieve',
                             'run', 'run_json', 'validate', 'lineage', 'explain', 'status', 'version',
                             'list_definitions', 'list_examples', 'list_joins',
                             'trust_report', 'score', 'why_empty', 'explain_plan', 'optimize', 'trace', 'release_local_model',
                             'export_conversation', 'drop_conversation', 'feedback', 'withdraw_feedback', 'revise', 'ask_view')
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', signature, role_name);
    END LOOP;
    EXECUTE format('GRANT EXECUTE ON PROCEDURE text2sql.ask_into(text, text, jsonb) TO %I', role_name);
    -- Row-level security shows what is about objects that the role may see.
    EXECUTE format('GRANT SELECT ON text2sql.annotations, text2sql.definitions, text2sql.examples, '
                   'text2sql.joins, text2sql.descriptions, text2sql.confidence_fits TO %I', role_name);
    EXECUTE format('GRANT SELECT ON text2sql.permissions, text2sql.column_permissions, text2sql.roles, text2sql.protected TO %I', role_name);
    EXECUTE format('GRANT SELECT ON text2sql.history, text2sql.egress_log, text2sql.usage_by_role, '
                   'text2sql.given_feedback, text2sql.feedback TO %I', role_name);
    EXECUTE format('GRANT SELECT, DELETE ON text2sql.conversation_turns TO %I', role_name);
    EXECUTE format('GRANT SELECT ON text2sql.conversations TO %I', role_name);
END
$grant_usage$;

-- Lets a role teach, and ask. It teaches about what it may read itself: the policies see to that.
CREATE FUNCTION text2sql.grant_curator(role_name text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $grant_curator$
DECLARE
    signature regprocedure;
BEGIN
    PERFORM text2sql.grant_usage(role_name);
    FOR signature IN
        SELECT p.oid FROM pg_proc p
         WHERE p.pronamespace = 'text2sql'::regnamespace
           AND p.proname IN ('describe', 'describe_values', 'add_synonyms', 'drop_synonyms', 'mark_rarely_useful',
                             'define', 'drop_definition',
                             'add_example', 'import_examples', 'verify_example', 'drop_example',
                             'check_example', 'check_examples',
                             'add_join', 'decide_join', 'drop_join', 'suggest_joins', 'import_dbt',
                             'suggest_descriptions', 'apply_descriptions', 'reject_descriptions',
                             'export_knowledge', 'import_knowledge', '_rebind_knowledge',
                             'fit_confidence', 'forget_confidence', '_fit_confidence')
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', signature, role_name);
    END LOOP;
    EXECUTE format('GRANT EXECUTE ON PROCEDURE text2sql.refresh(boolean) TO %I', role_name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON text2sql.annotations, text2sql.definitions, '
                   'text2sql.examples, text2sql.joins, text2sql.suggestions, text2sql.confidence_fits TO %I', role_name);
END
$grant_curator$;

-- Nothing is executable by PUBLIC but what tests/lifecycle/public_functions.txt lists. Every upgrade
-- script that adds a function repeats this line.
REVOKE ALL ON ALL ROUTINES IN SCHEMA text2sql FROM PUBLIC;
GRANT EXECUTE ON FUNCTION text2sql._protection(oid, smallint), text2sql._is_shown(oid) TO PUBLIC;

-- Policies and views are evaluated as the role that reads, so every role must be able to call these.
-- They tell a name, or whether one may see an object: the catalog tells as much.
GRANT EXECUTE ON FUNCTION text2sql._may_see(text, text[], oid[], int2[]) TO PUBLIC;
GRANT EXECUTE ON FUNCTION text2sql._objects_now(text, text[], oid[], int2[]) TO PUBLIC;
GRANT EXECUTE ON FUNCTION text2sql._object_name(oid, int2) TO PUBLIC;
GRANT EXECUTE ON FUNCTION text2sql._catalog_stamp() TO PUBLIC;

COMMENT ON FOREIGN DATA WRAPPER text2sql IS
    'models: each server of it is an endpoint that text2sql.model can name';
COMMENT ON FUNCTION text2sql.show(text, text) IS
    'answers a question with lines to read: rows, a sentence, the SQL; in a conversation it may go on from the one before';
COMMENT ON FUNCTION text2sql.ask(text, jsonb, text) IS
    'answers a question with one row: status, sentence, SQL, and the rows as JSON; in a conversation it may go on from the one before';
COMMENT ON FUNCTION text2sql.ask_rows(text) IS
    'answers a question with typed rows: SELECT * FROM text2sql.ask_rows(''…'') AS t(region text, revenue numeric)';
COMMENT ON FUNCTION text2sql.ask_cursor(text) IS
    'answers a question with a cursor over the captured rows, open until the end of the transaction';
COMMENT ON FUNCTION text2sql.ask_view(text, text, jsonb) IS
    'makes a view that answers a question; its comment tells the question, who wrote the SQL, and the definitions';
COMMENT ON PROCEDURE text2sql.ask_into(text, text, jsonb) IS
    'answers a question with a temporary table, or a cursor (''cursor:name''), without holding a snapshot while the model thinks';
COMMENT ON FUNCTION text2sql.revise(text, text, jsonb) IS
    'changes a query as asked, and shows what it changed in words and in SQL';
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
COMMENT ON FUNCTION text2sql.explain(text, boolean, text) IS
    'explains a query clause by clause in plain words, with the comments of what it reads; summary => true puts a summary of the model on top';
COMMENT ON FUNCTION text2sql.trust_report(text) IS
    'says what may be wrong with a query that runs, with evidence from keys, statistics and data, and what to do about it';
COMMENT ON FUNCTION text2sql.score(text, text) IS
    'scores a query for a question from 0 to 1 in seven dimensions, each with a reason; asks no model';
COMMENT ON FUNCTION text2sql._fit_confidence(float8[], float8[], boolean[]) IS
    'the fit behind fit_confidence';
COMMENT ON FUNCTION text2sql.why_empty(text) IS
    'says which condition or join leaves a query without rows, and the smallest change that gives some';
COMMENT ON FUNCTION text2sql.explain_plan(text, boolean) IS
    'says in words how a query is executed, what is slow and why; measured => true runs it for that, under the guard';
COMMENT ON FUNCTION text2sql.optimize(text, boolean) IS
    'proposes rewrites, indexes and statistics that make a query faster, with the planner''s cost before and after; model => true asks the model for rewrites, too; changes nothing';
COMMENT ON FUNCTION text2sql.status() IS
    'shows what is configured for the caller, and whether it works';
COMMENT ON FUNCTION text2sql.version() IS
    'the version of the loaded library';
COMMENT ON FUNCTION text2sql.add_model(text, text, text, text, text, text, jsonb) IS
    'adds a model: the short form of CREATE SERVER … FOREIGN DATA WRAPPER text2sql';
COMMENT ON FUNCTION text2sql.grant_usage(text) IS
    'lets a role ask questions, with the role''s own rights';
COMMENT ON FUNCTION text2sql.grant_curator(text) IS
    'lets a role teach: describe, define, add examples, about what the role may read itself';
COMMENT ON FUNCTION text2sql.describe(text, text) IS
    'says what a schema, table or column means; NULL takes it back; wins over COMMENT ON';
COMMENT ON FUNCTION text2sql.describe_values(text, jsonb) IS
    'says what the values of a column mean: ''{"A": "active"}''; NULL takes it back';
COMMENT ON FUNCTION text2sql.add_synonyms(text, text[]) IS
    'adds other words for a table or column, in any language';
COMMENT ON FUNCTION text2sql.drop_synonyms(text, text[]) IS
    'takes back other words for a table or column; without words, all of them';
COMMENT ON FUNCTION text2sql.mark_rarely_useful(text, boolean) IS
    'says that few questions need a column: a crowded prompt leaves it out first';
COMMENT ON FUNCTION text2sql.define(text, text, text, text, text[]) IS
    'defines a term of the house in words and in SQL, which the server checks';
COMMENT ON FUNCTION text2sql.drop_definition(text, text) IS
    'takes a definition back';
COMMENT ON FUNCTION text2sql.list_definitions() IS
    'lists the definitions, and whether the server still accepts their SQL';
COMMENT ON FUNCTION text2sql.add_example(text, text) IS
    'adds a question with the SQL that answers it, which the guard judges; gives its id';
COMMENT ON FUNCTION text2sql.import_examples(text, text) IS
    'adds the examples of JSON lines; on_error => ''skip'' leaves bad lines out and tells their numbers';
COMMENT ON FUNCTION text2sql.verify_example(integer, boolean) IS
    'says that the SQL of an example answers its question; without that it is not used';
COMMENT ON FUNCTION text2sql.drop_example(integer) IS
    'takes an example back';
COMMENT ON FUNCTION text2sql.check_example(integer) IS
    'asks the model whether the SQL of an example answers its question';
COMMENT ON FUNCTION text2sql.check_examples(integer) IS
    'asks the model about the examples that it was not asked about yet';
COMMENT ON FUNCTION text2sql.list_examples(boolean) IS
    'lists the examples; with only_broken, those whose SQL is no longer right';
COMMENT ON FUNCTION text2sql.feedback(uuid, text, text, text) IS
    'says that an answer was right or wrong, with the SQL that would be right; it waits for a curator as an example';
COMMENT ON FUNCTION text2sql.withdraw_feedback(uuid) IS
    'takes back what you said about an answer';
COMMENT ON TABLE text2sql.given_feedback IS
    'what people said about answers; read it through text2sql.feedback';
COMMENT ON VIEW text2sql.feedback IS
    'what people said about answers, and what became of it: your own, and for curators everything about what they may read';
COMMENT ON FUNCTION text2sql.add_join(text[], text[], text) IS
    'says that columns refer to columns of another table, as a foreign key would';
COMMENT ON FUNCTION text2sql.decide_join(integer, boolean) IS
    'accepts a join that was suggested, or rejects it';
COMMENT ON FUNCTION text2sql.drop_join(integer) IS
    'takes a join back';
COMMENT ON FUNCTION text2sql.list_joins() IS
    'lists the joins that no foreign key declares';
COMMENT ON FUNCTION text2sql.import_dbt(json) IS
    'takes descriptions, relationships, accepted values and metrics of a dbt manifest, and reports each';
COMMENT ON FUNCTION text2sql.suggest_descriptions(text[]) IS
    'asks the model to describe tables that nobody described; nothing is used before apply_descriptions()';
COMMENT ON FUNCTION text2sql.apply_descriptions(integer[]) IS
    'uses suggestions: those with these ids, or all open ones';
COMMENT ON FUNCTION text2sql.reject_descriptions(integer[]) IS
    'puts suggestions aside: those with these ids, or all open ones';
COMMENT ON FUNCTION text2sql.export_knowledge() IS
    'everything taught as a text for review, one JSON object a line';
COMMENT ON FUNCTION text2sql.import_knowledge(text, text, text) IS
    'takes what export_knowledge() wrote; mode => ''replace'' puts it in place of what is there';
COMMENT ON FUNCTION text2sql._may_see(text, text[], oid[], int2[]) IS
    'whether the current user may see every object that a taught row is about';
COMMENT ON FUNCTION text2sql._objects_now(text, text[], oid[], int2[]) IS
    'where the objects of a taught row are now; NULL for what is gone';
COMMENT ON FUNCTION text2sql._object_name(oid, int2) IS
    'the name that SQL writes for a schema, table or column';
COMMENT ON FUNCTION text2sql._follow_objects() IS
    'event trigger: what is taught about an object goes with it when it is renamed or replaced';
COMMENT ON FUNCTION text2sql._follow_rename(text, oid[]) IS
    'writes new names into the taught rows about objects';
COMMENT ON FUNCTION text2sql._follow_drop(text, oid[]) IS
    'gives taught rows about a dropped table to the one that has its former name';
COMMENT ON FUNCTION text2sql._rebind_knowledge() IS
    'binds taught rows from a dump to the objects that now have their names; gives how many';
COMMENT ON FUNCTION text2sql.protect(text, text) IS
    'protects a column, a table or a schema: private keeps its values out of prompts, hidden keeps it from questions, open takes that back';
COMMENT ON FUNCTION text2sql._protection(oid, smallint) IS
    'how a column is protected, or with 0 the table; for SQL of the extension';
COMMENT ON FUNCTION text2sql._is_shown(oid) IS
    'whether a relation exists for questions of the caller; for views of the extension';
COMMENT ON VIEW text2sql.permissions IS
    'who may read and change which table: one row for each table and role';
COMMENT ON VIEW text2sql.column_permissions IS
    'who may read and change which column: one row for each column and role';
COMMENT ON VIEW text2sql.roles IS
    'the roles, what they may do beyond tables, and the groups they belong to';
COMMENT ON FUNCTION text2sql._follow_protections() IS
    'brings the names and OIDs of protected objects together again';
COMMENT ON FUNCTION text2sql._follow_renames() IS
    'event trigger: protection follows what is renamed';
COMMENT ON TABLE text2sql.protections IS
    'what text2sql.protect() was told; read it through text2sql.protected';
COMMENT ON VIEW text2sql.protected IS
    'what is protected, for the owners of the objects and of the database';
COMMENT ON TABLE text2sql.history IS
    'the questions that you asked, each with its SQL, status, cost and stages; who may purge it sees everybody''s';
COMMENT ON TABLE text2sql.egress_log IS
    'what left the server for your questions: to which endpoint, which names, values of which columns, how many rows';
COMMENT ON VIEW text2sql.usage_by_role IS
    'questions, answers, tokens and time by role, day (UTC) and model';
COMMENT ON TABLE text2sql.budgets IS
    'how many questions and tokens a role may use in a day (UTC); set with text2sql.set_budget';
COMMENT ON TABLE text2sql.conversation_turns IS
    'what you asked in conversations: the questions and their SQL, never a row';
COMMENT ON VIEW text2sql.conversations IS
    'your conversations: how many turns, the first question, when the last';
COMMENT ON FUNCTION text2sql.export_conversation(text) IS
    'what you asked in a conversation, as one JSON object';
COMMENT ON FUNCTION text2sql.drop_conversation(text) IS
    'forgets what you asked in a conversation; gives the number of turns';
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
COMMENT ON FUNCTION text2sql._tell_comment() IS
    'event trigger: every session reads a table again whose comments changed';
COMMENT ON FUNCTION text2sql._forget_table(oid) IS
    'makes every session read a table again; for the event trigger of comments';
COMMENT ON FUNCTION text2sql._validate_options(text[], oid) IS
    'checks the options of servers and user mappings';
COMMENT ON PROCEDURE text2sql.refresh(boolean) IS
    'brings the search index up to date, commit by commit; with rebuild, from nothing';
COMMENT ON FUNCTION text2sql.retrieve(text) IS
    'shows what a question finds in the catalog, and why each table is in';
COMMENT ON FUNCTION text2sql.release_local_model() IS
    'gives back the memory of the embedder ''local'' that this session has loaded; says whether there was any';
COMMENT ON FUNCTION text2sql.suggest_joins(integer) IS
    'suggests joins that no foreign key declares, from statements and examples, with their evidence; used when decide_join() accepts them';
COMMENT ON FUNCTION text2sql._note_ddl() IS
    'event trigger: notes tables that DDL made or changed, which questions then read live';
COMMENT ON FUNCTION text2sql._note_drop() IS
    'event trigger: takes notes of dropped tables away';
COMMENT ON FUNCTION text2sql._note_teaching() IS
    'trigger: notes tables that something was taught about';
COMMENT ON FUNCTION text2sql._granted_to_public(pg_ddl_command) IS
    'which relations a GRANT opened to PUBLIC; for the event trigger that notes them';
