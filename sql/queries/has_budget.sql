-- Whether any budget holds for the role $1. Called by src/pg/budget.rs where nothing can be counted.
SELECT EXISTS (
    SELECT FROM text2sql.budgets AS b
     WHERE text2sql._is_budgeted(b.role, $1))
