-- The verdicts on the functions of PostgreSQL 15, the first version that was reviewed: by rules on names and
-- labels, each of which was reviewed with the list that it gives. Later versions take over what is unchanged
-- and review the rest one by one (README.md). scripts/policy.sh runs this.
--
-- IMMUTABLE, STABLE and VOLATILE functions are selected by the lists below, because the label alone proves
-- nothing (table_to_xml is STABLE and runs SQL text).
CREATE TEMP VIEW verdicts AS
WITH builtin AS (
    SELECT f.number, f.signature, p.proname::text AS name, p.provolatile AS volatility,
           p.prorettype IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype,
                            'language_handler'::regtype, 'fdw_handler'::regtype,
                            'index_am_handler'::regtype, 'table_am_handler'::regtype,
                            'tsm_handler'::regtype)
               OR 'internal'::regtype = ANY (p.proargtypes::oid[]) AS is_internal,
           'cstring'::regtype = ANY (p.proargtypes::oid[]) AS takes_cstring,
           p.prokind, p.pronamespace = 'pg_catalog'::regnamespace AS is_catalog
    FROM listed_functions f JOIN pg_proc p USING (oid)
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
)
SELECT number, signature,
    CASE
    WHEN may_be_named AND takes_cstring
         OR name IN ('regclassout', 'regtypeout', 'regconfigout', 'regdictionaryout') THEN 'c'
    WHEN may_be_named THEN 'a'
    WHEN volatility <> 'v'
         -- These run SQL text, or assign a transaction id, whatever their label says.
         AND name !~ '_to_xml' AND name NOT IN ('txid_current', 'pg_current_xact_id')
        THEN 'i'
    ELSE 'r'
    END AS verdict
FROM judged;
