-- What each object is for, and who may use it. Run last by CREATE EXTENSION.

COMMENT ON FOREIGN DATA WRAPPER text2sql IS
    'Models: each of its servers is an endpoint that text2sql.model can name.';
COMMENT ON FUNCTION text2sql.show(text, text, jsonb) IS
    'Answers a question with lines to read: the rows, a sentence and the SQL. In a conversation the question may continue earlier ones.';
COMMENT ON FUNCTION text2sql.ask(text, text, jsonb) IS
    'Answers a question with one row: the status, a sentence, the SQL, and the rows as JSON. In a conversation the question may continue earlier ones. Example: SELECT answer, result_rows FROM text2sql.ask(''How many orders are there?'', options => ''{"max_result_rows": 100}'').';
COMMENT ON FUNCTION text2sql.ask_rows(text, text, jsonb) IS
    'Answers a question with typed rows, as declared by the column definition list of the query. Example: SELECT * FROM text2sql.ask_rows(''Revenue per region'') AS t(region text, revenue numeric).';
COMMENT ON FUNCTION text2sql.ask_view(text, text, text, jsonb) IS
    'Creates a view that answers a question, and returns its name. The comment of the view contains the question, the definitions, what is omitted, and the model that wrote the SQL. Example: SELECT text2sql.ask_view(''Revenue per month'', ''monthly_revenue'').';
COMMENT ON PROCEDURE text2sql.ask_into(text, text, text, jsonb) IS
    'Answers a question with a temporary table, or with a cursor where the target is ''cursor:name'', which can be scrolled. It holds no snapshot while the model works. Example: CALL text2sql.ask_into(''Revenue per region'', ''revenue'').';
COMMENT ON FUNCTION text2sql.revise(text, text, jsonb) IS
    'Changes a query as requested, and describes the change in words and as a diff. Of a script (several statements, INSERT … SELECT, MERGE, CREATE, bodies of functions) nothing is run: the first row has all of it, and a row follows for each statement that differs, with what the server says of it. Without a query the request is about the database: the views, functions and procedures that it concerns are found, listed in clarification with the reason, and proposed as they would be afterwards; constants of text are sent only to models that may see values. Example: SELECT * FROM text2sql.revise(''SELECT …'', ''by quarter instead'').';
COMMENT ON FUNCTION text2sql.to_sql(text, text, jsonb) IS
    'Writes the SQL for a question without running it, after comments about what it omits. With options => ''{"guarded": true}'' the SQL is a call of text2sql.run() with typed columns.';
COMMENT ON FUNCTION text2sql.generate_sql(text, text, text, jsonb) IS
    'Writes a query for a schema that is not in this database, from its CREATE TABLE statements. The dialect is postgresql, sqlite, duckdb, mysql or tsql. The query is parsed in that dialect and its names are checked against the schema; nothing is run. Example: SELECT sql, reasoning FROM text2sql.generate_sql(''How many orders are there?'', ''CREATE TABLE orders (id integer)'', ''sqlite'').';
COMMENT ON FUNCTION text2sql.plan(text, text, jsonb) IS
    'Lists the steps in which a question would be answered, without running anything. Steps with the same statement are answered by one query; sql is known on the last step of a statement where no model writes it. confidence is that of the whole plan: measured where the query is known, else what the model says, which nobody measured; below 0.5 there is a warning. Example: SELECT step, what FROM text2sql.plan(''How many orders were there per month?'').';
COMMENT ON FUNCTION text2sql.preview_prompt(text, text, jsonb) IS
    'Returns the prompt that would be sent to the model for a question, without sending it.';
COMMENT ON FUNCTION text2sql.run(text) IS
    'Runs a SELECT under the guard and returns its rows. Example: SELECT * FROM text2sql.run(''SELECT name FROM customers'') AS t(name text).';
COMMENT ON FUNCTION text2sql.run_json(text) IS
    'Runs a SELECT under the guard and returns its columns and rows as JSON.';
COMMENT ON FUNCTION text2sql.validate(text) IS
    'Reports whether the guard would accept a statement, why not, and what the statement reads and calls; lineage has the columns of the tables behind its views. It runs nothing. Example: SELECT allowed, reason, lineage FROM text2sql.validate(''SELECT name FROM customers'').';
COMMENT ON FUNCTION text2sql.impact(text) IS
    'Lists what reads a table, a column, a view or a function: views, functions, policies, constraints, dbt models and stored knowledge, through views of views too, as far as the caller may see. Example: SELECT * FROM text2sql.impact(''orders.status'').';
COMMENT ON FUNCTION text2sql.explain(text, boolean, text, text) IS
    'Explains a query clause by clause in words, with the comments of what it reads. A script of several statements, a function, a procedure or a DO block is explained in order, with what flows from one statement to the next, and nothing of it is run. With summary => true a summary by the model comes first. A query of another dialect (sqlite, duckdb, mysql, tsql) is explained with its PostgreSQL form. Example: SELECT * FROM text2sql.explain(''SELECT TOP 5 name FROM customers'', dialect => ''tsql'').';
COMMENT ON FUNCTION text2sql.teach_me(text, jsonb, text, text) IS
    'Builds the query that answers a question, or a query of your own (sql => …), clause by clause: each step is a complete query, in words, with its first rows. A step that does not run alone says so in note. Example: SELECT step, clause, in_words, row_count FROM text2sql.teach_me(''How many orders were there per month?'').';
COMMENT ON FUNCTION text2sql.exercise(text, bigint, text) IS
    'Gives a question to practise SQL, from the tables and verified examples that the caller may read: easy, medium or hard. The same seed gives the same exercise while tables and examples stay as they are. Example: SELECT * FROM text2sql.exercise(''medium'', seed => 1).';
COMMENT ON FUNCTION text2sql.grade(text, text, text) IS
    'Marks an attempt at an exercise by its result: right, partly, wrong, or refused by the guard. The hint names the clause to look at, not the answer. Example: SELECT mark, hint FROM text2sql.grade(''easy-0123456789abcdef'', ''SELECT count(*) FROM customers'').';
COMMENT ON FUNCTION text2sql.trust_report(text) IS
    'Lists what may be wrong with a query that runs, with evidence from keys, statistics and data, and how to fix it.';
COMMENT ON FUNCTION text2sql.score(text, text, text, jsonb) IS
    'Scores a query for a question from 0 to 1 in seven dimensions, each with a reason. It does not call a model. Example: SELECT * FROM text2sql.score(''How many orders are there?'', ''SELECT count(*) FROM orders'').';
COMMENT ON FUNCTION text2sql.why_empty(text) IS
    'Finds the condition or join that leaves a query without rows, and the smallest change that returns some.';
COMMENT ON FUNCTION text2sql.explain_plan(text, jsonb) IS
    'Explains the execution plan of a query in words: what is slow, and why. With options => ''{"analyze": true}'' the query is run under the guard to measure it.';
COMMENT ON FUNCTION text2sql.optimize(text, jsonb) IS
    'Proposes rewrites, indexes and statistics that make a query faster, with the cost that the planner estimates before and after. With options => ''{"use_model": true}'' the model proposes rewrites as well. Without sql it proposes one set of indexes, and rewrites, for the statements with the most time in pg_stat_statements that the caller may see: which statements gain, what it costs writes, and which indexes are unused or duplicates. It changes nothing, and runs none of these. Example: SELECT kind, explanation, sql FROM text2sql.optimize(options => ''{"top": 50, "max_indexes": 5, "max_size": "1GB"}'').';
COMMENT ON FUNCTION text2sql.status() IS
    'Lists what is configured for the caller, and whether it works.';
COMMENT ON FUNCTION text2sql._version() IS
    'Loads the library, without which there are no settings, and returns its version.';
COMMENT ON FUNCTION text2sql.add_model(text, text, text, text, text, text, jsonb, text, boolean, text[]) IS
    'Adds a model: the short form of CREATE SERVER … FOREIGN DATA WRAPPER text2sql. With change => true it changes one that the caller owns: what is not given stays, and a member of options that is null goes. With users these roles and no others but the owner may use it; public stands for all. Examples: SELECT text2sql.add_model(''gpt'', ''openai'', ''https://host/v1'', ''model-name'', users => ''{analyst}''); SELECT text2sql.add_model(''gpt'', egress => ''values'', change => true).';
COMMENT ON FUNCTION text2sql._drop_model(text) IS
    'Drops a model with its user mappings, for forget().';
COMMENT ON FUNCTION text2sql.test_model(text) IS
    'Sends one small request to a model, as the caller, and says whether it works, how long it took, and what to do if it does not. The request holds nothing of the database, counts against budgets and is in egress_log. Example: SELECT * FROM text2sql.test_model(''gpt'').';
COMMENT ON FUNCTION text2sql._model_state(text) IS
    'Whether the caller can use a model, for the view models.';
COMMENT ON FUNCTION text2sql.grant_access(text, text) IS
    'Lets a role ask questions, with its own privileges on the data. The level curator adds the right to teach about objects that the role may read, approver the right to decide about queries of others that wait, evaluation the right to create suites and evaluate them. Example: SELECT text2sql.grant_access(''analyst'').';
COMMENT ON FUNCTION text2sql.revoke_access(text, text) IS
    'Revokes what a level of grant_access() adds to the right to ask; without a level, all privileges of a role on objects of the extension. Example: SELECT text2sql.revoke_access(''analyst'', ''curator'').';
COMMENT ON FUNCTION text2sql._require_level(text, text) IS
    'Raises an error unless there is such a level of access.';
COMMENT ON FUNCTION text2sql._privileges() IS
    'The list of privileges on the objects of the extension.';
COMMENT ON FUNCTION text2sql._own_objects() IS
    'The objects of the extension that have privileges, with their access control lists.';
COMMENT ON FUNCTION text2sql._granted_roles(text) IS
    'The roles that grant_access() was called for with that level.';
COMMENT ON FUNCTION text2sql._run_unrecorded(text) IS
    'Runs a GRANT or REVOKE that pg_dump is to keep although a script of the extension runs it.';
COMMENT ON FUNCTION text2sql._give(text, name) IS
    'Grants a role what _privileges() lists for an audience.';
COMMENT ON FUNCTION text2sql._take_back(text, name) IS
    'Revokes from a role what _privileges() lists for an audience.';
COMMENT ON FUNCTION text2sql._settle_privileges() IS
    'Sets the privileges on the objects of the extension to those listed by _privileges(). The last statement of every upgrade script.';
COMMENT ON FUNCTION text2sql._require_role(text, text) IS
    'Raises an error unless a role exists.';
COMMENT ON FUNCTION text2sql.describe(text, text, text[], jsonb, text, jsonb, integer) IS
    'Says what a schema, table or column means: its description, which takes precedence over COMMENT ON; synonyms, in any language, added to those that are there; the meanings of the values of a column; its priority, low or normal: a prompt that is too long first drops columns of low priority; samples, which every prompt shows whatever the egress of the model, marked as written by the owner of the table: values of a column, or rows; with invented_samples => 2 so many that the server invents in their shape, in place of those invented before. What is not given stays; forget() takes it away. A star in the name stands for all tables of a family, which have the same columns: sales_*, sales_*.amount. Example: SELECT text2sql.describe(''orders.status'', meanings => ''{"A": "active"}'').';
COMMENT ON FUNCTION text2sql.define(text, text, text, text, text[], text, text[], jsonb) IS
    'Defines a business term in words and in SQL, which the server checks, or as a period. The SQL may read a path of tables: joins => ''{orders -> customers -> countries}''. A metric is made of defined measures: one divided by another (ratio), one up to the end of each period (cumulative), or the share of rows that a row of another table follows (conversion). Example: SELECT text2sql.define(''basket'', ''sales per order'', metric => ''{"kind": "ratio", "numerator": "sales", "denominator": "orders"}'').';
COMMENT ON FUNCTION text2sql.add_example(text, text) IS
    'Adds a question with the SQL that answers it, which the guard judges, and returns its id. It is used when a curator has verified it.';
COMMENT ON FUNCTION text2sql._relations_of(text[], text, boolean) IS
    'The relations that the caller would read with all of the queries under a search_path, with their owners, for boards and for cases of other evaluators, and for kept answers with sums over the policies and views that decide about their rows; NULL where it may not run them.';
COMMENT ON FUNCTION text2sql._keep(text) IS
    'Names or pins a conversation, pins an answer to a board, or shares a board, for text2sql-server; returns how many rows that changed.';
COMMENT ON FUNCTION text2sql._problem_of_sql(text) IS
    'Returns why SQL is not valid now, for the view examples; NULL when it is.';
COMMENT ON FUNCTION text2sql._problem_of_definition(bigint) IS
    'Returns why the SQL of a definition is not valid now, for the view definitions; NULL when it is.';
COMMENT ON FUNCTION text2sql._parts_of_definition(bigint) IS
    'Returns joins, grain and query of a definition, for the view definitions.';
COMMENT ON FUNCTION text2sql.check_examples(integer, text, bigint[], boolean, boolean) IS
    'Asks the model about the examples that it has not checked yet, max_examples at a time, of all or of one imported file, or about those with these ids. With verify => true it then verifies those of the file or with these ids whose SQL is valid and which the model found to answer their question; with needs_opinion => false it asks no model, and verifies also those that none has checked. Example: SELECT question, outcome, reason FROM text2sql.check_examples(source => ''questions.jsonl'', verify => true).';
COMMENT ON FUNCTION text2sql.accept(text, bigint, boolean, text) IS
    'Has questions use what waits for a decision, and returns what became of it: an example (its SQL answers its question; only verified examples are used), a join (as a foreign key), a suggestion (a description that a user stored in the meantime is kept). An approver accepts a query that waits, so that the role that asked can run it with its own privileges, by text2sql.answer(id); with as_example => true, for curators, question and query become a verified example as well. An evaluator accepts a proposal of tune(), which sets it for the database, or for a role in it (role_name), in new sessions, and returns the statements. Example: SELECT text2sql.accept(''suggestion'', id) FROM text2sql.suggestions WHERE status = ''open''.';
COMMENT ON FUNCTION text2sql.reject(text, bigint, text) IS
    'Decides against it: an example is no longer used, a join is not used and not suggested again, a suggestion is closed. An approver rejects a query that waits, with a reason for the role that asked. Example: SELECT text2sql.reject(''query'', 17, ''returned orders are no revenue'').';
COMMENT ON FUNCTION text2sql.suggest(text, text[], integer) IS
    'Suggests what could be taught, with the statement that accepts it. Kinds: descriptions (a model describes the tables, or the tables of schemas, that have no description), joins (found in statements and examples, at most at_most), samples (columns whose frequent values have nothing private in them; without objects all tables are looked at). Example: SELECT object, suggestion, statement FROM text2sql.suggest(''joins'').';
COMMENT ON FUNCTION text2sql.forget(text, text, text, text[], boolean) IS
    'Takes away what has a name, and returns a row for each thing with what became of it. For every role: conversation (its own turns), feedback (its own, by trace_id), memory (of the embedder ''local'' in this session), model (of which it is the owner, as DROP SERVER). For evaluation: suite (with its cases; evaluations are kept), copies (of perturb()), confidence (fitted for a model; for curators, too). For curators: definition (applies_to says of which table, where there are several), description and meanings (of the values of a column, see describe()), import (what a file gave, except what was changed since and verified examples unless include_verified), synonyms (of an object: those listed, else all), text_index (a column whose texts are searched), vectors (of a second embedder). Example: SELECT outcome, reason FROM text2sql.forget(''definition'', ''revenue'').';
COMMENT ON FUNCTION text2sql.forget(text, bigint) IS
    'Takes away what has an id, which its view shows. For every role: answer (of its own question; one that is not answered yet is cancelled), pin (of an answer to one of its boards). For evaluation: case, evaluation (with its results). For curators: document, example, instruction, join, sample. Example: SELECT outcome FROM text2sql.forget(''example'', 17).';
COMMENT ON FUNCTION text2sql.add_feedback(uuid, text, text, text) IS
    'Records whether an answer was right or wrong, with corrected SQL. The resulting example awaits a curator; its id is returned.';
COMMENT ON FUNCTION text2sql.add_join(text[], text[], text) IS
    'Declares that columns reference columns of another table, as a foreign key would, and returns the id of the join.';
COMMENT ON FUNCTION text2sql.import_knowledge(text, text, text, text, text, text, text[]) IS
    'Imports knowledge, and returns what became of each line. Kinds: knowledge (what export_knowledge() wrote; mode => ''replace'' replaces what is stored), glossary (CSV or JSON lines of term, meaning, synonyms, SQL, applies_to, period), examples (CSV or JSON lines of question and SQL), dbt (manifest.json or semantic_manifest.json), cube, lookml, metricflow; documents (JSON lines with title and body, and optionally source, metadata and readers; mode => ''replace'' replaces those of the caller with the same source and title). A glossary and, with a source, examples are known under its name: importing it again updates what it gave, and forget(''import'', source) takes it back. on_error => ''skip'' leaves out invalid lines. Example: SELECT outcome, count(*) FROM text2sql.import_knowledge(E''term,meaning\nMRR,monthly recurring revenue'', ''glossary'', source => ''terms.csv'') GROUP BY outcome.';
COMMENT ON FUNCTION text2sql.export_knowledge(text) IS
    'Returns all stored knowledge as text, one JSON object a line, for import_knowledge(); with format => ''dbt'' the definitions as semantic models and metrics of dbt, where what has no such form becomes a comment.';
COMMENT ON FUNCTION text2sql._may_see(text, text[], oid[], int2[]) IS
    'Whether the current user may see every object that a row is about.';
COMMENT ON FUNCTION text2sql._resolve_objects(text, text[], oid[], int2[]) IS
    'Current names and OIDs of the objects of a row; NULL for dropped ones.';
COMMENT ON FUNCTION text2sql._object_name(oid, int2) IS
    'The name of a schema, table or column as written in SQL.';
COMMENT ON FUNCTION text2sql._follow_objects() IS
    'Event trigger: knowledge about an object follows it when it is renamed or replaced.';
COMMENT ON VIEW text2sql._rows_about_objects IS
    'Stored rows about objects, but annotations: their table, catalog and objects.';
COMMENT ON FUNCTION text2sql._follow_rename(text, oid[]) IS
    'Writes new names into the rows about objects.';
COMMENT ON FUNCTION text2sql._follow_drop(text, oid[]) IS
    'Moves rows about a dropped table to the table that has its former name.';
COMMENT ON FUNCTION text2sql._follow_missed() IS
    'Updates rows whose objects were renamed or replaced while the event triggers were disabled.';
COMMENT ON FUNCTION text2sql._rebind_knowledge() IS
    'Binds rows from a dump to the objects that now have their names, and returns their number.';
COMMENT ON FUNCTION text2sql.protect(text, text) IS
    'Protects a column, a table or a schema: private keeps its values out of prompts, hidden makes it invisible to questions, open removes the protection. With sample the owner of a table or column consents that its frequent values are in every prompt. Example: SELECT text2sql.protect(''orders.status'', ''sample'').';
COMMENT ON FUNCTION text2sql._protection(oid, smallint) IS
    'Returns the protection of a column, or of the table for 0; for SQL of the extension.';
COMMENT ON FUNCTION text2sql._shards() IS
    'Returns the sizes of the shards of Citus that are on this node; for refresh() on the coordinator.';
COMMENT ON FUNCTION text2sql._shard_statistics(text, text[], text[]) IS
    'Returns the statistics of the planner about shards of a table on this node, of columns that the caller may read; for refresh() on the coordinator.';
COMMENT ON FUNCTION text2sql._shard_values(text, text[], text[], integer) IS
    'Counts the rows of the shards of a table on this node and returns the distinct values of text columns, all of which the caller must be able to read; for refresh() on the coordinator.';
COMMENT ON FUNCTION text2sql._is_loaded(oid) IS
    'Whether this session has loaded a temporary table from a file; for SQL of the extension.';
COMMENT ON FUNCTION text2sql.load_file(text, text, jsonb) IS
    'Makes a table of CSV, of a JSON array of objects, or of one JSON object a line, and returns its columns: delimiter, quotes, header, decimal separator, dates, NULLs and types are found from the text, unless the options say them. The table is temporary, unless the name has a schema. Example: SELECT column_name, data_type, note FROM text2sql.load_file(''sales'', pg_read_file(''/data/sales.csv'')).';
COMMENT ON FUNCTION text2sql._is_shown(oid) IS
    'Whether a relation is visible to questions of the caller; for views of the extension.';
COMMENT ON VIEW text2sql.permissions IS
    'Which roles can read and change which tables and columns: one row for each table and role.';
COMMENT ON COLUMN text2sql.permissions.readable_columns IS
    'The columns that the role can read.';
COMMENT ON COLUMN text2sql.permissions.insertable_columns IS
    'The columns that it can fill in new rows.';
COMMENT ON COLUMN text2sql.permissions.updatable_columns IS
    'The columns that it can change.';
COMMENT ON VIEW text2sql.roles IS
    'Roles, their attributes, and the groups to which they belong.';
COMMENT ON FUNCTION text2sql._follow_protections() IS
    'Reconciles the names and OIDs of protected objects.';
COMMENT ON FUNCTION text2sql._follow_renames() IS
    'Event trigger: protection follows renamed objects.';
COMMENT ON TABLE text2sql._protections IS
    'Rows behind the view text2sql.protected.';
COMMENT ON VIEW text2sql.protected IS
    'Objects that are protected, for their owners and the owner of the database.';
COMMENT ON TABLE text2sql.history IS
    'Questions with their SQL, status, cost and stages: those of the caller, and all of them for roles that may call drop_history().';
COMMENT ON COLUMN text2sql.history.model IS
    'The model that answered; where none did, all that text2sql.model named.';
COMMENT ON TABLE text2sql.egress_log IS
    'What left the server for questions: the endpoint, the names, the columns whose values were sent, and the number of rows.';
COMMENT ON FUNCTION text2sql.trace(uuid) IS
    'Returns the stages of a question in order: what went in, what came out, how long it took.';
COMMENT ON FUNCTION text2sql.drop_history(interval) IS
    'Deletes questions older than the interval, with the record of what left the server for them, and returns their number.';
COMMENT ON FUNCTION text2sql.set_budget(text, integer, bigint, numeric, text) IS
    'Sets the maximum number of questions and tokens of a role and its members in a day (UTC), and what they may cost in a currency; NULL means no limit, and without numbers the budget is removed.';
COMMENT ON FUNCTION text2sql._budget_usage() IS
    'Returns how much of each budget is used today, for the view budgets.';
COMMENT ON FUNCTION text2sql._applies_to_role(name, oid) IS
    'Whether a budget or an approval rule of one role applies to another role.';
COMMENT ON FUNCTION text2sql._count_today(bigint, text, bigint, bigint) IS
    'Adds to the counter of a budget for a day.';
COMMENT ON FUNCTION text2sql._catalog_stamp() IS
    'Identifies the catalog in which the OIDs stored in text2sql tables are valid.';
COMMENT ON FUNCTION text2sql._tell_sessions() IS
    'Trigger: every session reads the table again after the commit.';
COMMENT ON FUNCTION text2sql._notify_comment() IS
    'Event trigger: every session reloads a table whose comments changed.';
COMMENT ON FUNCTION text2sql._forget_table(oid) IS
    'Makes every session reload a table; for the event trigger on comments.';
COMMENT ON FUNCTION text2sql._validate_options(text[], oid) IS
    'Checks the options of servers and user mappings.';
COMMENT ON FUNCTION text2sql._run_for_primary(text, jsonb) IS
    'Runs a statement that the primary sends to this replica, and returns its outcome.';
COMMENT ON FUNCTION text2sql._validate_replica_options(text[], oid) IS
    'Checks the options of replicas and of their user mappings.';
COMMENT ON PROCEDURE text2sql.refresh(jsonb, text) IS
    'Updates the search index, and commits after each batch. With options => ''{"rebuild": true}'' the index is rebuilt. With second_embedder it makes the vectors of another embedder beside those of the index, or brings them up to date: sessions whose text2sql.embedding_model names it use them. Example: CALL text2sql.refresh(second_embedder => ''hash'').';
COMMENT ON FUNCTION text2sql._vectors_of(text) IS
    'Which vectors a session with that text2sql.embedding_model uses: those of the index, those of the second embedder, or, NULL, none.';
COMMENT ON FUNCTION text2sql.retrieve(text, text, jsonb) IS
    'Lists the tables and values found for a question in the catalog, and why each was found.';
COMMENT ON FUNCTION text2sql._note_ddl() IS
    'Event trigger: records tables created or changed by DDL, which questions then read live.';
COMMENT ON FUNCTION text2sql._note_drop() IS
    'Event trigger: removes the records of dropped tables.';
COMMENT ON FUNCTION text2sql._note_teaching() IS
    'Trigger: records tables whose descriptions or joins changed, for refresh().';
COMMENT ON FUNCTION text2sql._wake_for_ddl() IS
    'Has the background worker of the search index started after a command, where the library is there.';
COMMENT ON FUNCTION text2sql._wake_maintenance() IS
    'Has the background worker of the search index started when the transaction commits.';
COMMENT ON FUNCTION text2sql._index_taught() IS
    'Trigger: puts changed definitions and examples into the search index, or has the background worker do it.';
COMMENT ON FUNCTION text2sql._is_transaction_block() IS
    'Whether the statement is not a transaction of its own.';
COMMENT ON FUNCTION text2sql._index_item(text, bigint) IS
    'Puts a definition or example into the search index; false where the background worker has to do it.';
COMMENT ON TABLE text2sql._maintenance IS
    'How the last background worker of the search index ended, and when the next one may start; shown by text2sql.status().';
COMMENT ON FUNCTION text2sql._granted_to_public(pg_ddl_command) IS
    'The relations that a GRANT opened to PUBLIC; for the event trigger that records them.';
COMMENT ON TABLE text2sql._index_state IS
    'The settings of the search index and the progress of a refresh; shown by text2sql.status().';
COMMENT ON TABLE text2sql._index_changes IS
    'Objects that changed since the last refresh.';
COMMENT ON TABLE text2sql._index_documents IS
    'Documents of the search index: tables, columns, definitions, examples.';
COMMENT ON TABLE text2sql._index_postings IS
    'Words of the documents of the search index.';
COMMENT ON TABLE text2sql._index_totals IS
    'Totals of the search index, used by scores.';
COMMENT ON TABLE text2sql._index_vectors IS
    'Vectors of the documents of the search index.';
COMMENT ON TABLE text2sql._second_embedder IS
    'The embedder whose vectors are beside those of the search index; shown by text2sql.status().';
COMMENT ON TABLE text2sql._second_documents IS
    'Documents of the search index that have vectors of the second embedder.';
COMMENT ON TABLE text2sql._second_vectors IS
    'Vectors of the documents of the search index by the second embedder.';
COMMENT ON TABLE text2sql._second_words IS
    'Vectors of the words of the catalog by the second embedder.';
COMMENT ON TABLE text2sql._index_words IS
    'Words of the catalog, by which words of a question that it does not use are understood.';
COMMENT ON TABLE text2sql._index_families IS
    'Sibling tables that the search index treats as one.';
COMMENT ON TABLE text2sql._index_joins IS
    'Foreign keys, known joins and likely ones of the search index.';
COMMENT ON TABLE text2sql._index_join_counts IS
    'How many values of a column refresh() found in the column that it may reference. No values.';
COMMENT ON TABLE text2sql._index_value_tables IS
    'Tables whose values the search index has read.';
COMMENT ON TABLE text2sql._index_value_columns IS
    'Columns whose values the search index has read.';
COMMENT ON TABLE text2sql._index_distributed_tables IS
    'Sizes and statistics of tables whose rows are on other servers.';
COMMENT ON TABLE text2sql._index_values IS
    'Values that questions may name; visible to roles that can read the column.';
COMMENT ON TABLE text2sql._index_value_keys IS
    'Spellings of the values that questions may name.';

-- Grants on an existing schema would survive. Those of a dump are restored at its end.
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

-- A role that could create objects in the schema may have done so since install_check.sql ran.
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
        RAISE EXCEPTION 'objects were created in schema text2sql while the extension was being installed'
            USING ERRCODE = 'object_in_use', DETAIL = format('They are %s.', planted),
                  HINT = 'Drop them, and run CREATE EXTENSION again.';
    END IF;
END
$planted$;

-- The search index is built as soon as the extension is there.
DO $wake$ BEGIN PERFORM text2sql._wake_for_ddl(); END $wake$;
