-- What each object is for, and who may use it. Run last by CREATE EXTENSION.

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
    'makes a view that answers a question; its comment tells the question, the definitions, what is left out, and who wrote the SQL';
COMMENT ON PROCEDURE text2sql.ask_into(text, text, jsonb) IS
    'answers a question with a temporary table, or a cursor (''cursor:name''), without holding a snapshot while the model thinks';
COMMENT ON FUNCTION text2sql.revise(text, text, jsonb) IS
    'changes a query as asked, and shows what it changed in words and in SQL';
COMMENT ON FUNCTION text2sql.to_sql(text, boolean) IS
    'writes the SQL for a question without running it, behind comments that say what it leaves out; guarded, as a call of text2sql.run with typed columns';
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
COMMENT ON FUNCTION text2sql.revoke_usage(text) IS
    'takes back all that a role was granted on objects of the extension';
COMMENT ON FUNCTION text2sql.revoke_curator(text) IS
    'takes back the right to teach; the right to ask stays';
COMMENT ON FUNCTION text2sql.revoke_evaluation(text) IS
    'takes back the right to evaluate; the right to ask stays';
COMMENT ON FUNCTION text2sql._privileges() IS
    'who may do what with the objects of the extension';
COMMENT ON FUNCTION text2sql._own_objects() IS
    'the objects of the extension that have privileges, with what is granted';
COMMENT ON FUNCTION text2sql._granted_roles(text) IS
    'the roles that grant_usage(), grant_curator() or grant_evaluation() was called for';
COMMENT ON FUNCTION text2sql._give(text, name) IS
    'grants a role what _privileges() lists for an audience';
COMMENT ON FUNCTION text2sql._take_back(text, name) IS
    'revokes from a role what _privileges() lists for an audience';
COMMENT ON FUNCTION text2sql._settle_privileges() IS
    'makes the privileges on the objects of the extension those that _privileges() lists; the last statement of every upgrade script';
COMMENT ON FUNCTION text2sql._require_role(text, text) IS
    'raises an error unless a role exists';
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
COMMENT ON FUNCTION text2sql._follow_missed() IS
    'brings taught rows up to date whose objects were renamed or replaced unnoticed';
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
    'how much of each budget is used up today: your own, and all for who may set them';
COMMENT ON FUNCTION text2sql._is_budgeted(name, oid) IS
    'whether a budget of one role holds for another';
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
COMMENT ON TABLE text2sql.annotations IS
    'what is said about schemas, tables and columns: descriptions, meanings of values, synonyms; text2sql.descriptions has it by name';
COMMENT ON TABLE text2sql.definitions IS
    'terms of the house with their SQL; SELECT * FROM text2sql.list_definitions() says which still hold';
COMMENT ON TABLE text2sql.examples IS
    'questions with the SQL that answers them; SELECT * FROM text2sql.list_examples() says which still hold';
COMMENT ON TABLE text2sql.joins IS
    'joins that no foreign key declares: taught, imported or suggested; SELECT * FROM text2sql.list_joins()';
COMMENT ON TABLE text2sql.suggestions IS
    'what a model proposed about objects, for review; apply_descriptions() and reject_descriptions() decide';
COMMENT ON VIEW text2sql.descriptions IS
    'what is said about objects, under their names of today, with COMMENT ON beside it';
COMMENT ON TABLE text2sql.index_state IS
    'what the search index was made with, and how far a refresh is; text2sql.status() tells it';
COMMENT ON TABLE text2sql.index_changes IS
    'objects that changed since the last refresh';
COMMENT ON TABLE text2sql.index_documents IS
    'what the search index finds: tables, columns, definitions, examples';
COMMENT ON TABLE text2sql.index_postings IS
    'words of the documents of the search index';
COMMENT ON TABLE text2sql.index_totals IS
    'figures of the search index that scores need';
COMMENT ON TABLE text2sql.index_vectors IS
    'vectors of the documents of the search index';
COMMENT ON TABLE text2sql.index_families IS
    'sibling tables that the search index treats as one';
COMMENT ON TABLE text2sql.index_joins IS
    'foreign keys and known joins, as the search index follows them';
COMMENT ON TABLE text2sql.index_value_tables IS
    'tables whose values the search index has read';
COMMENT ON TABLE text2sql.index_value_columns IS
    'columns whose values the search index has read';
COMMENT ON TABLE text2sql.index_values IS
    'values that questions may name; read as their owner, shown to who may read the column';
COMMENT ON TABLE text2sql.index_value_keys IS
    'ways to write the values that questions may name';
COMMENT ON FUNCTION text2sql._microseconds IS 'a moment as the C functions of the evaluation take it';
COMMENT ON FUNCTION text2sql._boundaries IS 'values at the bounds of a statement''s conditions, for perturbed copies';
COMMENT ON FUNCTION text2sql._attempt IS 'one attempt at a case: asks and grades, writes nothing';
COMMENT ON FUNCTION text2sql._check_gold IS 'what is wrong with the gold of a case; NULL where it runs';
COMMENT ON FUNCTION text2sql._opinion IS 'what the model says about a failure';
COMMENT ON FUNCTION text2sql._read_cases IS 'the cases of JSON lines, or why a line is none';
COMMENT ON FUNCTION text2sql._store_case IS 'writes a case, or changes it';
COMMENT ON FUNCTION text2sql._record IS 'writes what came of an attempt';
COMMENT ON FUNCTION text2sql._suite_clock IS 'the clock of a suite, which is made where it is missing';
COMMENT ON FUNCTION text2sql._problem IS 'problems of a case as one sentence';
COMMENT ON FUNCTION text2sql._is_own_setting IS 'whether a setting is one of the evaluation itself';
COMMENT ON FUNCTION text2sql._setting_name IS 'a setting with its prefix';
COMMENT ON FUNCTION text2sql._begin_run IS 'makes a run with a row for each attempt';
COMMENT ON FUNCTION text2sql._configuration IS 'what is configured, for the record of a run';
COMMENT ON FUNCTION text2sql._claim IS 'takes the next attempt of a run that nobody else works at';
COMMENT ON FUNCTION text2sql._finish_run IS 'ends a run when nothing of it waits';
COMMENT ON FUNCTION text2sql._render_report IS 'a run as an HTML page';
COMMENT ON FUNCTION text2sql._run_data IS 'a run as JSON, for the report';
COMMENT ON FUNCTION text2sql._is_held_out IS 'whether a case is kept out of what tune() looks at';
COMMENT ON FUNCTION text2sql._begin_variant IS 'makes a run under varied settings';
COMMENT ON FUNCTION text2sql._propose IS 'writes down settings that tune() found';
COMMENT ON FUNCTION text2sql._judge_proposal IS 'says whether a proposal is better on the held-out cases';

-- Grants on a schema that was there before would survive. Those that a dump holds come back at its end.
DO $schema_privileges$
DECLARE
    grantee text;
BEGIN
    FOR grantee IN
        SELECT DISTINCT CASE held.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(held.grantee)) END
          FROM pg_namespace n, aclexplode(n.nspacl) AS held
         WHERE n.nspname = 'text2sql' AND held.grantee <> n.nspowner
    LOOP
        EXECUTE format('REVOKE ALL ON SCHEMA text2sql FROM %s CASCADE', grantee);
    END LOOP;
END
$schema_privileges$;
SELECT text2sql._settle_privileges();

-- Somebody who could create objects in the schema may have done so since install_check.sql looked.
DO $planted$
DECLARE
    planted text;
BEGIN
    SELECT string_agg(pg_describe_object(d.classid, d.objid, d.objsubid), ', ') INTO planted
      FROM pg_depend d
     WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'text2sql'::regnamespace
       AND d.classid NOT IN ('pg_extension'::regclass, 'pg_default_acl'::regclass, 'pg_publication_namespace'::regclass)
       AND NOT EXISTS (SELECT FROM pg_depend m
                        WHERE m.classid = d.classid AND m.objid = d.objid
                          AND m.refclassid = 'pg_extension'::regclass AND m.deptype IN ('e', 'i'))
       -- Indexes, rules and the like belong to a table of the extension.
       AND NOT EXISTS (SELECT FROM pg_depend i WHERE i.classid = d.classid AND i.objid = d.objid AND i.deptype IN ('i', 'a', 'I'));
    IF planted IS NOT NULL THEN
        RAISE EXCEPTION 'somebody created objects in schema text2sql while the extension was installed'
            USING ERRCODE = 'object_in_use', DETAIL = format('it holds: %s', planted),
                  HINT = 'remove them, and run CREATE EXTENSION again';
    END IF;
END
$planted$;
