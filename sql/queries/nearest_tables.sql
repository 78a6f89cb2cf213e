-- The tables nearest to a vector, and the nearest column of each: OID, number (0 is the table), similarity. $1 float4[], $2 int8
-- how many tables, $3 text not empty, $4 oid the role. Run by src/pg/search/search_index/nearest_vectors.rs, which fills in what depends on
-- the set of vectors and on the schema of pgvector. The conditions on constants are those of the partial index.
WITH near AS MATERIALIZED (
    SELECT v.item, %DISTANCE% AS distance
    FROM text2sql.%VECTORS% v
    WHERE v.collection = 's' AND v.unit = 0 AND $3 <> '' AND %MAY_READ%
    ORDER BY %DISTANCE%
    LIMIT $2
)
SELECT n.item, 0::int2, 1 - n.distance
FROM near n
UNION ALL
SELECT c.item, c.unit, 1 - c.distance
FROM (SELECT n.item, has_table_privilege($4, n.item, 'SELECT') AS reads_all FROM near n) n
CROSS JOIN LATERAL (
    SELECT v.item, v.unit, %DISTANCE% AS distance
    FROM text2sql.%VECTORS% v
    WHERE v.collection = 's' AND v.item = n.item AND v.unit <> 0
      AND (n.reads_all OR has_column_privilege($4, v.item, v.unit, 'SELECT'))
    ORDER BY 3
    LIMIT 1
) c
