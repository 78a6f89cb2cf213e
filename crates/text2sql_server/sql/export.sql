-- Rows for a file: up to 100,000 and 64 MB, unless somebody has chosen other limits than the defaults. The settings
-- end with the transaction, which is this statement.
WITH raised AS MATERIALIZED (
    SELECT pg_catalog.count(
               CASE WHEN s.source = 'default' THEN pg_catalog.set_config(s.name, wanted.value, true) END) AS number
      FROM (VALUES ('text2sql.max_result_rows', '100000'), ('text2sql.max_result_size', '64MB')) AS wanted (name, value)
      JOIN pg_catalog.pg_settings AS s ON s.name = wanted.name
)
SELECT pg_catalog.row_to_json(r)::text
  FROM raised
 -- It depends on the settings, so that it is called after them.
 CROSS JOIN LATERAL text2sql.run_json(CASE WHEN raised.number >= 0 THEN $1::text END) AS r
