-- Counts one question of the role $1 and returns the budgets that it exceeds. Called by src/pg/models/question_budgets.rs
-- as the owner of the counters: one row with the budget's role, the limited quantity, and the limit.
WITH today AS (
    SELECT ((clock_timestamp() AT TIME ZONE 'UTC')::date - DATE '2000-01-01')::bigint AS number
), counted AS MATERIALIZED (
    SELECT b.role_name::text AS role, b.questions_per_day, b.tokens_per_day,
           text2sql._count_today(b.budget_id, 'questions', 1, today.number) AS questions,
           text2sql._count_today(b.budget_id, 'tokens', 0, today.number) * 100 AS tokens
      FROM text2sql._budgets AS b, today
     WHERE text2sql._applies_to_role(b.role_name, $1)
)
SELECT counted.role, 'questions', counted.questions_per_day::int8
  FROM counted
 WHERE counted.questions_per_day IS NOT NULL
   AND coalesce(counted.questions > counted.questions_per_day, true)
UNION ALL
SELECT counted.role, 'tokens', counted.tokens_per_day
  FROM counted
 WHERE counted.tokens_per_day IS NOT NULL
   AND coalesce(counted.tokens >= counted.tokens_per_day, true)
