-- The functions of the guard in a database without CREATE EXTENSION, from the library of a build.
-- psql -v library=/path/libpg_text2sql.so
\set ON_ERROR_STOP 1
CREATE SCHEMA IF NOT EXISTS text2sql;
GRANT USAGE ON SCHEMA text2sql TO PUBLIC;
CREATE OR REPLACE FUNCTION text2sql.run(sql text) RETURNS SETOF record
    LANGUAGE c STRICT VOLATILE PARALLEL UNSAFE COST 100000 AS :'library', 'text2sql_run';
CREATE OR REPLACE FUNCTION text2sql.run_json(sql text)
    RETURNS TABLE (columns json, rows json, row_count bigint, truncated boolean)
    LANGUAGE c STRICT VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS :'library', 'text2sql_run_json';

-- One line about a statement: `allow <rows>`, `reject <rule>: …` or `error <SQLSTATE>: …`.
CREATE OR REPLACE FUNCTION public.judge(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer record;
    code text;
    message text;
    detail text;
BEGIN
    SELECT * INTO answer FROM text2sql.run_json(sql);
    RETURN format('allow %s%s', answer.row_count, CASE WHEN answer.truncated THEN '+' END);
EXCEPTION WHEN OTHERS OR query_canceled THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
        detail = PG_EXCEPTION_DETAIL;
    IF detail LIKE 'rule: %' THEN
        RETURN format('reject %s: %s', substr(detail, 7), message);
    END IF;
    RETURN format('error %s: %s', code, message);
END
$$;
