-- Models as foreign servers. Run once by CREATE EXTENSION, after the C functions.

-- No handler: there are no foreign tables. A role that may use a model has USAGE on its server.
CREATE FOREIGN DATA WRAPPER text2sql VALIDATOR text2sql._validate_options;

-- The short form of CREATE SERVER, of ALTER SERVER and of GRANT USAGE ON FOREIGN SERVER. It takes the name of a key
-- file, never a key: arguments appear in logs and in pg_stat_activity.
CREATE FUNCTION text2sql.add_model(
    name text,
    protocol text DEFAULT NULL,
    base_url text DEFAULT NULL,
    model_name text DEFAULT NULL,
    api_key_file text DEFAULT NULL,
    egress text DEFAULT NULL,
    options jsonb DEFAULT '{}',
    model_file text DEFAULT NULL,
    change boolean DEFAULT false,
    users text[] DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $add_model$
DECLARE
    given text;
    twice text;
    had text[];
    server pg_foreign_server;
    statement text;
BEGIN
    PERFORM text2sql._require_writable(CASE WHEN add_model.change THEN 'a model cannot be changed' ELSE 'a model cannot be added' END);
    IF add_model.name IS NULL OR add_model.name IN ('', 'builtin', 'replay') THEN
        RAISE EXCEPTION 'invalid model name "%"', coalesce(add_model.name, '')
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Choose another name, such as ''gpt''.';
    END IF;
    IF jsonb_typeof(add_model.options) IS DISTINCT FROM 'object' THEN
        RAISE EXCEPTION 'options must be a JSON object'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Use an object: options => ''{"timeout_ms": 30000}''';
    END IF;
    -- CREATE SERVER compares each option with all others without checking for interrupts.
    IF (SELECT count(*) FROM jsonb_object_keys(add_model.options)) > 100 THEN
        RAISE EXCEPTION 'options has more than 100 members'
            USING ERRCODE = 'program_limit_exceeded',
                  HINT = 'The options of a model are listed in docs/models.md.';
    END IF;
    SELECT min(o.key) INTO twice FROM jsonb_object_keys(add_model.options) AS o(key)
     WHERE o.key IN ('protocol', 'base_url', 'model', 'api_key_file', 'egress', 'model_file');
    IF twice IS NOT NULL THEN
        RAISE EXCEPTION 'option "%" has an argument of its own', twice
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = format('Give it beside the options: %s => %L', CASE twice WHEN 'model' THEN 'model_name' ELSE twice END,
                                coalesce(add_model.options ->> twice, ''));
    END IF;
    IF add_model.change THEN
        SELECT s.* INTO server FROM pg_foreign_server s JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw
         WHERE s.srvname = add_model.name AND w.fdwname = 'text2sql';
        IF NOT FOUND THEN
            RAISE EXCEPTION 'model "%" does not exist', add_model.name
                USING ERRCODE = 'undefined_object', HINT = 'List the models: SELECT model FROM text2sql.models;';
        -- Where only users are given, GRANT would do nothing, with a warning.
        ELSIF NOT pg_has_role(server.srvowner, 'USAGE') THEN
            RAISE EXCEPTION 'must be owner of model "%"', add_model.name
                USING ERRCODE = 'insufficient_privilege', HINT = format('Run SET ROLE %I first.', pg_get_userbyid(server.srvowner));
        END IF;
        had := ARRAY(SELECT o.option_name FROM pg_options_to_table(server.srvoptions) AS o);
    END IF;
    -- What is not given stays; a member of options that is null goes.
    SELECT string_agg(CASE WHEN NOT add_model.change THEN format('%I %L', o.key, o.value)
                           WHEN o.value IS NULL THEN format('DROP %I', o.key)
                           ELSE format('%s %I %L', CASE WHEN o.key = ANY (had) THEN 'SET' ELSE 'ADD' END, o.key, o.value) END, ', ') INTO given
      FROM (SELECT a.key, a.value
              FROM (VALUES ('protocol', add_model.protocol), ('base_url', add_model.base_url),
                   ('model', add_model.model_name), ('api_key_file', add_model.api_key_file),
                   ('egress', coalesce(add_model.egress, CASE WHEN add_model.protocol <> 'local' AND NOT add_model.change THEN 'schema' END)),
                   ('model_file', add_model.model_file)) AS a(key, value)
             WHERE a.value IS NOT NULL
            UNION ALL
            SELECT g.key, g.value FROM jsonb_each_text(add_model.options) AS g(key, value)
             WHERE g.value IS NOT NULL OR NOT add_model.change OR g.key = ANY (had)) AS o;
    IF NOT add_model.change THEN
        EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER text2sql OPTIONS (%s)', add_model.name, given);
    ELSIF given IS NOT NULL THEN
        EXECUTE format('ALTER SERVER %I OPTIONS (%s)', add_model.name, given);
    END IF;
    -- These roles and no others but the owner; public stands for all.
    FOR statement IN
        SELECT format('REVOKE USAGE ON FOREIGN SERVER %I FROM %s CASCADE', add_model.name,
                      CASE held.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(held.grantee)) END)
          FROM pg_foreign_server s, aclexplode(s.srvacl) AS held
         WHERE s.srvname = add_model.name AND held.grantee <> s.srvowner
           AND CASE held.grantee WHEN 0 THEN 'public' ELSE pg_get_userbyid(held.grantee) END <> ALL (add_model.users)
        UNION ALL
        SELECT format('GRANT USAGE ON FOREIGN SERVER %I TO %s', add_model.name, CASE u.name WHEN 'public' THEN 'PUBLIC' ELSE quote_ident(u.name) END)
          FROM unnest(add_model.users) AS u(name)
    LOOP
        EXECUTE statement;
    END LOOP;
END
$add_model$;

-- Of forget('model', name), the short form of DROP SERVER: it drops the user mappings of the model, and the keys in them, too.
CREATE FUNCTION text2sql._drop_model(name text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $_drop_model$
DECLARE
    mapped text;
BEGIN
    PERFORM text2sql._require_writable('a model cannot be dropped');
    IF _drop_model.name IS NULL THEN
        RAISE EXCEPTION 'model name must not be null'
            USING ERRCODE = 'null_value_not_allowed', HINT = 'List the models: SELECT model FROM text2sql.models;';
    ELSIF NOT EXISTS (SELECT FROM pg_foreign_server s JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw
                       WHERE s.srvname = _drop_model.name AND w.fdwname = 'text2sql') THEN
        RAISE EXCEPTION 'model "%" does not exist', _drop_model.name
            USING ERRCODE = 'undefined_object', HINT = 'List the models: SELECT model FROM text2sql.models;';
    END IF;
    -- Before the mappings: a role that does not own the server drops none of them.
    IF NOT pg_has_role((SELECT s.srvowner FROM pg_foreign_server s WHERE s.srvname = _drop_model.name), 'USAGE') THEN
        RAISE EXCEPTION 'must be owner of model "%"', _drop_model.name
            USING ERRCODE = 'insufficient_privilege',
                  HINT = format('Run SET ROLE %I first.', (SELECT pg_get_userbyid(s.srvowner) FROM pg_foreign_server s
                                                 WHERE s.srvname = _drop_model.name));
    END IF;
    FOR mapped IN
        SELECT CASE m.umuser WHEN 0 THEN 'PUBLIC' ELSE quote_ident(m.usename) END
          FROM pg_user_mappings m WHERE m.srvname = _drop_model.name
    LOOP
        EXECUTE format('DROP USER MAPPING FOR %s SERVER %I', mapped, _drop_model.name);
    END LOOP;
    EXECUTE format('DROP SERVER %I', _drop_model.name);
END
$_drop_model$;

CREATE VIEW text2sql.models WITH (security_invoker = true) AS
SELECT s.srvname AS model, given.protocol, given.base_url, coalesce(given.model_name, regexp_replace(given.model_file, '^.*/|\.[^.]*$', '', 'g')) AS model_name,
       coalesce(given.egress, CASE given.protocol WHEN 'local' THEN 'rows' ELSE 'schema' END) AS egress,
       given.price_input, given.price_output, given.currency, judged.key_source, pg_catalog.pg_get_userbyid(s.srvowner) AS owner_name, judged.status, judged.problem
  FROM pg_catalog.pg_foreign_server AS s
  JOIN pg_catalog.pg_foreign_data_wrapper AS w ON w.oid = s.srvfdw AND w.fdwname = 'text2sql'
 CROSS JOIN LATERAL (
       SELECT max(o.option_value) FILTER (WHERE o.option_name = 'protocol') AS protocol,
              max(o.option_value) FILTER (WHERE o.option_name = 'base_url') AS base_url,
              max(o.option_value) FILTER (WHERE o.option_name = 'model') AS model_name,
              max(o.option_value) FILTER (WHERE o.option_name = 'model_file') AS model_file,
              max(o.option_value) FILTER (WHERE o.option_name = 'egress') AS egress,
              max(o.option_value) FILTER (WHERE o.option_name = 'price_input')::numeric AS price_input,
              max(o.option_value) FILTER (WHERE o.option_name = 'price_output')::numeric AS price_output,
              CASE WHEN bool_or(o.option_name LIKE 'price\_%')
                   THEN coalesce(max(upper(o.option_value)) FILTER (WHERE o.option_name = 'currency'), 'USD') END AS currency
         FROM pg_catalog.pg_options_to_table(s.srvoptions) AS o) AS given
 CROSS JOIN LATERAL text2sql._model_state(s.srvname::text) AS judged;
COMMENT ON VIEW text2sql.models IS
    'Models that were added, and whether the caller can use each.';
COMMENT ON COLUMN text2sql.models.model IS 'The name of the model, for the setting text2sql.model.';
COMMENT ON COLUMN text2sql.models.protocol IS 'The protocol of the endpoint, such as openai or anthropic.';
COMMENT ON COLUMN text2sql.models.base_url IS 'The address of the endpoint; NULL for a model file on the server.';
COMMENT ON COLUMN text2sql.models.model_name IS 'The name of the model at the endpoint.';
COMMENT ON COLUMN text2sql.models.egress IS 'What may be sent to the endpoint: schema, values or rows.';
COMMENT ON COLUMN text2sql.models.price_input IS 'What a million tokens of input cost; NULL where no price was given.';
COMMENT ON COLUMN text2sql.models.price_output IS 'What a million tokens of output cost; NULL where no price was given.';
COMMENT ON COLUMN text2sql.models.currency IS 'The currency of the prices.';
COMMENT ON COLUMN text2sql.models.key_source IS 'Where the API key for the caller comes from; NULL where the caller may not use the model.';
COMMENT ON COLUMN text2sql.models.owner_name IS 'The role that owns the model.';
COMMENT ON COLUMN text2sql.models.status IS 'usable, no usage (the caller lacks USAGE on the server), no key, or not usable. The endpoint is not contacted: status() and test_model() do that.';
COMMENT ON COLUMN text2sql.models.problem IS 'Why the caller cannot use the model.';
