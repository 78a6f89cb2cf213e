-- Removes the protection of one object, stored under any of its names. Called by src/pg/access/protection/change.rs,
-- as the owner of the table, with $1 to $3 text: schema, table and column, '' for none; $4 text: the stamp of
-- this catalog; $5 and $6 oid: schema and relation, NULL for none; $7 int2: column, 0 for none.
DELETE FROM text2sql._protections p
WHERE (p.schema_name, p.table_name, p.column_name) = ($1, $2, $3)
   OR (p.catalog_stamp = $4 AND p.relation_oid = coalesce($6, 0) AND p.column_number = $7
       AND ($6 IS NOT NULL OR p.schema_oid = $5))
