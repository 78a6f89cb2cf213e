-- Readable tables that may match words, the likely ones first, as one JSON document; and whether fewer match by
-- name than requested. Called by src/pg/catalog/matching.rs, which ranks them, with
--   $1 text[]  LIKE patterns of the words over a name in lower case whose parts are parted by "_",
--              with "_" before the first: '%order%', or '%\_tax%' for a word too short to be
--              looked for inside a part
--   $2 text[]  LIKE patterns that any such name matches as it is written: a cheap first sieve
--   $3 bigint  the maximum number of tables
--   $4 oid[], $5 bigint[]  tables with such columns, and how many; counted only when too few match by name
--   $6 boolean whether to look at comments then as well, at most 20,000
WITH named AS MATERIALIZED (
    SELECT oid FROM pg_class
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT relispartition AND oid >= 16384
      AND relname LIKE ANY ($2)
),
few_named AS MATERIALIZED (SELECT count(*) < $3 AS holds FROM named),
by_comment AS MATERIALIZED (
    SELECT DISTINCT seen.objoid AS oid
    FROM (SELECT objoid, classoid, description FROM pg_description
          WHERE objoid >= 16384 LIMIT 20000) AS seen
    WHERE (SELECT holds FROM few_named) AND $6
      AND seen.classoid = 'pg_class'::regclass AND lower(seen.description) LIKE ANY ($2)
    LIMIT 2000
),
candidate AS MATERIALIZED (
    SELECT hit.oid, max(hit.columns) AS columns
    FROM (SELECT oid, 0 AS columns FROM named
          UNION ALL SELECT counted.oid, counted.columns FROM unnest($4, $5) AS counted(oid, columns)
          UNION ALL SELECT oid, 1 FROM by_comment) AS hit
    JOIN pg_class c ON c.oid = hit.oid AND c.relnamespace NOT IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace)
    GROUP BY hit.oid
), %READABLE%,
scored AS MATERIALIZED (
    SELECT r.oid, r.columns, r.schema_name, r.name, r.reads_every_column, written.parts, hits.in_name
    FROM readable r
    CROSS JOIN LATERAL (
        SELECT CASE WHEN r.name ~ '[[:upper:]]'
                    THEN lower(regexp_replace('_' || r.name, '([[:lower:][:digit:]])([[:upper:]])', '\1_\2', 'g'))
                    ELSE '_' || r.name
               END AS parts
    ) AS written
    CROSS JOIN LATERAL (
        SELECT count(*) AS in_name FROM unnest($1) AS word(pattern)
        WHERE written.parts LIKE word.pattern
    ) AS hits
),
-- Columns and comments are matched only for these.
shortlist AS MATERIALIZED (
    SELECT * FROM scored ORDER BY in_name DESC, columns DESC, length(name), schema_name, name LIMIT $3 + 100
)
SELECT json_build_object(
    'is_few', (SELECT holds FROM few_named),
    'tables', coalesce((
        SELECT json_agg(json_build_array(s.oid::int8, s.schema_name, s.name, s.parts, s.reads_every_column, s.in_name))
        FROM shortlist s), '[]'))::text
