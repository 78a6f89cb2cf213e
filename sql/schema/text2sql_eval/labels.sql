-- What people say about answers of evaluations, and how much the grades and a judging model agree with them. Run once by
-- CREATE EXTENSION, after measures.sql.

CREATE TABLE text2sql_eval._labels (
    evaluation_id bigint NOT NULL,
    case_id       bigint NOT NULL,
    attempt       integer NOT NULL DEFAULT 1,
    -- right: the answer is right. faithfulness: its texts support all that it says. answer_relevancy: it answers the question.
    measure       text NOT NULL CHECK (measure IN ('right', 'faithfulness', 'answer_relevancy')),
    label         boolean NOT NULL,
    labelled_by   name NOT NULL DEFAULT current_user,
    labelled_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (evaluation_id, case_id, attempt, measure, labelled_by)
);
SELECT pg_catalog.pg_extension_config_dump('text2sql_eval._labels', '');

-- Roles that see an evaluation also see its labels, and write only their own.
ALTER TABLE text2sql_eval._labels ENABLE ROW LEVEL SECURITY;
CREATE POLICY labels_of_own_evaluations ON text2sql_eval._labels
    USING (EXISTS (SELECT FROM text2sql_eval._evaluations r WHERE r.evaluation_id = _labels.evaluation_id))
    WITH CHECK (labelled_by = current_user
                AND EXISTS (SELECT FROM text2sql_eval._evaluations r WHERE r.evaluation_id = _labels.evaluation_id));

CREATE FUNCTION text2sql_eval._cascade_labels() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $cascade_labels$
BEGIN
    DELETE FROM text2sql_eval._labels l WHERE l.evaluation_id = OLD.evaluation_id;
    RETURN NULL;
END
$cascade_labels$;
CREATE TRIGGER cascade_labels AFTER DELETE ON text2sql_eval._evaluations
    FOR EACH ROW EXECUTE FUNCTION text2sql_eval._cascade_labels();

-- label NULL takes one's label back.
CREATE FUNCTION text2sql_eval.label(evaluation_id bigint, case_id bigint, measure text, label boolean, attempt integer DEFAULT 1) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $label$
BEGIN
    PERFORM text2sql._require_writable('a label cannot be stored');
    IF label.measure IS NULL OR label.measure NOT IN ('right', 'faithfulness', 'answer_relevancy') THEN
        RAISE EXCEPTION 'answers are not labelled by "%"', label.measure
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'They are labelled by right, faithfulness or answer_relevancy.',
                  HINT = format('Use: SELECT text2sql_eval.label(%s, %s, ''right'', true);', label.evaluation_id, label.case_id);
    END IF;
    IF NOT EXISTS (SELECT FROM text2sql_eval.results r
                    WHERE r.evaluation_id = label.evaluation_id AND r.case_id = label.case_id AND r.attempt = label.attempt AND r.state = 'done') THEN
        RAISE EXCEPTION 'evaluation % has no answer for attempt % at case %', label.evaluation_id, label.attempt, label.case_id
            USING ERRCODE = 'undefined_object',
                  HINT = format('List the answers: SELECT case_id, attempt, question FROM text2sql_eval.results WHERE evaluation_id = %s;', label.evaluation_id);
    END IF;
    IF label.label IS NULL THEN
        DELETE FROM text2sql_eval._labels l
         WHERE l.evaluation_id = label.evaluation_id AND l.case_id = label.case_id AND l.attempt = label.attempt
           AND l.measure = label.measure AND l.labelled_by = current_user;
        RETURN;
    END IF;
    INSERT INTO text2sql_eval._labels AS l (evaluation_id, case_id, attempt, measure, label)
    VALUES (label.evaluation_id, label.case_id, label.attempt, label.measure, label.label)
    ON CONFLICT ON CONSTRAINT _labels_pkey DO UPDATE SET label = excluded.label, labelled_at = now();
END
$label$;

-- Each label beside what was computed: the verdict by the gold, or the judging model's opinion. A judge calls an answer
-- faithful if it finds all of its statements supported, and relevant unless it calls it noncommittal or its questions
-- are less than half like the question.
CREATE VIEW text2sql_eval.labels WITH (security_invoker = true) AS
SELECT l.evaluation_id, l.case_id, l.attempt, l.measure, l.label,
       CASE l.measure WHEN 'right' THEN r.verdict = 'right'
                      WHEN 'faithfulness' THEN r.faithfulness >= 1
                      WHEN 'answer_relevancy' THEN r.answer_relevancy >= 0.5 END AS computed,
       l.labelled_by, l.labelled_at
  FROM text2sql_eval._labels l LEFT JOIN text2sql_eval.results r USING (evaluation_id, case_id, attempt);

-- How much they agree: of each person with what was computed, of each two persons, and of the judging model with the gold:
-- it calls an answer right if it finds that its rows answer the question rather than not.
CREATE VIEW text2sql_eval.judge_agreement WITH (security_invoker = true) AS
SELECT p.evaluation_id, p.measure, p.one, p.other, (k.found ->> 'items')::integer AS answers,
       (k.found ->> 'agreement')::float8 AS agreement, (k.found ->> 'kappa')::float8 AS kappa,
       (k.found ->> 'low')::float8 AS low, (k.found ->> 'high')::float8 AS high
  FROM (SELECT c.evaluation_id, c.measure, c.labelled_by::text AS one,
               CASE WHEN c.measure = 'right' THEN 'gold'
                    ELSE coalesce(nullif(min((u.configured -> 'settings' ->> 'text2sql.tuning')::jsonb ->> 'judge_model'), ''),
                                  min(u.configured -> 'settings' ->> 'text2sql.model')) END AS other,
               array_agg(c.label::text ORDER BY c.case_id, c.attempt) AS ones,
               array_agg(c.computed::text ORDER BY c.case_id, c.attempt) AS others
          FROM text2sql_eval.labels c JOIN text2sql_eval._evaluations u USING (evaluation_id)
         WHERE c.computed IS NOT NULL
         GROUP BY c.evaluation_id, c.measure, c.labelled_by
        UNION ALL
        SELECT a.evaluation_id, a.measure, a.labelled_by::text, b.labelled_by::text,
               array_agg(a.label::text ORDER BY a.case_id, a.attempt), array_agg(b.label::text ORDER BY a.case_id, a.attempt)
          FROM text2sql_eval._labels a JOIN text2sql_eval._labels b USING (evaluation_id, case_id, attempt, measure)
         WHERE a.labelled_by < b.labelled_by
         GROUP BY a.evaluation_id, a.measure, a.labelled_by, b.labelled_by
        UNION ALL
        SELECT j.evaluation_id, 'right', coalesce(nullif((u.configured -> 'settings' ->> 'text2sql.tuning')::jsonb ->> 'judge_model', ''), u.configured -> 'settings' ->> 'text2sql.model'), 'gold',
               array_agg((j.relevance >= 0.5)::text ORDER BY j.case_id, j.attempt), array_agg((j.verdict = 'right')::text ORDER BY j.case_id, j.attempt)
          FROM text2sql_eval.results j JOIN text2sql_eval._evaluations u USING (evaluation_id)
         WHERE j.relevance IS NOT NULL AND j.verdict IS NOT NULL
         GROUP BY j.evaluation_id, u.configured) AS p,
       LATERAL (SELECT text2sql_eval._kappa(p.ones, p.others) AS found) AS k;

-- The statistics that the views use, for figures of one's own. The arguments of each are the members of an object.
CREATE FUNCTION text2sql_eval.statistic(name text, arguments jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $statistic$
DECLARE
    known CONSTANT jsonb := '{"kappa": ["one", "other"], "mcnemar": ["only_baseline", "only_candidate"],
                              "reliability": ["sql", "outcomes"], "wilson": ["successes", "total"]}';
    wanted text[];
    found double precision[];
BEGIN
    wanted := ARRAY(SELECT jsonb_array_elements_text(known -> name));
    IF name IS NULL OR NOT known ? name THEN
        RAISE EXCEPTION '%', CASE WHEN name IS NULL THEN 'name must not be null' ELSE format('invalid statistic "%s"', name) END
            USING ERRCODE = CASE WHEN name IS NULL THEN 'null_value_not_allowed' ELSE 'invalid_parameter_value' END,
                  DETAIL = 'The statistics are kappa, mcnemar, reliability and wilson.',
                  HINT = 'For example: SELECT text2sql_eval.statistic(''wilson'', ''{"successes": 81, "total": 263}'');';
    ELSIF jsonb_typeof(arguments) IS DISTINCT FROM 'object' OR ARRAY(SELECT k FROM jsonb_object_keys(arguments) AS k ORDER BY k) <> ARRAY(SELECT w FROM unnest(wanted) AS w ORDER BY w) THEN
        RAISE EXCEPTION 'the statistic "%" has the arguments %', name, array_to_string(wanted, ' and ')
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = format('Use: SELECT text2sql_eval.statistic(%L, ''{"%s": …, "%s": …}'');', name, wanted[1], wanted[2]);
    END IF;
    CASE name
    WHEN 'wilson' THEN
        found := text2sql_eval._wilson((arguments ->> 'successes')::float8, (arguments ->> 'total')::float8);
        RETURN jsonb_build_object('low', found[1], 'high', found[2]);
    WHEN 'mcnemar' THEN
        found := text2sql_eval._mcnemar((arguments ->> 'only_baseline')::integer, (arguments ->> 'only_candidate')::integer);
        RETURN jsonb_build_object('p_exact', found[1], 'p_mid', found[2]);
    WHEN 'kappa' THEN
        RETURN text2sql_eval._kappa(ARRAY(SELECT jsonb_array_elements_text(arguments -> 'one')), ARRAY(SELECT jsonb_array_elements_text(arguments -> 'other')));
    ELSE
        RETURN text2sql_eval._reliability(ARRAY(SELECT jsonb_array_elements_text(arguments -> 'sql')), ARRAY(SELECT jsonb_array_elements_text(arguments -> 'outcomes')));
    END CASE;
END
$statistic$;

COMMENT ON FUNCTION text2sql_eval.statistic(text, jsonb) IS
    'Computes a statistic of the views from other figures: wilson (the 95 percent interval of a proportion), mcnemar (the p of cases that only one of two evaluations got right), kappa (Cohen''s, of two judges over the same items), reliability (of attempts at one case). Example: SELECT text2sql_eval.statistic(''mcnemar'', ''{"only_baseline": 1, "only_candidate": 7}'').';
COMMENT ON TABLE text2sql_eval._labels IS
    'Rows behind the view text2sql_eval.labels.';
COMMENT ON FUNCTION text2sql_eval.label(bigint, bigint, text, boolean, integer) IS
    'Stores what the caller says about an answer of an evaluation: whether it is right, whether its texts support it (faithfulness), or whether it answers the question (answer_relevancy). NULL takes it back. Example: SELECT text2sql_eval.label(7, 3, ''faithfulness'', true).';
COMMENT ON VIEW text2sql_eval.labels IS
    'What people say about answers of evaluations, by label(), and beside it what was computed: the verdict by the gold statement, or the opinion of the judging model.';
COMMENT ON VIEW text2sql_eval.judge_agreement IS
    'How much people agree with the judging model, with the verdicts by the gold statements, and with each other: the share of equal labels, and Cohen''s kappa with its 95 percent interval.';
COMMENT ON FUNCTION text2sql_eval._kappa(text[], text[]) IS
    'Returns Cohen''s kappa of two judges over the same items, with its 95 percent interval and the share of equal labels.';
COMMENT ON FUNCTION text2sql_eval._cascade_labels() IS
    'Trigger: labels are deleted with their evaluation.';
