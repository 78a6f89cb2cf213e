-- Counts tokens of the role $1, in hundreds ($2). Called by src/pg/models/question_budgets.rs as the owner of the counters.
SELECT text2sql._count_today(b.budget_id, 'tokens', $2,
           ((clock_timestamp() AT TIME ZONE 'UTC')::date - DATE '2000-01-01')::bigint)
  FROM text2sql._budgets AS b
 WHERE b.tokens_per_day IS NOT NULL
   AND text2sql._applies_to_role(b.role_name, $1)
