-- Budgets, and how much of each is used today.
SELECT pg_catalog.json_build_object(
           'budgets', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(b) ORDER BY b.role_name), '[]'))::text
  FROM text2sql.budgets b
