-- Counts what a question of the role $1 used: tokens in hundreds ($2), and the cost in millionths ($3) of a currency ($4).
-- Called by src/pg/stored/models/question_budgets.rs as the owner of the counters.
SELECT text2sql._count_today(b.budget_id, c.kind, c.amount,
           ((clock_timestamp() AT TIME ZONE 'UTC')::date - DATE '2000-01-01')::bigint)
  FROM text2sql._budgets AS b,
       LATERAL (VALUES ('tokens', $2, b.tokens_per_day IS NOT NULL),
                       ('cost', $3, b.cost_per_day IS NOT NULL AND b.currency = $4)) AS c(kind, amount, is_counted)
 WHERE c.is_counted AND c.amount > 0
   AND text2sql._applies_to_role(b.role_name, $1)
