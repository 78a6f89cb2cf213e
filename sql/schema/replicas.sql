-- Replicas as foreign servers. Run once by CREATE EXTENSION.

-- A message names an option, never its value: that may be a password.
CREATE FUNCTION text2sql._validate_replica_options(options text[], catalog oid) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $validate_replica_options$
DECLARE
    given record;
    known CONSTANT text[] := CASE catalog
        WHEN 'pg_foreign_server'::regclass::oid THEN ARRAY['host', 'port', 'dbname', 'sslmode', 'sslrootcert', 'password_file',
                                                           'connect_timeout', 'max_lag', 'on_failure']
        WHEN 'pg_user_mapping'::regclass::oid THEN ARRAY['user', 'password']
        ELSE ARRAY[]::text[] END;
BEGIN
    FOR given IN SELECT o.option_name AS name, o.option_value AS value FROM pg_options_to_table(options) AS o LOOP
        IF given.name <> ALL (known) THEN
            RAISE EXCEPTION 'invalid option "%"', given.name
                USING ERRCODE = 'fdw_invalid_option_name',
                      HINT = CASE WHEN cardinality(known) = 0 THEN 'The wrapper has no options.'
                                  ELSE 'Valid options here: ' || array_to_string(known, ', ') END;
        -- In parentheses, or PL/pgSQL would end the condition at the first THEN.
        ELSIF (CASE given.name
                  WHEN 'port' THEN given.value !~ '^[1-9][0-9]{0,4}$' OR given.value::integer > 65535
                  WHEN 'connect_timeout' THEN given.value !~ '^[1-9][0-9]{0,3}$'
                  WHEN 'max_lag' THEN given.value !~ '^[0-9]{1,6}([.][0-9]{1,3})?$'
                  WHEN 'sslmode' THEN given.value NOT IN ('disable', 'verify-full')
                  WHEN 'on_failure' THEN given.value NOT IN ('error', 'primary')
                  ELSE given.value = '' OR octet_length(given.value) > 16384 END) THEN
            RAISE EXCEPTION 'invalid value for option "%"', given.name
                USING ERRCODE = 'invalid_parameter_value',
                      HINT = CASE given.name
                                 WHEN 'port' THEN 'Use a number from 1 to 65535.'
                                 WHEN 'connect_timeout' THEN 'Use whole seconds from 1 to 9999.'
                                 WHEN 'max_lag' THEN 'Use seconds, such as 10 or 0.5.'
                                 WHEN 'sslmode' THEN 'Use ''disable'' or ''verify-full''.'
                                 WHEN 'on_failure' THEN 'Use ''error'' or ''primary''.'
                                 ELSE 'It must have 1 to 16384 bytes.' END;
        END IF;
    END LOOP;
    IF catalog = 'pg_foreign_server'::regclass::oid
       AND NOT EXISTS (SELECT FROM pg_options_to_table(options) AS o WHERE o.option_name = 'host') THEN
        RAISE EXCEPTION 'a replica needs the option "host"'
            USING ERRCODE = 'fdw_dynamic_parameter_value_needed',
                  HINT = 'Name the host, or the directory of its Unix socket: OPTIONS (host ''replica.example.com'')';
    END IF;
END
$validate_replica_options$;

-- No handler: there are no foreign tables. A role that may run its queries on a replica has USAGE on its server.
CREATE FOREIGN DATA WRAPPER text2sql_replica VALIDATOR text2sql._validate_replica_options;
