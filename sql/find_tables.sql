-- Readable tables that match words, best first, as one JSON array of OIDs. Called by src/pg/catalog with
--   $1 text[]  LIKE patterns of the words over a name in lower case whose parts are parted by "_",
--              with "_" before the first: '%order%', or '%\_tax%' for a word too short to be
--              looked for inside a part
--   $2 text[]  LIKE patterns that any such name matches as it is written: a cheap first sieve
--   $3 bigint  the most to list
--   $4 oid[], $5 smallint[]  hidden columns, pair by pair: their names and comments bring nothing in
-- Words in the table's name count before other words in its columns' names, those before other
-- words in comments; of equals the shorter name is the closer one.
-- Column names and comments of other tables are looked at only when too few tables match by name,
-- and then at most 100,000 columns (4,000 tables; about 20 ms) and 20,000 comments.
WITH named AS MATERIALIZED (
    SELECT oid FROM pg_class
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT relispartition AND oid >= 16384
      AND relname LIKE ANY ($2)
),
few_named AS MATERIALIZED (SELECT count(*) < $3 AS holds FROM named),
by_column AS MATERIALIZED (
    SELECT seen.attrelid AS oid, count(*) AS columns
    FROM (SELECT attrelid, attname FROM pg_attribute WHERE attrelid >= 16384 LIMIT 100000) AS seen
    WHERE (SELECT holds FROM few_named)
      AND seen.attname LIKE ANY ($2)
      AND seen.attname NOT IN ('tableoid', 'cmax', 'xmax', 'cmin', 'xmin', 'ctid')
      AND seen.attname NOT LIKE '....%'
    GROUP BY seen.attrelid ORDER BY count(*) DESC LIMIT 2000
),
by_comment AS MATERIALIZED (
    SELECT DISTINCT seen.objoid AS oid
    FROM (SELECT objoid, classoid, description FROM pg_description
          WHERE objoid >= 16384 LIMIT 20000) AS seen
    WHERE (SELECT holds FROM few_named)
      AND seen.classoid = 'pg_class'::regclass AND lower(seen.description) LIKE ANY ($2)
    LIMIT 2000
),
candidate AS MATERIALIZED (
    SELECT hit.oid, max(hit.columns) AS columns
    FROM (SELECT oid, 0 AS columns FROM named
          UNION ALL SELECT oid, columns FROM by_column
          UNION ALL SELECT oid, 1 FROM by_comment) AS hit
    JOIN pg_class c ON c.oid = hit.oid AND c.relnamespace <> 'text2sql'::regnamespace
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
-- Columns and comments are looked at closely for the best so far only.
shortlist AS MATERIALIZED (
    SELECT * FROM scored ORDER BY in_name DESC, columns DESC, length(name), schema_name, name LIMIT $3 + 100
)
SELECT coalesce(json_agg(found.oid::int8), '[]')::text
FROM (
    SELECT s.oid
    FROM shortlist s
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT word.pattern) AS in_columns
        FROM pg_attribute a
        JOIN unnest($1) AS word(pattern)
          ON CASE WHEN a.attname ~ '[[:upper:]]'
                  THEN lower(regexp_replace('_' || a.attname, '([[:lower:][:digit:]])([[:upper:]])', '\1_\2', 'g'))
                  ELSE '_' || a.attname
             END LIKE word.pattern
        WHERE s.parts NOT LIKE word.pattern
          AND a.attrelid = s.oid AND a.attnum > 0 AND NOT a.attisdropped
          AND a.attname LIKE ANY ($2)
          AND (s.reads_every_column OR has_column_privilege(s.oid, a.attnum, 'SELECT'))
          AND NOT EXISTS (SELECT FROM unnest($4, $5) AS hidden(oid, number)
                          WHERE hidden.oid = s.oid AND hidden.number = a.attnum)
    ) AS by_columns
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT word.pattern) AS in_comments
        FROM pg_description d
        JOIN unnest($1) AS word(pattern)
          ON '_' || regexp_replace(lower(d.description), '[^[:alnum:]]+', '_', 'g') LIKE word.pattern
        WHERE s.parts NOT LIKE word.pattern
          AND d.objoid = s.oid AND d.classoid = 'pg_class'::regclass
          AND (d.objsubid = 0 OR s.reads_every_column
               OR has_column_privilege(s.oid, d.objsubid::int2, 'SELECT'))
          AND NOT EXISTS (SELECT FROM unnest($4, $5) AS hidden(oid, number)
                          WHERE hidden.oid = s.oid AND hidden.number = d.objsubid)
    ) AS by_comments
    WHERE s.in_name + by_columns.in_columns + by_comments.in_comments > 0
    ORDER BY s.in_name DESC, by_columns.in_columns DESC, by_comments.in_comments DESC,
             length(s.name), s.schema_name, s.name
    LIMIT $3
) AS found
