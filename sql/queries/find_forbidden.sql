-- Names of tables that match words but that the current user cannot read, in schemas where the user has USAGE,
-- as pairs of OID and name. Called by src/pg/access/catalog with
--   $1 text[]  LIKE patterns of the words over a name in lower case whose parts are parted by "_",
--              with "_" before the first: '%order%', or '%\_tax%' for a word too short to be
--              looked for inside a part
--   $2 text[]  LIKE patterns that any such name matches as it is written: a cheap first sieve
--   $3 bigint  the maximum number of tables
WITH named AS MATERIALIZED (
    SELECT c.oid, c.relname, c.relnamespace
    FROM pg_class c
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND c.oid >= 16384
      AND c.relname LIKE ANY ($2)
)
SELECT coalesce(json_agg(json_build_array(found.oid::int8, found.name)), '[]')::text
FROM (
    SELECT named.oid, quote_ident(n.nspname) || '.' || quote_ident(named.relname) AS name
    FROM named
    JOIN pg_namespace n ON n.oid = named.relnamespace
    CROSS JOIN LATERAL (
        SELECT count(*) AS in_name FROM unnest($1) AS word(pattern)
        WHERE CASE WHEN named.relname ~ '[[:upper:]]'
                   THEN lower(regexp_replace('_' || named.relname, '([[:lower:][:digit:]])([[:upper:]])', '\1_\2', 'g'))
                   ELSE '_' || named.relname
              END LIKE word.pattern
    ) AS hits
    WHERE hits.in_name > 0
      AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval', 'text2sql_perturbed')
      AND has_schema_privilege(n.oid, 'USAGE')
      AND NOT has_any_column_privilege(named.oid, 'SELECT')
    ORDER BY hits.in_name DESC, length(named.relname), n.nspname, named.relname
    LIMIT $3
) AS found
