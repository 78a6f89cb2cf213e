-- All rows of text2sql._protections as one JSON document. Called by src/pg/access/protection/rules.rs, as the
-- owner of the table, with $1 text: the stamp of this catalog.
SELECT coalesce(json_agg(json_build_object(
    'schema', p.schema_name,
    'table', p.table_name,
    'column', p.column_name,
    'level', p.level,
    'is_from_here', p.catalog_stamp = $1,
    'schema_oid', p.schema_oid::int8,
    'relation_oid', p.relation_oid::int8,
    'column_number', p.column_number
)), '[]')::text
FROM text2sql._protections p
