-- Questions that were asked, their cost, and what left the server for them. Run once by CREATE EXTENSION.
--
-- Only the library writes here, as the owner of these tables (src/pg/stored/record/history.rs): no other role may
-- insert, change or delete, so that records are neither forged nor erased. Neither table holds values of rows.

CREATE TABLE text2sql.history (
    trace_id uuid PRIMARY KEY,
    asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- By name: readable after the role was dropped, and in another cluster.
    asked_by name NOT NULL,
    session_role name NOT NULL DEFAULT session_user,
    function text NOT NULL,
    conversation text,
    question text NOT NULL,
    status text NOT NULL,
    sqlstate text,
    sql text,
    row_count bigint,
    truncated boolean,
    confidence double precision,
    verified_by text,
    model text NOT NULL,
    model_calls integer NOT NULL,
    requests integer NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    -- At the prices of that time; NULL where the model had none.
    cost numeric,
    currency text,
    prompt_chars integer NOT NULL,
    milliseconds double precision NOT NULL,
    -- Written at every question and rarely read: json keeps the text unparsed.
    settings json NOT NULL,
    stages json NOT NULL
);
CREATE INDEX ON text2sql.history (asked_at);
SELECT pg_catalog.pg_extension_config_dump('text2sql.history', '');

-- Its questions are in text2sql.history; there is no foreign key, because checking one takes longer than
-- writing the row, and only the library writes either table.
CREATE TABLE text2sql.egress_log (
    egress_id bigint GENERATED ALWAYS AS IDENTITY,
    trace_id uuid NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    asked_by name NOT NULL,
    endpoint text NOT NULL,
    purpose text NOT NULL,
    characters integer NOT NULL,
    prompt_sha256 text NOT NULL,
    tables text[] NOT NULL,
    value_columns text[] NOT NULL,
    result_rows bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cost numeric,
    currency text,
    milliseconds double precision NOT NULL,
    prompt text,
    reply text,
    passages bigint[] NOT NULL DEFAULT '{}',
    sample_columns text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (trace_id, egress_id)
);
CREATE INDEX ON text2sql.egress_log USING brin (sent_at);

-- A question's stages are compressed when it ends; where the server was built without lz4, by pglz, which takes
-- ten times as long.
DO $compress$
BEGIN
    ALTER TABLE text2sql.history ALTER COLUMN stages SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END
$compress$;
SELECT pg_catalog.pg_extension_config_dump('text2sql.egress_log', '');
SELECT pg_catalog.pg_extension_config_dump('text2sql.egress_log_egress_id_seq', '');

-- A role sees the questions that it asked; a role that may delete the history sees all of it.
ALTER TABLE text2sql.history ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql.egress_log ENABLE ROW LEVEL SECURITY;
CREATE FUNCTION text2sql.drop_history(older_than interval DEFAULT '90 days') RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER
-- As the owner, because no other role may delete; a role that can call it may delete all of it anyway.
SET search_path = pg_catalog, pg_temp
AS $drop_history$
DECLARE
    deleted_rows bigint;
BEGIN
    PERFORM text2sql._require_writable('no history can be deleted');
    -- A negative age would delete everything.
    IF older_than IS NULL OR older_than < interval '0' THEN
        RAISE EXCEPTION 'invalid older_than: %', older_than
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Use a positive interval: SELECT text2sql.drop_history(older_than => ''90 days'')';
    END IF;
    DELETE FROM text2sql._conversation_turns WHERE asked_at < clock_timestamp() - older_than;
    -- What still waits remains, and what can still be answered.
    DELETE FROM text2sql._approvals WHERE asked_at < clock_timestamp() - older_than AND (status = 'rejected' OR expires_at < clock_timestamp());
    -- With their answers. What is not answered yet remains.
    DELETE FROM text2sql._submitted WHERE submitted_at < clock_timestamp() - older_than AND state NOT IN ('waiting', 'running');
    WITH deleted AS (
        DELETE FROM text2sql.history WHERE asked_at < clock_timestamp() - older_than
        RETURNING trace_id
    ), sent AS (
        DELETE FROM text2sql.egress_log AS e USING deleted WHERE e.trace_id = deleted.trace_id
    )
    SELECT count(*) INTO deleted_rows FROM deleted;
    RETURN deleted_rows;
END
$drop_history$;
CREATE POLICY own_or_curated ON text2sql.history FOR SELECT USING (
    asked_by OPERATOR(pg_catalog.=) current_user
    OR pg_catalog.has_function_privilege('text2sql.drop_history(interval)', 'EXECUTE'));
CREATE POLICY own_or_curated ON text2sql.egress_log FOR SELECT USING (
    asked_by OPERATOR(pg_catalog.=) current_user
    OR pg_catalog.has_function_privilege('text2sql.drop_history(interval)', 'EXECUTE'));

CREATE FUNCTION text2sql.trace(trace_id uuid)
    RETURNS TABLE (step integer, stage text, milliseconds double precision, input jsonb, output jsonb)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $trace$
    SELECT s.ordinality::integer, s.stage ->> 'stage', (s.stage ->> 'milliseconds')::double precision,
           (s.stage -> 'input')::jsonb, (s.stage -> 'output')::jsonb
      FROM text2sql.history AS h,
           json_array_elements(h.stages) WITH ORDINALITY AS s(stage, ordinality)
     WHERE h.trace_id = trace.trace_id
     ORDER BY s.ordinality
$trace$;
