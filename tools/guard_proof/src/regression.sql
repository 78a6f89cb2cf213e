-- What tries each statement of the regression suite right before it is typed.
CREATE EXTENSION pg_text2sql CASCADE;
GRANT USAGE ON SCHEMA text2sql TO PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA text2sql TO PUBLIC;
ALTER DATABASE guard_proof_regression SET text2sql.query_timeout = '1s';
ALTER DATABASE guard_proof_regression SET text2sql.maintenance_interval = 0;
CREATE SCHEMA guard_proof;
GRANT USAGE ON SCHEMA guard_proof TO PUBLIC;
CREATE FUNCTION guard_proof.session() RETURNS text LANGUAGE sql SET search_path = pg_catalog AS $$
    SELECT md5(string_agg(name || '=' || coalesce(setting, ''), ',' ORDER BY name))
        || (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory')
        || coalesce(pg_current_xact_id_if_assigned()::text, '')
    FROM pg_settings WHERE name NOT IN ('search_path', 'transaction_read_only')
        -- Libraries bring theirs along when they are loaded.
        AND name !~ '\.'
$$;
CREATE FUNCTION guard_proof.try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    verdict record;
    run text := '00000';
    before text := guard_proof.session();
BEGIN
    BEGIN
        SELECT * INTO verdict FROM text2sql.validate(statement);
    EXCEPTION WHEN query_canceled OR OTHERS THEN
        RETURN 'f|raised ' || SQLSTATE || '||' || SQLSTATE || '|f';
    END;
    BEGIN
        PERFORM * FROM text2sql.run_json(statement);
    EXCEPTION WHEN query_canceled OR OTHERS THEN
        run := SQLSTATE;
    END;
    RETURN concat(verdict.allowed::text::"char", '|', verdict.rule, '|',
        CASE WHEN verdict.rule = 'error' THEN left(translate(verdict.reason, E'|\n', '  '), 90)
             ELSE translate(coalesce(verdict.offender, left(verdict.reason, 90)), E'|\n', '  ') END, '|', run, '|',
        (before IS DISTINCT FROM guard_proof.session())::text::"char");
END
$$;
