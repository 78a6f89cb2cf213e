-- Counts one question of the role $1 and returns the budgets that it exceeds. Called by src/pg/stored/models/question_budgets.rs
-- as the owner of the counters: one row with the budget's role, the limit, what it limits, and the argument of
-- set_budget() that doubles it.
WITH today AS (
    SELECT ((clock_timestamp() AT TIME ZONE 'UTC')::date - DATE '2000-01-01')::bigint AS number
), counted AS MATERIALIZED (
    SELECT b.role_name::text AS role, b.questions_per_day, b.tokens_per_day, b.cost_per_day, b.currency,
           text2sql._count_today(b.budget_id, 'questions', 1, today.number) AS questions,
           text2sql._count_today(b.budget_id, 'tokens', 0, today.number) * 100 AS tokens,
           text2sql._count_today(b.budget_id, 'cost', 0, today.number) / 1000000.0 AS cost
      FROM text2sql._budgets AS b, today
     WHERE text2sql._applies_to_role(b.role_name, $1)
)
SELECT c.role, trim_scale(l.most)::text, l.what,
       format('%s => %s', l.argument, trim_scale(greatest(l.most * 2, 1)))
       || CASE WHEN l.argument = 'cost_per_day' AND c.currency <> 'USD' THEN format(', currency => %L', c.currency) ELSE '' END
  FROM counted AS c,
       LATERAL (VALUES ('questions_per_day', c.questions_per_day::numeric, 'questions', c.questions > c.questions_per_day),
                       ('tokens_per_day', c.tokens_per_day, 'tokens', c.tokens >= c.tokens_per_day),
                       ('cost_per_day', c.cost_per_day, c.currency, c.cost >= c.cost_per_day))
           AS l(argument, most, what, is_used_up)
 WHERE l.most IS NOT NULL AND coalesce(l.is_used_up, true)
