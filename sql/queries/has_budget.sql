-- Whether any budget applies to the role $1. Called by src/pg/models/question_budgets.rs where counting is impossible.
SELECT EXISTS (
    SELECT FROM text2sql._budgets AS b
     WHERE text2sql._is_budgeted(b.role_name, $1))
