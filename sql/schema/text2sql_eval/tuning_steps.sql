-- The steps of tune(). Each is one short transaction, in which nothing is asked.

-- Begins a search, or finds the one that this call began: by its name, else by its arguments.
CREATE FUNCTION text2sql_eval._begin_tuning(
    suite text, space json, max_calls integer, hold_out double precision, repeats integer, name text, objectives json, max_questions integer, seed bigint
) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $begin_tuning$
DECLARE
    run text2sql_eval._tuning_runs;
    checked record;
    differing text;
    index_settings jsonb;
    second record;
    search_cases bigint[];
    held_out bigint[];
    made bigint;
BEGIN
    PERFORM text2sql._require_writable('a search cannot be recorded');
    IF (hold_out >= 0.1 AND hold_out <= 0.9) IS NOT TRUE THEN
        RAISE EXCEPTION 'hold_out must be between 0.1 and 0.9: %', hold_out USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF (repeats >= 1 AND repeats <= 100) IS NOT TRUE THEN
        RAISE EXCEPTION 'repeats must be between 1 and 100: %', repeats USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- Two calls at a time begin one search.
    PERFORM pg_advisory_xact_lock(hashtextextended(concat_ws(chr(31), current_user, suite, name, space), 23));
    SELECT r.* INTO run FROM text2sql_eval._tuning_runs r
     WHERE r.made_by = current_user AND r.suite = _begin_tuning.suite
       AND CASE WHEN _begin_tuning.name IS NOT NULL THEN r.name = _begin_tuning.name
                ELSE r.name IS NULL AND r.state <> 'done'
                     AND (r.space::text, r.objectives::text, r.hold_out, r.repeats, r.seed)
                       = (_begin_tuning.space::text, _begin_tuning.objectives::text, _begin_tuning.hold_out, _begin_tuning.repeats, _begin_tuning.seed) END
     ORDER BY r.run_id DESC LIMIT 1;
    IF FOUND THEN
        SELECT string_agg(d.argument, ', ') INTO differing
          FROM (VALUES ('space', run.space::text <> _begin_tuning.space::text), ('objectives', run.objectives::text <> _begin_tuning.objectives::text),
                       ('hold_out', run.hold_out <> _begin_tuning.hold_out), ('repeats', run.repeats <> _begin_tuning.repeats),
                       ('seed', run.seed <> _begin_tuning.seed)) AS d(argument, differs)
         WHERE d.differs;
        IF differing IS NOT NULL THEN
            RAISE EXCEPTION 'search "%" was begun with another %', run.name, differing
                USING ERRCODE = 'invalid_parameter_value', HINT = 'Give the same arguments to go on with it, or another name.';
        END IF;
        IF run.state = 'done' THEN
            RAISE NOTICE 'search "%" is over: %', run.name, run.why_ended;
            RETURN run.run_id;
        END IF;
        SELECT string_agg(n.key, ', ') INTO differing
          FROM jsonb_each_text(text2sql_eval._configuration() -> 'settings') AS n
         WHERE n.value IS DISTINCT FROM run.configured -> 'settings' ->> n.key AND NOT run.index_settings ? n.key;
        IF differing IS NOT NULL THEN
            RAISE EXCEPTION 'settings have changed since search % began: %', run.run_id, differing
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      DETAIL = 'What was asked before could not be compared with what is asked now.',
                      HINT = 'Set them as they were to go on, or begin another search with another name.';
        END IF;
        UPDATE text2sql_eval._tuning_runs r
           SET max_questions = _begin_tuning.max_questions, max_calls = _begin_tuning.max_calls
         WHERE r.run_id = run.run_id;
        RAISE NOTICE 'search % goes on: % questions were asked', run.run_id, (
            SELECT count(*) FROM text2sql_eval.results r JOIN text2sql_eval._tuning_trials t USING (evaluation_id)
             WHERE t.run_id = run.run_id AND r.state <> 'waiting');
        RETURN run.run_id;
    END IF;
    SELECT * INTO checked FROM text2sql_eval._check_space(space, objectives);
    index_settings := text2sql_eval._index_settings(space);
    SELECT * INTO second FROM text2sql_eval._second_embedder(space, checked.current_values, objectives);
    held_out := text2sql_eval._held_out(suite, hold_out);
    SELECT array_agg(c.case_id) INTO search_cases
      FROM text2sql_eval.cases c WHERE c.suite = _begin_tuning.suite AND NOT c.case_id = ANY (held_out);
    IF search_cases IS NULL OR held_out IS NULL THEN
        IF NOT EXISTS (SELECT FROM text2sql_eval.suites s WHERE s.suite = _begin_tuning.suite) THEN
            RAISE EXCEPTION 'suite "%" does not exist', _begin_tuning.suite
                USING ERRCODE = 'undefined_object', HINT = 'List the suites: SELECT suite FROM text2sql_eval.suites;';
        END IF;
        RAISE EXCEPTION 'suite "%" has no cases %', _begin_tuning.suite, CASE WHEN held_out IS NULL THEN 'to hold out' ELSE 'to search with' END
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Add cases, or hold out another share.';
    END IF;
    INSERT INTO text2sql_eval._tuning_runs (name, suite, space, current_values, combinations, objectives, hold_out, repeats, seed,
                                           max_questions, max_calls, cases, held_out, index_settings, second_embedder, makes_vectors, configured)
    VALUES (_begin_tuning.name, _begin_tuning.suite, _begin_tuning.space, checked.current_values, checked.combinations, _begin_tuning.objectives,
            _begin_tuning.hold_out, _begin_tuning.repeats, _begin_tuning.seed, _begin_tuning.max_questions, _begin_tuning.max_calls,
            search_cases, held_out, index_settings, second.embedder, second.is_missing, text2sql_eval._configuration())
    RETURNING run_id INTO made;
    INSERT INTO text2sql_eval._tuning_trials (run_id, trial, settings) VALUES (made, 0, '{}');
    RETURN made;
END
$begin_tuning$;

-- The embedder whose vectors are to be made, or brought up to date, before the search goes on; NULL: none.
CREATE FUNCTION text2sql_eval._vectors_to_build(run_id bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $vectors_to_build$
    SELECT r.second_embedder FROM text2sql_eval._tuning_runs r
     WHERE r.run_id = _vectors_to_build.run_id AND r.state <> 'done'
       AND has_function_privilege('text2sql.refresh(jsonb, text)', 'EXECUTE')
$vectors_to_build$;

-- Drops the vectors that a search that is over has made.
CREATE FUNCTION text2sql_eval._drop_made_vectors(run_id bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $drop_made_vectors$
DECLARE
    made text;
BEGIN
    UPDATE text2sql_eval._tuning_runs r SET makes_vectors = false
     WHERE r.run_id = _drop_made_vectors.run_id AND r.state = 'done' AND r.makes_vectors
    RETURNING r.second_embedder INTO made;
    IF made IS NOT NULL THEN
        BEGIN
            PERFORM text2sql.forget('vectors', made);
        EXCEPTION WHEN undefined_object THEN
            -- Somebody else has.
            NULL;
        END;
    END IF;
END
$drop_made_vectors$;

-- The cases that an evaluation was asked completely, and the outcomes of those that count.
CREATE FUNCTION text2sql_eval._tuning_outcomes(evaluation_id bigint, in_money boolean, OUT asked json, OUT outcomes json)
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $tuning_outcomes$
    SELECT coalesce(json_agg(c.case_id), '[]'),
           coalesce(json_agg(json_build_object('case', c.case_id, 'right', c.share, 'cost', c.cost, 'milliseconds', c.milliseconds))
                    FILTER (WHERE NOT c.is_broken), '[]')
      FROM (SELECT r.case_id, bool_or(r.state = 'broken') AS is_broken, avg((r.verdict = 'right')::int)::float8 AS share,
                   coalesce(avg(CASE WHEN in_money THEN r.cost ELSE coalesce(r.input_tokens, 0) + coalesce(r.output_tokens, 0) END)::float8, 0) AS cost,
                   coalesce(avg(r.milliseconds), 0) AS milliseconds
              FROM text2sql_eval.results r WHERE r.evaluation_id = _tuning_outcomes.evaluation_id
             GROUP BY r.case_id HAVING bool_and(r.state <> 'waiting')) AS c
$tuning_outcomes$;

-- A search and everything that was asked, for _decide_tuning().
CREATE FUNCTION text2sql_eval._tuning_search(run_id bigint, questions_left bigint, touched integer) RETURNS json
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $tuning_search$
    SELECT json_build_object(
               'space', r.space, 'current', r.current_values, 'objectives', r.objectives, 'seed', r.seed, 'repeats', r.repeats,
               'left', questions_left, 'touched', touched, 'cases', r.cases,
               'index_settings', ARRAY(SELECT n FROM jsonb_object_keys(r.index_settings) AS k, unnest(ARRAY[k, substr(k, 10)]) AS n),
               'trials', (
                   SELECT json_agg(json_build_object('trial', t.trial, 'settings', t.settings, 'generation', t.generation, 'rung', t.rung,
                                                     'state', t.state, 'asked', o.asked, 'outcomes', o.outcomes) ORDER BY t.trial)
                     FROM text2sql_eval._tuning_trials t, LATERAL text2sql_eval._tuning_outcomes(t.evaluation_id, r.cost_in <> 'tokens') AS o
                    WHERE t.run_id = r.run_id))
      FROM text2sql_eval._tuning_runs r WHERE r.run_id = _tuning_search.run_id
$tuning_search$;

-- What to ask next: an evaluation with waiting attempts; NULL when the search is over and its proposals are judged.
-- `earlier` is `seen` of the step before, NULL in the first one of a call.
CREATE FUNCTION text2sql_eval._tuning_step(
    run_id bigint, earlier jsonb, OUT evaluation_id bigint, OUT seen jsonb, OUT needs_refresh boolean, OUT is_waiting boolean
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $tuning_step$
DECLARE
    run text2sql_eval._tuning_runs;
    settings jsonb := '{}';
    waiting bigint;
    made_with jsonb;
BEGIN
    -- Connections that work on one search decide one after another.
    SELECT * INTO run FROM text2sql_eval._tuning_runs r WHERE r.run_id = _tuning_step.run_id FOR UPDATE;
    IF run.state = 'searching' THEN
        SELECT s.evaluation_id, s.settings INTO evaluation_id, settings FROM text2sql_eval._search_step(run.run_id) AS s;
    END IF;
    IF evaluation_id IS NULL AND run.state <> 'done' THEN
        SELECT n.evaluation_id, n.settings INTO evaluation_id, settings FROM text2sql_eval._next_judged(run.run_id) AS n;
        IF evaluation_id IS NULL THEN
            PERFORM text2sql_eval._judge_proposal(p.proposal_id) FROM text2sql_eval.proposals p WHERE p.run_id = run.run_id;
            UPDATE text2sql_eval._tuning_runs r SET state = 'done', finished_at = clock_timestamp() WHERE r.run_id = run.run_id;
        END IF;
    END IF;
    SELECT count(*) INTO waiting FROM text2sql_eval.results r WHERE r.evaluation_id = _tuning_step.evaluation_id AND r.state = 'waiting';
    made_with := text2sql_eval._set_index_settings(run.index_settings, coalesce(settings, '{}'));
    -- In the first step of a call nobody knows how the index was made.
    needs_refresh := run.index_settings <> '{}' AND made_with IS DISTINCT FROM earlier -> 'made_with'
                     AND (evaluation_id IS NOT NULL OR earlier IS NOT NULL);
    seen := jsonb_build_object('evaluation', evaluation_id, 'waiting', waiting, 'made_with', made_with);
    is_waiting := seen = earlier;
END
$tuning_step$;

-- The trial that has waiting attempts, else the one that is decided to be asked; NULL at the end of the search, whose
-- proposals it stores.
CREATE FUNCTION text2sql_eval._search_step(run_id bigint, OUT evaluation_id bigint, OUT settings jsonb)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $search_step$
DECLARE
    run text2sql_eval._tuning_runs;
    reserve bigint;
    questions bigint;
    calls bigint;
    questions_left bigint;
    calls_left bigint;
    touched integer;
    decided json;
    asked integer;
BEGIN
    SELECT * INTO run FROM text2sql_eval._tuning_runs r WHERE r.run_id = _search_step.run_id;
    -- Kept for the last evaluations: the settings as they are and the proposals, each over the held-out cases.
    reserve := CASE WHEN run.objectives::jsonb ? 'pareto' THEN 5 ELSE 2 END * run.repeats * cardinality(run.held_out);
    SELECT count(*) FILTER (WHERE r.state <> 'waiting'), coalesce(sum(r.model_calls + coalesce(r.judge_calls, 0)), 0),
           (array_agg(t.trial ORDER BY r.finished_at DESC NULLS LAST))[1]
      INTO questions, calls, touched
      FROM text2sql_eval._tuning_trials t JOIN text2sql_eval.results r ON r.evaluation_id = t.evaluation_id
     WHERE t.run_id = run.run_id;
    calls_left := run.max_calls - reserve - calls;
    questions_left := least(run.max_questions - reserve - questions, calls_left);
    IF (calls_left <= 0) IS NOT TRUE THEN
        SELECT t.evaluation_id, t.settings INTO evaluation_id, settings
          FROM text2sql_eval._tuning_trials t
         WHERE t.run_id = run.run_id
           AND EXISTS (SELECT FROM text2sql_eval.results r WHERE r.evaluation_id = t.evaluation_id AND r.state = 'waiting')
         ORDER BY t.trial LIMIT 1;
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    SELECT CASE WHEN count(r.currency) > 0 AND count(DISTINCT r.currency) = 1
                 AND count(*) FILTER (WHERE r.model_calls > 0 AND r.cost IS NULL) = 0 THEN min(r.currency) ELSE 'tokens' END
      INTO run.cost_in
      FROM text2sql_eval._tuning_trials t JOIN text2sql_eval.results r ON r.evaluation_id = t.evaluation_id
     WHERE t.run_id = run.run_id;
    UPDATE text2sql_eval._tuning_runs r SET cost_in = run.cost_in WHERE r.run_id = run.run_id;
    LOOP
        decided := text2sql_eval._decide_tuning(text2sql_eval._tuning_search(run.run_id, questions_left, touched));
        UPDATE text2sql_eval._tuning_trials t SET rung = m.rung, state = m.state, why = m.why
          FROM json_to_recordset(decided -> 'trials') AS m(trial integer, rung integer, state text, why text)
         WHERE t.run_id = run.run_id AND t.trial = m.trial;
        UPDATE text2sql_eval._tuning_trials t
           SET cases = f.cases, accuracy = f.accuracy, cost = f.cost, latency = f.latency, gain = f.gain, incumbent = f.incumbent,
               difference = f.difference, low = f.low, high = f.high, p = f.p
          FROM json_to_recordset(decided -> 'figures') AS f(trial integer, cases integer, accuracy float8, cost float8, latency float8,
               gain float8, incumbent integer, difference float8, low float8, high float8, p float8)
         WHERE t.run_id = run.run_id AND t.trial = f.trial;
        EXIT WHEN json_typeof(decided -> 'add') = 'null';
        INSERT INTO text2sql_eval._tuning_trials (run_id, trial, settings, generation)
        SELECT run.run_id, (SELECT max(t.trial) FROM text2sql_eval._tuning_trials t WHERE t.run_id = run.run_id) + s.place,
               s.value, (decided -> 'add' ->> 'generation')::integer
          FROM json_array_elements(decided -> 'add' -> 'settings') WITH ORDINALITY AS s(value, place);
    END LOOP;
    IF json_typeof(decided -> 'ask') = 'null' THEN
        UPDATE text2sql_eval._tuning_runs r SET state = 'judging', why_ended = decided -> 'end' ->> 'why' WHERE r.run_id = run.run_id;
        UPDATE text2sql_eval._tuning_trials t SET state = 'winner'
         WHERE t.run_id = run.run_id AND t.trial IN (SELECT w::integer FROM json_array_elements_text(decided -> 'end' -> 'winners') AS w);
        UPDATE text2sql_eval._tuning_trials t SET state = 'finished' WHERE t.run_id = run.run_id AND t.trial = 0;
        UPDATE text2sql_eval._tuning_trials t SET state = 'stopped', why = decided -> 'end' ->> 'why'
         WHERE t.run_id = run.run_id AND t.state = 'racing';
        PERFORM text2sql_eval._propose(run.run_id, ARRAY(SELECT w::integer FROM json_array_elements_text(decided -> 'end' -> 'winners') AS w));
        RETURN;
    END IF;
    asked := decided -> 'ask' ->> 'trial';
    SELECT t.evaluation_id, t.settings INTO evaluation_id, settings
      FROM text2sql_eval._tuning_trials t WHERE t.run_id = run.run_id AND t.trial = asked;
    evaluation_id := text2sql_eval._ask_trial(run.run_id, asked, evaluation_id, settings, calls_left,
                                              ARRAY(SELECT c::bigint FROM json_array_elements_text(decided -> 'ask' -> 'cases') AS c));
END
$search_step$;

-- Adds cases to the evaluation of a trial, which it begins where there is none.
CREATE FUNCTION text2sql_eval._ask_trial(
    run_id bigint, trial integer, evaluation_id bigint, settings jsonb, calls_left bigint, cases bigint[]
) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $ask_trial$
DECLARE
    run text2sql_eval._tuning_runs;
    asked bigint := evaluation_id;
BEGIN
    SELECT * INTO run FROM text2sql_eval._tuning_runs r WHERE r.run_id = _ask_trial.run_id;
    PERFORM text2sql_eval._set_index_settings(run.index_settings, settings);
    IF asked IS NULL THEN
        asked := text2sql_eval._begin_evaluation(run.suite, run.repeats, settings, format('search %s, trial %s', run.run_id, trial), NULL, cases);
        UPDATE text2sql_eval._tuning_trials t SET evaluation_id = asked WHERE t.run_id = run.run_id AND t.trial = _ask_trial.trial;
    ELSIF text2sql_eval._add_attempts(asked, run.suite, run.repeats, cases) = 0 THEN
        RAISE EXCEPTION 'the cases of search % are not in suite "%" any more', run.run_id, run.suite
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Begin another search with another name.';
    END IF;
    UPDATE text2sql_eval._evaluations u
       SET state = 'running', finished_at = NULL,
           max_calls = calls_left + (SELECT coalesce(sum(r.model_calls + coalesce(r.judge_calls, 0)), 0) FROM text2sql_eval.results r WHERE r.evaluation_id = asked)
     WHERE u.evaluation_id = asked;
    RETURN asked;
END
$ask_trial$;

COMMENT ON FUNCTION text2sql_eval._begin_tuning IS
    'Begins a search of tune(), or finds the one that goes on.';
COMMENT ON FUNCTION text2sql_eval._vectors_to_build(bigint) IS
    'Returns the embedder whose vectors a search of tune() needs beside those of the search index.';
COMMENT ON FUNCTION text2sql_eval._drop_made_vectors(bigint) IS
    'Drops the vectors that a search of tune() has made, when it is over.';
COMMENT ON FUNCTION text2sql_eval._tuning_outcomes IS
    'Returns the outcomes of a trial as JSON.';
COMMENT ON FUNCTION text2sql_eval._tuning_search IS
    'Returns a search as JSON, for what decides.';
COMMENT ON FUNCTION text2sql_eval._tuning_step IS
    'Returns what tune() asks next.';
COMMENT ON FUNCTION text2sql_eval._search_step IS
    'Returns what the search of tune() asks next.';
COMMENT ON FUNCTION text2sql_eval._ask_trial IS
    'Adds cases to the evaluation of a trial.';
COMMENT ON FUNCTION text2sql_eval._decide_tuning IS
    'Decides what a search asks next, which trials stop, and what is proposed.';
COMMENT ON FUNCTION text2sql_eval._judge_tuning IS
    'Compares a proposal with the settings as they are.';
