-- Sets the protection of one object. Called by src/pg/access/protection/change.rs with the parameters of
-- unprotect.sql, and $8 text: the level, $9 text: the role that sets it.
INSERT INTO text2sql._protections
    (schema_name, table_name, column_name, catalog_stamp, schema_oid, relation_oid, column_number, level, set_by)
VALUES ($1, $2, $3, $4, $5, coalesce($6, 0), $7, $8, $9)
