-- All values of the column $2 (int2) of the table $1 (oid), if they are all known, the table has not
-- changed since, and the role $3 (oid) may read it; else no row. Run by src/pg/search/search_index/values.rs.
SELECT ARRAY(SELECT v.value FROM text2sql._index_values v
             WHERE v.relation = $1 AND v.attribute = $2 AND v.is_first)
FROM text2sql._index_value_columns known
JOIN text2sql._index_value_tables read ON read.relation = known.relation
JOIN pg_class c ON c.oid = known.relation
WHERE known.relation = $1 AND known.attribute = $2 AND known.is_complete
  AND read.rows = %ROWS%
  AND NOT c.relrowsecurity
  AND has_schema_privilege($3, c.relnamespace, 'USAGE')
  AND has_column_privilege($3, $1, $2, 'SELECT')
