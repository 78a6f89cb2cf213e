-- Whether any budget applies to the role $1. Called by src/pg/stored/models/question_budgets.rs where counting is impossible.
SELECT EXISTS (
    SELECT FROM text2sql._budgets AS b
     WHERE text2sql._applies_to_role(b.role_name, $1))
