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
                             'run', 'run_json', 'validate', 'lineage', 'explain', 'status', 'version',
                             'list_definitions', 'list_examples', 'list_joins')
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', signature, role_name);
    END LOOP;
    -- Row-level security shows what is about objects that the role may see.
    EXECUTE format('GRANT SELECT ON text2sql.annotations, text2sql.definitions, text2sql.examples, '
                   'text2sql.joins, text2sql.descriptions TO %I', role_name);
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
                             'add_join', 'decide_join', 'drop_join', 'import_dbt',
                             'suggest_descriptions', 'apply_descriptions', 'reject_descriptions',
                             'export_knowledge', 'import_knowledge', '_rebind_knowledge')
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', signature, role_name);
    END LOOP;
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON text2sql.annotations, text2sql.definitions, '
                   'text2sql.examples, text2sql.joins, text2sql.suggestions TO %I', role_name);
END
$grant_curator$;

-- Nothing is executable by PUBLIC. Every upgrade script that adds a function repeats this line.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA text2sql FROM PUBLIC;

-- Policies and views are evaluated as the role that reads, so every role must be able to call these.
-- They tell a name, or whether one may see an object: the catalog tells as much.
GRANT EXECUTE ON FUNCTION text2sql._may_see(text, text[], oid[], int2[]) TO PUBLIC;
GRANT EXECUTE ON FUNCTION text2sql._objects_now(text, text[], oid[], int2[]) TO PUBLIC;
GRANT EXECUTE ON FUNCTION text2sql._object_name(oid, int2) TO PUBLIC;
GRANT EXECUTE ON FUNCTION text2sql._catalog_stamp() TO PUBLIC;

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
COMMENT ON FUNCTION text2sql._catalog_stamp() IS
    'names the catalog in which the OIDs kept in text2sql tables mean something';
COMMENT ON FUNCTION text2sql._tell_sessions() IS
    'trigger: every session reads the table again after the commit';
COMMENT ON FUNCTION text2sql._validate_options(text[], oid) IS
    'checks the options of servers and user mappings';
