-- How many questions and tokens a role may use in a day. Run once by CREATE EXTENSION.
--
-- The counters are sequences, because a sequence does not go back when a transaction is rolled back.
-- A day's count stands above the number of the day: day * 1,000,000,000 + count.

CREATE TABLE text2sql.budgets (
    budget_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    role regrole NOT NULL UNIQUE,
    questions_per_day integer CHECK (questions_per_day >= 0),
    tokens_per_day bigint CHECK (tokens_per_day >= 0)
);
SELECT pg_catalog.pg_extension_config_dump('text2sql.budgets', '');
SELECT pg_catalog.pg_extension_config_dump('text2sql.budgets_budget_id_seq', '');

-- The role is not found by to_regrole(): the time that takes grows with the square of the number of quotes
-- in the name.
CREATE FUNCTION text2sql.set_budget(
    role_name text,
    questions_per_day integer DEFAULT NULL,
    tokens_per_day bigint DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $set_budget$
DECLARE
    budgeted regrole := (SELECT r.oid FROM pg_roles r WHERE r.rolname = left(role_name, 64));
    budget integer;
    counter text;
BEGIN
    IF budgeted IS NULL THEN
        RAISE EXCEPTION 'role "%" does not exist', role_name
            USING ERRCODE = 'undefined_object',
                  HINT = 'the name is taken as it is, without quotes: SELECT text2sql.set_budget(''analyst'', questions_per_day => 100)';
    END IF;
    IF set_budget.questions_per_day < 0 OR set_budget.tokens_per_day < 0 THEN
        RAISE EXCEPTION 'a budget cannot be negative'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'NULL sets no bound, 0 allows nothing';
    END IF;
    IF set_budget.questions_per_day IS NULL AND set_budget.tokens_per_day IS NULL THEN
        DELETE FROM text2sql.budgets AS b WHERE b.role = budgeted RETURNING b.budget_id INTO budget;
        IF NOT FOUND THEN
            RETURN;
        END IF;
        FOREACH counter IN ARRAY ARRAY['questions', 'tokens'] LOOP
            EXECUTE format('DROP SEQUENCE IF EXISTS text2sql.%I', 'budget_' || budget || '_' || counter);
        END LOOP;
        RETURN;
    END IF;
    INSERT INTO text2sql.budgets AS b (role, questions_per_day, tokens_per_day)
    VALUES (budgeted, set_budget.questions_per_day, set_budget.tokens_per_day)
    ON CONFLICT (role) DO UPDATE
       SET questions_per_day = excluded.questions_per_day, tokens_per_day = excluded.tokens_per_day
    RETURNING b.budget_id INTO budget;
    FOREACH counter IN ARRAY ARRAY['questions', 'tokens'] LOOP
        counter := 'budget_' || budget || '_' || counter;
        IF to_regclass('text2sql.' || counter) IS NULL THEN
            EXECUTE format('CREATE SEQUENCE text2sql.%I', counter);
            EXECUTE format('ALTER SEQUENCE text2sql.%I OWNER TO %s', counter,
                (SELECT c.relowner::regrole FROM pg_class c WHERE c.oid = 'text2sql.budgets'::regclass));
            EXECUTE format('ALTER SEQUENCE text2sql.%I OWNED BY text2sql.budgets.budget_id', counter);
        END IF;
    END LOOP;
END
$set_budget$;

-- Adds to a budget's counter of this day and gives what it then holds; NULL when it is gone. Two
-- sessions that open a day together may lose a count of one.
CREATE FUNCTION text2sql._count_today(budget_id integer, kind text, amount bigint, day bigint) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $count_today$
DECLARE
    counter regclass := to_regclass('text2sql.budget_' || budget_id || '_' || kind);
    days_start bigint := day * 1000000000;
    reached bigint;
BEGIN
    IF counter IS NULL THEN
        RETURN NULL;
    END IF;
    EXECUTE format('SELECT last_value FROM %s', counter) INTO reached;
    IF reached < days_start THEN
        reached := setval(counter, days_start);
    END IF;
    FOR step IN 1 .. amount LOOP
        reached := nextval(counter);
    END LOOP;
    RETURN reached - days_start;
END
$count_today$;

CREATE FUNCTION text2sql.budget_usage()
    RETURNS TABLE (role text, questions_today bigint, questions_per_day integer,
                   tokens_today bigint, tokens_per_day bigint)
LANGUAGE sql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $budget_usage$
    SELECT b.role::text,
           text2sql._count_today(b.budget_id, 'questions', 0, today.number), b.questions_per_day,
           text2sql._count_today(b.budget_id, 'tokens', 0, today.number) * 100, b.tokens_per_day
      FROM text2sql.budgets AS b,
           (SELECT ((clock_timestamp() AT TIME ZONE 'UTC')::date - DATE '2000-01-01')::bigint AS number) AS today
     ORDER BY 1
$budget_usage$;
