-- Whether any budget holds for the role $1. Called by src/pg/budget.rs where nothing can be counted.
SELECT EXISTS (
    SELECT FROM text2sql.budgets AS b
     WHERE b.role = $1
        OR (pg_has_role($1, b.role, 'MEMBER')
            AND NOT (SELECT r.rolsuper FROM pg_roles AS r WHERE r.oid = $1)))
