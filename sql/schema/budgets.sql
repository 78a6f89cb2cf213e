-- How many questions and tokens a role may use in a day. Run once by CREATE EXTENSION.
--
-- The counters are sequences, because a sequence does not go back when a transaction is rolled back.
-- A day's count stands above the number of the day: day * 1,000,000,000 + count.

CREATE TABLE text2sql.budgets (
    budget_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- By name, as the role may not exist where this is restored. A budget does not follow ALTER ROLE … RENAME.
    role name NOT NULL UNIQUE,
    questions_per_day integer CHECK (questions_per_day >= 0),
    tokens_per_day bigint CHECK (tokens_per_day >= 0)
);
ALTER TABLE text2sql.budgets ENABLE ROW LEVEL SECURITY;
SELECT pg_catalog.pg_extension_config_dump('text2sql.budgets', '');
SELECT pg_catalog.pg_extension_config_dump('text2sql.budgets_budget_id_seq', '');

-- Whether a budget of that role holds for the role that asks: it holds for the role itself and its members, who
-- share it. A superuser is a member of nothing. A role that does not exist has no members.
CREATE FUNCTION text2sql._is_budgeted(role name, asker oid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $is_budgeted$
    SELECT EXISTS (
        SELECT FROM pg_roles b, pg_roles a
         WHERE b.rolname = role AND a.oid = asker
           AND (a.oid = b.oid OR (pg_has_role(a.oid, b.oid, 'MEMBER') AND NOT a.rolsuper)))
$is_budgeted$;

CREATE FUNCTION text2sql.set_budget(
    role_name text,
    questions_per_day integer DEFAULT NULL,
    tokens_per_day bigint DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $set_budget$
DECLARE
    budget integer;
    counter text;
    grantee text;
BEGIN
    PERFORM text2sql._require_writable('a budget cannot be set');
    IF role_name IS NULL OR set_budget.questions_per_day IS NOT NULL OR set_budget.tokens_per_day IS NOT NULL THEN
        PERFORM text2sql._require_role(role_name, 'SELECT text2sql.set_budget(''analyst'', questions_per_day => 100)');
    END IF;
    IF set_budget.questions_per_day < 0 OR set_budget.tokens_per_day < 0 THEN
        RAISE EXCEPTION 'a budget cannot be negative'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'NULL sets no bound, 0 allows nothing';
    END IF;
    IF set_budget.questions_per_day IS NULL AND set_budget.tokens_per_day IS NULL THEN
        DELETE FROM text2sql.budgets AS b WHERE b.role = role_name RETURNING b.budget_id INTO budget;
        IF NOT FOUND THEN
            -- The budget of a role that was dropped is found above.
            PERFORM text2sql._require_role(role_name, 'SELECT text2sql.set_budget(''analyst'')');
            RETURN;
        END IF;
        FOREACH counter IN ARRAY ARRAY['questions', 'tokens'] LOOP
            EXECUTE format('DROP SEQUENCE IF EXISTS text2sql.%I', 'budget_' || budget || '_' || counter);
        END LOOP;
        RETURN;
    END IF;
    INSERT INTO text2sql.budgets AS b (role, questions_per_day, tokens_per_day)
    VALUES (role_name, set_budget.questions_per_day, set_budget.tokens_per_day)
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
        -- What ALTER DEFAULT PRIVILEGES gave: whoever can set a counter has no budget.
        FOR grantee IN
            SELECT CASE held.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(held.grantee)) END
              FROM pg_class c, aclexplode(c.relacl) AS held
             WHERE c.oid = to_regclass('text2sql.' || counter) AND held.grantee <> c.relowner
        LOOP
            EXECUTE format('REVOKE ALL ON SEQUENCE text2sql.%I FROM %s CASCADE', counter, grantee);
        END LOOP;
    END LOOP;
END
$set_budget$;

-- Adds to a budget's counter of this day and gives what it then holds; NULL when it is gone. Who adds holds the
-- lock of src/pg/budget.rs, so that no count is lost between reading and setting; adding nothing only reads. A day's
-- count stays below the next day's, however much is added.
CREATE FUNCTION text2sql._count_today(budget_id integer, kind text, amount bigint, day bigint) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $count_today$
DECLARE
    counter regclass := to_regclass('text2sql.budget_' || budget_id || '_' || kind);
    days_start bigint := day * 1000000000;
    most CONSTANT bigint := 999999999;
    counted bigint;
BEGIN
    IF counter IS NULL THEN
        RETURN NULL;
    END IF;
    EXECUTE format('SELECT last_value - $1 FROM %s', counter) INTO counted USING days_start;
    -- Of an earlier day; or of a later one, when the clock was set back: then that day begins anew.
    IF counted NOT BETWEEN 0 AND most THEN
        counted := 0;
    END IF;
    IF amount > 0 THEN
        counted := counted + least(amount, most - counted);
        PERFORM setval(counter, days_start + counted);
    END IF;
    RETURN counted;
END
$count_today$;
