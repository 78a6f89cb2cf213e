-- Values with the keys $1 (text[]) of columns that the role $2 (oid) can read, at most $3 (bigint) for each
-- key. $4 (oid[]): only of these tables, NULL: of any. Rows: index of the key, table, column, value. Run by
-- src/pg/search/search_index/values.rs.
SELECT wanted.place, hit.relation, hit.attribute, hit.value
FROM unnest($1) WITH ORDINALITY AS wanted(key, place)
CROSS JOIN LATERAL (
    SELECT v.relation, v.attribute, v.value
    FROM (SELECT f.relation, f.attribute, f.value FROM text2sql._index_values f
          WHERE f.key = wanted.key AND ($4 IS NULL OR f.relation = ANY ($4))
          LIMIT 1000) AS v
    JOIN pg_class c ON c.oid = v.relation
    WHERE NOT c.relrowsecurity
      AND has_schema_privilege($2, c.relnamespace, 'USAGE')
      AND has_column_privilege($2, v.relation, v.attribute, 'SELECT')
    LIMIT $3
) AS hit
