-- What the catalog knows about joins that statements hold, as one JSON document: one object for each
-- that the current user may see whole and that is not known yet. Called by src/pg/stored/teaching/suggested_joins.rs
-- with
--   $1 text   [[{"schema": …, "table": …, "columns": […]}, the same of the other side], …]
--   $2 oid[]  the caller's search_path, in order
--   $3 text   the catalog that OIDs are of here
-- An unqualified name is looked up along the path, and otherwise refers to the only table of that name.
WITH side AS MATERIALIZED (
    SELECT w.place, s.number, found.oid, found.planner_rows,
           ARRAY(SELECT a.attnum
                 FROM json_array_elements_text(s.document -> 'columns') WITH ORDINALITY AS named(name, place)
                 JOIN pg_attribute a ON a.attrelid = found.oid AND a.attname = named.name
                 WHERE a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(found.oid, a.attnum, 'SELECT')
                 ORDER BY named.place) AS numbers,
           json_array_length(s.document -> 'columns') AS width
    FROM json_array_elements($1::json) WITH ORDINALITY AS w(document, place)
    CROSS JOIN LATERAL json_array_elements(w.document) WITH ORDINALITY AS s(document, number)
    CROSS JOIN LATERAL (
        SELECT named.oid, named.planner_rows
        FROM (
            SELECT c.oid, c.reltuples AS planner_rows, path.place, count(*) OVER () AS candidates
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN unnest($2) WITH ORDINALITY AS path(schema_oid, place) ON path.schema_oid = n.oid
            WHERE c.relname = s.document ->> 'table'
              AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
              AND (s.document ->> 'schema' IS NULL OR n.nspname = s.document ->> 'schema')
              AND n.nspname NOT LIKE 'pg\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval', 'text2sql_perturbed')
              AND has_schema_privilege(n.oid, 'USAGE')
        ) AS named
        WHERE named.place IS NOT NULL OR named.candidates = 1
        ORDER BY named.place LIMIT 1
    ) AS found
), pair AS MATERIALIZED (
    SELECT one.place, one.oid AS one, other.oid AS other, one.numbers AS ones, other.numbers AS others,
           one.planner_rows AS rows_of_one, other.planner_rows AS rows_of_other,
           ARRAY(SELECT both_columns.one || ':' || both_columns.other
                 FROM unnest(one.numbers, other.numbers) AS both_columns(one, other)) AS equal
    FROM side one
    JOIN side other ON other.place = one.place AND one.number = 1 AND other.number = 2
    WHERE cardinality(one.numbers) = one.width AND cardinality(other.numbers) = other.width
      AND one.oid <> other.oid
)
SELECT coalesce(json_agg(json_build_object(
    'place', p.place - 1,
    'columns', ARRAY(SELECT text2sql._object_name(p.one, n.number) FROM unnest(p.ones) WITH ORDINALITY AS n(number, place) ORDER BY n.place),
    'target_columns', ARRAY(SELECT text2sql._object_name(p.other, n.number) FROM unnest(p.others) WITH ORDINALITY AS n(number, place) ORDER BY n.place),
    'is_key', EXISTS (SELECT FROM pg_index i WHERE i.indrelid = p.one AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL
                      AND (i.indkey::int2[])[0 : i.indnkeyatts - 1] <@ p.ones),
    'is_target_key', EXISTS (SELECT FROM pg_index i WHERE i.indrelid = p.other AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL
                             AND (i.indkey::int2[])[0 : i.indnkeyatts - 1] <@ p.others),
    'rows', p.rows_of_one,
    'target_rows', p.rows_of_other
) ORDER BY p.place), '[]')::text
FROM pair p
-- A join that is declared, even in part, is known.
WHERE NOT EXISTS (
    SELECT FROM pg_constraint k
    CROSS JOIN LATERAL (
        SELECT array_agg(CASE WHEN k.conrelid = p.one THEN part.own || ':' || part.target
                              ELSE part.target || ':' || part.own END) AS equal
        FROM unnest(k.conkey, k.confkey) AS part(own, target)
    ) AS declared
    WHERE k.contype = 'f'
      AND (k.conrelid = p.one AND k.confrelid = p.other OR k.conrelid = p.other AND k.confrelid = p.one)
      AND (declared.equal <@ p.equal OR p.equal <@ declared.equal))
-- So is one that was added, suggested or rejected before; an inferred one gets more evidence.
  AND NOT EXISTS (
    SELECT FROM text2sql._joins j
    CROSS JOIN LATERAL (SELECT cardinality(j.object_oids) / 2 AS width) AS half
    WHERE NOT (j.origin = 'inferred' AND j.status = 'suggested')
      AND j.catalog = $3 AND j.object_oids && ARRAY[p.one] AND j.object_oids && ARRAY[p.other]
      AND CASE WHEN j.object_oids[1] = p.one
               THEN j.column_numbers[1 : half.width] <@ p.ones AND j.column_numbers[half.width + 1 :] <@ p.others
               ELSE j.column_numbers[1 : half.width] <@ p.others AND j.column_numbers[half.width + 1 :] <@ p.ones END
      AND half.width = cardinality(p.ones))
