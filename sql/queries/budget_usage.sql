-- How much of each budget is used up today: all budgets for a role that may set them, otherwise those that
-- apply to the role $1 (oid). Run by src/pg/stored/models/question_budgets.rs as the owner of the counters.
WITH today AS (
    SELECT ((clock_timestamp() AT TIME ZONE 'UTC')::date - DATE '2000-01-01')::bigint AS number
)
SELECT b.role_name::text,
       text2sql._count_today(b.budget_id, 'questions', 0, today.number), b.questions_per_day,
       text2sql._count_today(b.budget_id, 'tokens', 0, today.number) * 100, b.tokens_per_day,
       trim_scale(text2sql._count_today(b.budget_id, 'cost', 0, today.number) / 1000000.0), b.cost_per_day,
       CASE WHEN b.cost_per_day IS NOT NULL THEN b.currency END
  FROM text2sql._budgets AS b, today
 WHERE has_function_privilege($1, 'text2sql.set_budget(text, integer, bigint, numeric, text)', 'EXECUTE')
    OR text2sql._applies_to_role(b.role_name, $1)
 ORDER BY 1
