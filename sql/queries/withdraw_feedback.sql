-- Takes back what a role ($2) said about an answer ($1), with the example and the suggestion that nobody has
-- decided about and nobody else's feedback led to. Called by src/pg/teaching/feedback.rs as the owner.
WITH withdrawn AS (
    DELETE FROM text2sql.given_feedback AS f
     WHERE f.trace_id = $1::uuid AND f.given_by = $2::name
    RETURNING f.id, f.example_id, f.suggestion_id
), examples AS (
    DELETE FROM text2sql.examples AS e USING withdrawn AS w
     WHERE e.id = w.example_id AND e.origin = 'feedback' AND e.verified_at IS NULL
       AND NOT EXISTS (SELECT FROM text2sql.given_feedback AS o WHERE o.example_id = e.id AND o.id <> w.id)
), suggestions AS (
    DELETE FROM text2sql.suggestions AS s USING withdrawn AS w
     WHERE s.id = w.suggestion_id AND s.status = 'open'
)
SELECT id FROM withdrawn
