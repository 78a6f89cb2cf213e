-- Writes the function policy of one major version of PostgreSQL.
--
--   psql -XAtq -v ON_ERROR_STOP=1 -d template1 -f policy/generate.sql > policy/functions_pg15.txt
--
-- Run it on a server of that version. One line per built-in function that may run at all: `oid verdict
-- signature`. A function without a line is refused, so a new built-in function remains refused until the
-- changes of this file have been reviewed.
--
--   a  a statement may call it: it computes from its arguments, the clock or random numbers, and has no
--      side effects. IMMUTABLE, STABLE and VOLATILE functions are selected by the lists below, because
--      the label alone proves nothing (table_to_xml is STABLE and runs SQL text).
--   c  an input function: only as the function of a cast, whose target type the guard has judged. Called
--      by name, domain_in(text, oid) would run the check of any domain. The same holds for the output
--      functions behind `tableoid::regclass::text` and `pg_typeof(x)::text`; called by name with a
--      number, they would reveal the name of any object.
--   i  a reviewed statement may use it indirectly (in a policy, a view body, a part of an aggregate) but
--      not call it: it reads settings, catalogs or state of the server, or takes internal arguments, and
--      writes nothing.
--
-- Functions that run SQL text, assign transaction ids, or access files, locks, sessions, large objects,
-- sequences or settings are not listed and therefore refused everywhere.
SET search_path = pg_catalog;
WITH builtin AS (
    SELECT p.oid, p.proname::text AS name, p.provolatile AS volatility,
           p.oid::regprocedure::text AS signature,
           p.prorettype IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype,
                            'language_handler'::regtype, 'fdw_handler'::regtype,
                            'index_am_handler'::regtype, 'table_am_handler'::regtype,
                            'tsm_handler'::regtype)
               OR 'internal'::regtype = ANY (p.proargtypes::oid[]) AS is_internal,
           'cstring'::regtype = ANY (p.proargtypes::oid[]) AS takes_cstring,
           p.prokind, p.pronamespace = 'pg_catalog'::regnamespace AS is_catalog
    FROM pg_proc p
    WHERE p.pronamespace IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
      AND p.oid < 16384
), judged AS (
    SELECT *,
        CASE
        WHEN is_internal OR prokind = 'p' OR NOT is_catalog THEN false
        -- Evaluation in libxml2 cannot be cancelled.
        WHEN name IN ('xpath', 'xpath_exists', 'xmlexists') THEN false
        -- Quadratic, without a check for cancel.
        WHEN name IN ('path_distance', 'path_inter', 'poly_overlap', 'poly_contain',
                      'poly_contained', 'poly_distance') THEN false
        WHEN volatility = 'i' THEN
            -- Some tell what the object of a number is called, or open it to see.
            name NOT IN ('pg_partition_root', 'makeaclitem', 'acldefault', 'pg_walfile_name',
                         'pg_walfile_name_offset', 'ts_parse', 'ts_token_type',
                         'satisfies_hash_partition', 'postgresql_fdw_validator')
        WHEN volatility = 's' THEN
            name IN ('pg_typeof', 'pg_column_size')
            OR name !~ ('^(format_type|pg_|has_|txid_|inet_|to_reg|reg|database_to_|schema_to_|table_to_'
                || '|query_to_|cursor_to_|ts_debug|ts_parse|ts_token_type|aclexplode|aclitem|fmgr_'
                || '|getpgusername|getdatabaseencoding|mxid_age|row_security_active'
                || '|current_setting|version|col_description|obj_description'
                || '|shobj_description)')
        ELSE name IN ('random', 'clock_timestamp', 'timeofday', 'gen_random_uuid',
                      'random_normal', 'array_shuffle', 'array_sample', 'uuidv4', 'uuidv7')
        END AS may_be_named
    FROM builtin
), verdicts AS (
    SELECT oid, signature,
        CASE
        WHEN may_be_named AND takes_cstring
             OR name IN ('regclassout', 'regtypeout', 'regconfigout', 'regdictionaryout') THEN 'c'
        WHEN may_be_named THEN 'a'
        WHEN volatility <> 'v'
             -- These run SQL text, or assign a transaction id, whatever their label says.
             AND name !~ '_to_xml' AND name NOT IN ('txid_current', 'pg_current_xact_id')
            THEN 'i'
        END AS verdict
    FROM judged
)
SELECT '# Written by policy/generate.sql; read its header before changing a line.'
UNION ALL
SELECT * FROM (
    SELECT format('%s %s %s', oid, verdict, signature)
    FROM verdicts WHERE verdict IS NOT NULL ORDER BY oid
) AS lines;
