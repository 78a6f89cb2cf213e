-- Models as foreign servers. Run once by CREATE EXTENSION, after the C functions.

-- No handler: there are no foreign tables of it. Whoever may use a model holds USAGE on its server.
CREATE FOREIGN DATA WRAPPER text2sql VALIDATOR text2sql._validate_options;

-- The short form of CREATE SERVER. It takes the name of a key file, never a key: arguments are seen
-- in logs and in pg_stat_activity.
CREATE FUNCTION text2sql.add_model(
    name text,
    protocol text,
    base_url text,
    model text,
    api_key_file text DEFAULT NULL,
    egress text DEFAULT 'schema',
    options jsonb DEFAULT '{}'
) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $add_model$
DECLARE
    given text;
BEGIN
    IF add_model.name IS NULL OR add_model.name IN ('', 'builtin', 'replay') THEN
        RAISE EXCEPTION 'a model cannot have the name "%"', coalesce(add_model.name, '')
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'choose another name, such as ''gpt''';
    END IF;
    IF jsonb_typeof(add_model.options) IS DISTINCT FROM 'object' THEN
        RAISE EXCEPTION 'options is not a JSON object'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'options => ''{"timeout_ms": 30000}''';
    END IF;
    -- CREATE SERVER compares each option with all others, and looks for no interrupt.
    IF (SELECT count(*) FROM jsonb_object_keys(add_model.options)) > 100 THEN
        RAISE EXCEPTION 'options has more than 100 members'
            USING ERRCODE = 'program_limit_exceeded',
                  HINT = 'docs/reference.md lists the options of a model';
    END IF;
    SELECT string_agg(format('%I %L', o.key, o.value), ', ') INTO given
      FROM (VALUES ('protocol', add_model.protocol), ('base_url', add_model.base_url),
                   ('model', add_model.model), ('api_key_file', add_model.api_key_file),
                   ('egress', add_model.egress)) AS o(key, value)
     WHERE o.value IS NOT NULL;
    SELECT concat_ws(', ', given, string_agg(format('%I %L', o.key, o.value), ', ')) INTO given
      FROM jsonb_each_text(add_model.options) AS o(key, value);
    EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER text2sql OPTIONS (%s)', add_model.name, given);
END
$add_model$;
