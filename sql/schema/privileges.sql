-- What each object is for, and who may use it. Run last by CREATE EXTENSION.

COMMENT ON FOREIGN DATA WRAPPER text2sql IS
    'models: each server of it is an endpoint that text2sql.model can name';
COMMENT ON FUNCTION text2sql.show(text, text, jsonb) IS
    'Answers a question with lines to read: the rows, a sentence and the SQL. In a conversation the question may go on from earlier ones.';
COMMENT ON FUNCTION text2sql.ask(text, text, jsonb) IS
    'Answers a question with one row: the status, a sentence, the SQL, and the rows as JSON. In a conversation the question may go on from earlier ones. Example: SELECT answer, result_rows FROM text2sql.ask(''How many orders are there?'', options => ''{"max_result_rows": 100}'').';
COMMENT ON FUNCTION text2sql.ask_rows(text, text, jsonb) IS
    'Answers a question with typed rows, as the column definition list of the query says. Example: SELECT * FROM text2sql.ask_rows(''Revenue per region'') AS t(region text, revenue numeric).';
COMMENT ON FUNCTION text2sql.ask_cursor(text, text, jsonb) IS
    'Answers a question with the name of a cursor over the rows, which is open until the end of the transaction.';
COMMENT ON FUNCTION text2sql.ask_view(text, text, text, jsonb) IS
    'Creates a view that answers a question, and returns its name. The comment of the view says the question, the definitions, what is left out, and which model wrote the SQL. Example: SELECT text2sql.ask_view(''Revenue per month'', ''monthly_revenue'').';
COMMENT ON PROCEDURE text2sql.ask_into(text, text, text, jsonb) IS
    'Answers a question with a temporary table, or with a cursor where the target is ''cursor:name''. It holds no snapshot while the model works. Example: CALL text2sql.ask_into(''Revenue per region'', ''revenue'').';
COMMENT ON FUNCTION text2sql.revise(text, text, jsonb) IS
    'Changes a query as requested, and says what changed in words and as a difference of lines. Example: SELECT * FROM text2sql.revise(''SELECT …'', ''by quarter instead'').';
COMMENT ON FUNCTION text2sql.to_sql(text, text, jsonb) IS
    'Writes the SQL for a question without running it, after comments that say what it leaves out. With options => ''{"guarded": true}'' the SQL is a call of text2sql.run() with typed columns.';
COMMENT ON FUNCTION text2sql.preview_prompt(text, text, jsonb) IS
    'Returns the prompt that would be sent to the model for a question, without sending it.';
COMMENT ON FUNCTION text2sql.run(text) IS
    'Runs a SELECT under the guard and returns its rows. Example: SELECT * FROM text2sql.run(''SELECT name FROM customers'') AS t(name text).';
COMMENT ON FUNCTION text2sql.run_json(text) IS
    'Runs a SELECT under the guard and returns its columns and rows as JSON.';
COMMENT ON FUNCTION text2sql.validate(text) IS
    'Says whether the guard would let a statement run, why not, and what the statement reads and calls. It runs nothing.';
COMMENT ON FUNCTION text2sql.lineage(text) IS
    'Lists the columns that a SELECT reads, in the tables behind its views. It runs nothing.';
COMMENT ON FUNCTION text2sql.explain(text, boolean, text) IS
    'Explains a query clause by clause in words, with the comments of what it reads. With summary => true a summary that the model writes comes first.';
COMMENT ON FUNCTION text2sql.trust_report(text) IS
    'Lists what may be wrong with a query that runs, with evidence from keys, statistics and data, and how to fix it.';
COMMENT ON FUNCTION text2sql.score(text, text, text, jsonb) IS
    'Scores a query for a question from 0 to 1 in seven dimensions, each with a reason. It asks no model. Example: SELECT * FROM text2sql.score(''How many orders are there?'', ''SELECT count(*) FROM orders'').';
COMMENT ON FUNCTION text2sql.why_empty(text) IS
    'Says which condition or join leaves a query without rows, and the smallest change that returns some.';
COMMENT ON FUNCTION text2sql.explain_plan(text, jsonb) IS
    'Explains the execution plan of a query in words: what is slow, and why. With options => ''{"analyze": true}'' the query is run under the guard to measure it.';
COMMENT ON FUNCTION text2sql.optimize(text, jsonb) IS
    'Proposes rewrites, indexes and statistics that make a query faster, with the cost that the planner estimates before and after. With options => ''{"use_model": true}'' the model is asked for rewrites as well. It changes nothing.';
COMMENT ON FUNCTION text2sql.status() IS
    'Lists what is configured for the caller, and whether it works.';
COMMENT ON FUNCTION text2sql.version() IS
    'Returns the version of the loaded library.';
COMMENT ON FUNCTION text2sql.add_model(text, text, text, text, text, text, jsonb) IS
    'Adds a model: the short form of CREATE SERVER … FOREIGN DATA WRAPPER text2sql.';
COMMENT ON FUNCTION text2sql.drop_model(text) IS
    'Drops a model with its user mappings: the short form of DROP SERVER.';
COMMENT ON FUNCTION text2sql._model_state(text) IS
    'Whether the caller can use a model, for the view models.';
COMMENT ON FUNCTION text2sql.grant_usage(text) IS
    'Lets a role ask questions, with its own privileges on the data.';
COMMENT ON FUNCTION text2sql.grant_curator(text) IS
    'Lets a role ask questions, and teach about objects that it may read: describe, define, add examples and joins.';
COMMENT ON FUNCTION text2sql.grant_evaluation(text) IS
    'Lets a role keep suites and evaluate them, with its own rights.';
COMMENT ON FUNCTION text2sql.revoke_usage(text) IS
    'Revokes all privileges of a role on objects of the extension.';
COMMENT ON FUNCTION text2sql.revoke_curator(text) IS
    'Revokes the right to teach. The role may still ask questions.';
COMMENT ON FUNCTION text2sql.revoke_evaluation(text) IS
    'Revokes the right to evaluate. The role may still ask questions.';
COMMENT ON FUNCTION text2sql._privileges() IS
    'The list of privileges on the objects of the extension.';
COMMENT ON FUNCTION text2sql._own_objects() IS
    'The objects of the extension that have privileges, with their access control lists.';
COMMENT ON FUNCTION text2sql._granted_roles(text) IS
    'The roles that grant_usage(), grant_curator() or grant_evaluation() was called for.';
COMMENT ON FUNCTION text2sql._give(text, name) IS
    'Grants a role what _privileges() lists for an audience.';
COMMENT ON FUNCTION text2sql._take_back(text, name) IS
    'Revokes from a role what _privileges() lists for an audience.';
COMMENT ON FUNCTION text2sql._settle_privileges() IS
    'Makes the privileges on the objects of the extension those that _privileges() lists. The last statement of every upgrade script.';
COMMENT ON FUNCTION text2sql._require_role(text, text) IS
    'Raises an error unless a role exists.';
COMMENT ON FUNCTION text2sql.describe(text, text) IS
    'Says what a schema, table or column means; it wins over COMMENT ON. NULL removes the description.';
COMMENT ON FUNCTION text2sql.describe_values(text, jsonb) IS
    'Says what the values of a column mean: ''{"A": "active"}''. NULL removes the meanings.';
COMMENT ON FUNCTION text2sql.add_synonyms(text, text[]) IS
    'Adds other words for a table or column, in any language.';
COMMENT ON FUNCTION text2sql.drop_synonyms(text, text[]) IS
    'Removes other words for a table or column; without words, all of them.';
COMMENT ON FUNCTION text2sql.set_column_priority(text, text) IS
    'Sets the priority of a column: a crowded prompt leaves out columns of priority ''low'' first. NULL gives the column the ordinary priority back.';
COMMENT ON FUNCTION text2sql.define(text, text, text, text, text[]) IS
    'Defines a business term in words and in SQL, which the server checks.';
COMMENT ON FUNCTION text2sql.drop_definition(text, text) IS
    'Removes a definition.';
COMMENT ON FUNCTION text2sql.add_example(text, text) IS
    'Adds a question with the SQL that answers it, which the guard judges, and returns its id. It is used when a curator has verified it.';
COMMENT ON FUNCTION text2sql.import_examples(text, text) IS
    'Adds the examples of JSON lines; on_error => ''skip'' leaves out bad lines and reports their numbers.';
COMMENT ON FUNCTION text2sql.verify_example(bigint) IS
    'Says that the SQL of an example answers its question; only verified examples are used.';
COMMENT ON FUNCTION text2sql.unverify_example(bigint) IS
    'Takes back that an example is verified: it is not used any more.';
COMMENT ON FUNCTION text2sql._problem_of_sql(text) IS
    'Why SQL is not accepted now, for the view examples; NULL when it is.';
COMMENT ON FUNCTION text2sql._problem_of_expression(text, text) IS
    'Why an expression is not accepted now, for the view definitions; NULL when it is.';
COMMENT ON FUNCTION text2sql.drop_example(bigint) IS
    'Removes an example.';
COMMENT ON FUNCTION text2sql.check_example(bigint) IS
    'Asks the model whether the SQL of an example answers its question.';
COMMENT ON FUNCTION text2sql.check_examples(integer) IS
    'Asks the model about the examples that it was not asked about yet, max_examples at a time.';
COMMENT ON FUNCTION text2sql.add_feedback(uuid, text, text, text) IS
    'Says that an answer was right or wrong, with the SQL that would be right. It waits for a curator as an example, whose id is returned.';
COMMENT ON FUNCTION text2sql.drop_feedback(uuid) IS
    'Removes the feedback that the caller gave on an answer.';
COMMENT ON FUNCTION text2sql.add_join(text[], text[], text) IS
    'Says that columns refer to columns of another table, as a foreign key would, and returns the id of the join.';
COMMENT ON FUNCTION text2sql.accept_join(bigint) IS
    'Accepts a join that was suggested: questions use it as a foreign key.';
COMMENT ON FUNCTION text2sql.reject_join(bigint) IS
    'Rejects a join: it is not used, and not suggested again.';
COMMENT ON FUNCTION text2sql.drop_join(bigint) IS
    'Removes a join.';
COMMENT ON FUNCTION text2sql.import_dbt(json) IS
    'Takes descriptions, relationships, accepted values and metrics from a dbt manifest, and reports each.';
COMMENT ON FUNCTION text2sql.suggest_descriptions(text[]) IS
    'Asks the model to describe tables that have no description. Nothing is used before accept_suggestions().';
COMMENT ON FUNCTION text2sql.accept_suggestions(bigint[]) IS
    'Accepts suggestions: those with these ids, or all open ones.';
COMMENT ON FUNCTION text2sql.reject_suggestions(bigint[]) IS
    'Rejects suggestions, those with these ids, or all open ones, and returns how many.';
COMMENT ON FUNCTION text2sql.export_knowledge() IS
    'Returns everything that was taught as text for review, one JSON object on each line.';
COMMENT ON FUNCTION text2sql.import_knowledge(text, text, text) IS
    'Imports what export_knowledge() wrote; mode => ''replace'' puts it in place of what is there.';
COMMENT ON FUNCTION text2sql._may_see(text, text[], oid[], int2[]) IS
    'Whether the current user may see every object that a row is about.';
COMMENT ON FUNCTION text2sql._objects_now(text, text[], oid[], int2[]) IS
    'Where the objects of a row are now; NULL for what is gone.';
COMMENT ON FUNCTION text2sql._object_name(oid, int2) IS
    'The name that SQL writes for a schema, table or column.';
COMMENT ON FUNCTION text2sql._follow_objects() IS
    'Event trigger: knowledge about an object goes with it when it is renamed or replaced.';
COMMENT ON FUNCTION text2sql._follow_rename(text, oid[]) IS
    'Writes new names into the rows about objects.';
COMMENT ON FUNCTION text2sql._follow_drop(text, oid[]) IS
    'Gives rows about a dropped table to the table that has its former name.';
COMMENT ON FUNCTION text2sql._follow_missed() IS
    'Brings rows up to date whose objects were renamed or replaced unnoticed.';
COMMENT ON FUNCTION text2sql._rebind_knowledge() IS
    'Binds rows from a dump to the objects that now have their names, and returns how many.';
COMMENT ON FUNCTION text2sql.protect(text, text) IS
    'Protects a column, a table or a schema: private keeps its values out of prompts, hidden keeps it from questions, open removes the protection.';
COMMENT ON FUNCTION text2sql._protection(oid, smallint) IS
    'How a column is protected, or with 0 the table; for SQL of the extension.';
COMMENT ON FUNCTION text2sql._is_shown(oid) IS
    'Whether a relation exists for questions of the caller; for views of the extension.';
COMMENT ON VIEW text2sql.permissions IS
    'who may read and change which table: one row for each table and role';
COMMENT ON VIEW text2sql.column_permissions IS
    'who may read and change which column: one row for each column and role';
COMMENT ON VIEW text2sql.roles IS
    'the roles, what they may do beyond tables, and the groups they belong to';
COMMENT ON FUNCTION text2sql._follow_protections() IS
    'Brings the names and OIDs of protected objects together again.';
COMMENT ON FUNCTION text2sql._follow_renames() IS
    'Event trigger: protection follows what is renamed.';
COMMENT ON TABLE text2sql._protections IS
    'Rows behind the view text2sql.protected.';
COMMENT ON VIEW text2sql.protected IS
    'Objects that are protected, for their owners and the owner of the database.';
COMMENT ON TABLE text2sql.history IS
    'Questions that were asked, each with its SQL, status, cost and stages: those of the caller, and all of them for roles that may call drop_history().';
COMMENT ON TABLE text2sql.egress_log IS
    'What left the server for questions: to which endpoint, which names, values of which columns, how many rows.';
COMMENT ON VIEW text2sql.usage_by_role IS
    'Questions, answers, tokens and time by role, day (UTC) and model.';
COMMENT ON FUNCTION text2sql.export_conversation(text) IS
    'Returns a conversation of the caller as one JSON object.';
COMMENT ON FUNCTION text2sql.drop_conversation(text) IS
    'Deletes a conversation of the caller and returns the number of turns.';
COMMENT ON FUNCTION text2sql.trace(uuid) IS
    'Returns the stages of a question in order: what went in, what came out, how long it took.';
COMMENT ON FUNCTION text2sql.drop_history(interval) IS
    'Deletes questions older than the interval, with the record of what left the server for them, and returns their number.';
COMMENT ON FUNCTION text2sql.set_budget(text, integer, bigint) IS
    'Sets the maximum number of questions and tokens of a role and its members in a day (UTC); NULL is no bound, and without numbers the budget is removed.';
COMMENT ON FUNCTION text2sql._budget_usage() IS
    'Returns how much of each budget is used today, for the view budgets.';
COMMENT ON FUNCTION text2sql._is_budgeted(name, oid) IS
    'Whether a budget of one role applies to another.';
COMMENT ON FUNCTION text2sql._count_today(bigint, text, bigint, bigint) IS
    'Adds to the counter of a budget for a day.';
COMMENT ON FUNCTION text2sql._catalog_stamp() IS
    'Names the catalog in which the OIDs kept in text2sql tables mean something.';
COMMENT ON FUNCTION text2sql._tell_sessions() IS
    'Trigger: every session reads the table again after the commit.';
COMMENT ON FUNCTION text2sql._tell_comment() IS
    'event trigger: every session reads a table again whose comments changed';
COMMENT ON FUNCTION text2sql._forget_table(oid) IS
    'makes every session read a table again; for the event trigger of comments';
COMMENT ON FUNCTION text2sql._validate_options(text[], oid) IS
    'checks the options of servers and user mappings';
COMMENT ON PROCEDURE text2sql.refresh(jsonb) IS
    'Brings the search index up to date, and commits as it goes. With options => ''{"rebuild": true}'' the index is built from nothing.';
COMMENT ON FUNCTION text2sql.retrieve(text, text, jsonb) IS
    'Lists the tables and values that a question finds in the catalog, and why each was found.';
COMMENT ON FUNCTION text2sql.release_local_model() IS
    'Releases the memory of the embedding model ''local'' in this session, and returns whether it was loaded.';
COMMENT ON FUNCTION text2sql.suggest_joins(integer) IS
    'Suggests joins that no foreign key declares, from statements and examples, with their evidence. They are used when accept_join() accepts them.';
COMMENT ON FUNCTION text2sql._note_ddl() IS
    'event trigger: notes tables that DDL made or changed, which questions then read live';
COMMENT ON FUNCTION text2sql._note_drop() IS
    'event trigger: takes notes of dropped tables away';
COMMENT ON FUNCTION text2sql._note_teaching() IS
    'Trigger: notes tables whose descriptions or joins changed, for refresh().';
COMMENT ON FUNCTION text2sql._granted_to_public(pg_ddl_command) IS
    'which relations a GRANT opened to PUBLIC; for the event trigger that notes them';
COMMENT ON TABLE text2sql._index_state IS
    'what the search index was made with, and how far a refresh is; text2sql.status() tells it';
COMMENT ON TABLE text2sql._index_changes IS
    'objects that changed since the last refresh';
COMMENT ON TABLE text2sql._index_documents IS
    'what the search index finds: tables, columns, definitions, examples';
COMMENT ON TABLE text2sql._index_postings IS
    'words of the documents of the search index';
COMMENT ON TABLE text2sql._index_totals IS
    'figures of the search index that scores need';
COMMENT ON TABLE text2sql._index_vectors IS
    'vectors of the documents of the search index';
COMMENT ON TABLE text2sql._index_families IS
    'sibling tables that the search index treats as one';
COMMENT ON TABLE text2sql._index_joins IS
    'foreign keys and known joins, as the search index follows them';
COMMENT ON TABLE text2sql._index_value_tables IS
    'tables whose values the search index has read';
COMMENT ON TABLE text2sql._index_value_columns IS
    'columns whose values the search index has read';
COMMENT ON TABLE text2sql._index_values IS
    'values that questions may name; read as their owner, shown to who may read the column';
COMMENT ON TABLE text2sql._index_value_keys IS
    'ways to write the values that questions may name';

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
