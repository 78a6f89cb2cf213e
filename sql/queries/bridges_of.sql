-- Tables that have a join with at least two of the tables $1 (oid[]), those with the largest number first, at
-- most $2 (bigint). Of a table that thousands of tables reference only the first are considered. Run by
-- src/pg/search/search_index/joins.rs.
SELECT j.other
FROM unnest($1) AS wanted(oid)
CROSS JOIN LATERAL (
    (SELECT f.to_table AS other FROM text2sql._index_joins f WHERE f.from_table = wanted.oid ORDER BY f.certainty DESC NULLS FIRST LIMIT 500)
    UNION
    (SELECT t.from_table FROM text2sql._index_joins t WHERE t.to_table = wanted.oid ORDER BY t.certainty DESC NULLS FIRST LIMIT 500)
) AS j
GROUP BY j.other
HAVING count(DISTINCT wanted.oid) > 1
ORDER BY count(DISTINCT wanted.oid) DESC, j.other
LIMIT $2
