-- Joins from or to the tables $1 (oid[]), at most $2 (bigint) in each direction of each, declared ones first, for which the role $3
-- (oid) can read both tables and all columns; each with the table that it was found for. With $4 (oid[]), the only
-- tables that the role can read, joins to others take no place among them. Run by src/pg/search/search_index/joins.rs.
SELECT wanted.oid, j.from_table, j.from_columns, j.to_table, j.to_columns, j.certainty
FROM unnest($1) AS wanted(oid)
CROSS JOIN LATERAL (
    (SELECT f.from_table, f.from_columns, f.to_table, f.to_columns, f.certainty FROM text2sql._index_joins f WHERE f.from_table = wanted.oid
       AND ($4 IS NULL OR f.to_table IN (SELECT unnest($4)))
     ORDER BY f.certainty DESC NULLS FIRST LIMIT $2)
    UNION ALL
    (SELECT t.from_table, t.from_columns, t.to_table, t.to_columns, t.certainty FROM text2sql._index_joins t WHERE t.to_table = wanted.oid
       AND ($4 IS NULL OR t.from_table IN (SELECT unnest($4)))
     ORDER BY t.certainty DESC NULLS FIRST LIMIT $2)
) AS j
WHERE (has_table_privilege($3, j.from_table, 'SELECT') OR NOT EXISTS (
        SELECT FROM unnest(j.from_columns) AS used(name)
        LEFT JOIN pg_attribute a ON a.attrelid = j.from_table AND a.attname = used.name
        WHERE has_column_privilege($3, j.from_table, a.attnum, 'SELECT') IS NOT TRUE))
  AND (has_table_privilege($3, j.to_table, 'SELECT') OR NOT EXISTS (
        SELECT FROM unnest(j.to_columns) AS used(name)
        LEFT JOIN pg_attribute a ON a.attrelid = j.to_table AND a.attname = used.name
        WHERE has_column_privilege($3, j.to_table, a.attnum, 'SELECT') IS NOT TRUE))
