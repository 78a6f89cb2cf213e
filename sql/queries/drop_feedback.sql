-- Removes the feedback of a role ($2) on an answer ($1), with the resulting example and suggestion, unless a
-- curator has decided about them or the example also results from feedback of another role. Called by
-- src/pg/stored/teaching/feedback.rs as the owner.
WITH dropped AS (
    DELETE FROM text2sql._feedback AS f
     WHERE f.trace_id = $1::uuid AND f.given_by = $2::name
    RETURNING f.id, f.example_id, f.suggestion_id
), examples AS (
    DELETE FROM text2sql._examples AS e USING dropped AS w
     WHERE e.id = w.example_id AND e.origin = 'feedback' AND e.verified_at IS NULL
       AND NOT EXISTS (SELECT FROM text2sql._feedback AS o WHERE o.example_id = e.id AND o.id <> w.id)
), suggestions AS (
    DELETE FROM text2sql._suggestions AS s USING dropped AS w
     WHERE s.id = w.suggestion_id AND s.status = 'open'
)
SELECT id FROM dropped
