-- The maximum number of questions and tokens of a role in a day, and what they may cost. Run once by CREATE EXTENSION.
--
-- The counters are sequences, because a rollback does not reset a sequence. A day's count is stored as day *
-- 1,000,000,000 + count; that of the cost, which counts millionths of the currency, as day * 100,000,000,000,000
-- + count.

CREATE TABLE text2sql._budgets (
    budget_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- By name, as the role may not exist where this is restored. A budget does not follow ALTER ROLE … RENAME.
    role_name name NOT NULL UNIQUE,
    questions_per_day integer CHECK (questions_per_day >= 0),
    tokens_per_day bigint CHECK (tokens_per_day >= 0),
    cost_per_day numeric CHECK (cost_per_day BETWEEN 0 AND 10000000),
    currency text NOT NULL DEFAULT 'USD' CHECK (currency ~ '^[A-Z]{3}$')
);
ALTER TABLE text2sql._budgets ENABLE ROW LEVEL SECURITY;
SELECT pg_catalog.pg_extension_config_dump('text2sql._budgets', '');
SELECT pg_catalog.pg_extension_config_dump('text2sql._budgets_budget_id_seq', '');

-- Whether a budget or an approval rule of that role applies to the caller: it applies to the role itself and to
-- its members. A superuser is considered a member of no role. A role that does not exist has no members.
CREATE FUNCTION text2sql._applies_to_role(role_name name, caller oid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $applies_to_role$
    SELECT EXISTS (
        SELECT FROM pg_roles b, pg_roles a
         WHERE b.rolname = role_name AND a.oid = caller
           AND (a.oid = b.oid OR (pg_has_role(a.oid, b.oid, 'MEMBER') AND NOT a.rolsuper)))
$applies_to_role$;

CREATE FUNCTION text2sql.set_budget(
    role_name text,
    questions_per_day integer DEFAULT NULL,
    tokens_per_day bigint DEFAULT NULL,
    cost_per_day numeric DEFAULT NULL,
    currency text DEFAULT 'USD'
) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $set_budget$
DECLARE
    budget bigint;
    counter text;
    grantee text;
BEGIN
    PERFORM text2sql._require_writable('a budget cannot be set');
    IF role_name IS NULL OR num_nonnulls(set_budget.questions_per_day, set_budget.tokens_per_day, set_budget.cost_per_day) > 0 THEN
        PERFORM text2sql._require_role(role_name, 'SELECT text2sql.set_budget(''analyst'', questions_per_day => 100)');
    END IF;
    IF set_budget.questions_per_day < 0 OR set_budget.tokens_per_day < 0 OR set_budget.cost_per_day < 0 THEN
        RAISE EXCEPTION 'a budget cannot be negative'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'NULL means no limit, and 0 allows nothing.';
    END IF;
    IF set_budget.cost_per_day > 10000000 OR set_budget.cost_per_day = 'NaN' THEN
        RAISE EXCEPTION 'cost_per_day is out of range: %', set_budget.cost_per_day
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Use an amount up to 10000000: SELECT text2sql.set_budget(''analyst'', cost_per_day => 5.00);';
    END IF;
    IF set_budget.currency IS NULL OR upper(set_budget.currency) !~ '^[A-Z]{3}$' THEN
        RAISE EXCEPTION 'invalid currency: %', coalesce(set_budget.currency, 'NULL')
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Use the three letters of ISO 4217: SELECT text2sql.set_budget(''analyst'', cost_per_day => 5.00, currency => ''EUR'');';
    END IF;
    IF num_nonnulls(set_budget.questions_per_day, set_budget.tokens_per_day, set_budget.cost_per_day) = 0 THEN
        DELETE FROM text2sql._budgets AS b WHERE b.role_name = set_budget.role_name RETURNING b.budget_id INTO budget;
        IF NOT FOUND THEN
            -- The budget of a role that was dropped is found above.
            PERFORM text2sql._require_role(role_name, 'SELECT text2sql.set_budget(''analyst'')');
            RETURN;
        END IF;
        FOREACH counter IN ARRAY ARRAY['questions', 'tokens', 'cost'] LOOP
            EXECUTE format('DROP SEQUENCE IF EXISTS text2sql.%I', '_budget_' || budget || '_' || counter);
        END LOOP;
        RETURN;
    END IF;
    INSERT INTO text2sql._budgets AS b (role_name, questions_per_day, tokens_per_day, cost_per_day, currency)
    VALUES (set_budget.role_name, set_budget.questions_per_day, set_budget.tokens_per_day, set_budget.cost_per_day,
            upper(set_budget.currency))
    ON CONFLICT ON CONSTRAINT _budgets_role_name_key DO UPDATE
       SET questions_per_day = excluded.questions_per_day, tokens_per_day = excluded.tokens_per_day,
           cost_per_day = excluded.cost_per_day, currency = excluded.currency
    RETURNING b.budget_id INTO budget;
    FOREACH counter IN ARRAY ARRAY['questions', 'tokens', 'cost'] LOOP
        counter := '_budget_' || budget || '_' || counter;
        IF to_regclass('text2sql.' || counter) IS NULL THEN
            EXECUTE format('CREATE SEQUENCE text2sql.%I', counter);
            EXECUTE format('ALTER SEQUENCE text2sql.%I OWNER TO %s', counter,
                (SELECT c.relowner::regrole FROM pg_class c WHERE c.oid = 'text2sql._budgets'::regclass));
            EXECUTE format('ALTER SEQUENCE text2sql.%I OWNED BY text2sql._budgets.budget_id', counter);
        END IF;
        -- Granted by ALTER DEFAULT PRIVILEGES: a role that can set a counter would have no limit.
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

-- Adds to a budget's counter of the day and returns the new count; NULL when there is no counter. The caller
-- holds the lock of src/pg/stored/models/question_budgets.rs, so that no count is lost between reading and setting; adding
-- nothing only reads. A day's count remains below the next day's, however much is added.
CREATE FUNCTION text2sql._count_today(budget_id bigint, kind text, amount bigint, day bigint) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $count_today$
DECLARE
    counter regclass := to_regclass('text2sql._budget_' || budget_id || '_' || kind);
    days_counts CONSTANT bigint := CASE kind WHEN 'cost' THEN 100000000000000 ELSE 1000000000 END;
    days_start CONSTANT bigint := day * days_counts;
    max_count CONSTANT bigint := days_counts - 1;
    counted bigint;
BEGIN
    IF counter IS NULL THEN
        RETURN NULL;
    END IF;
    EXECUTE format('SELECT last_value - $1 FROM %s', counter) INTO counted USING days_start;
    -- The count of an earlier day, or of a later one when the clock was set back: this day starts at zero.
    IF counted NOT BETWEEN 0 AND max_count THEN
        counted := 0;
    END IF;
    IF amount > 0 THEN
        counted := counted + least(amount, max_count - counted);
        PERFORM setval(counter, days_start + counted);
    END IF;
    RETURN counted;
END
$count_today$;

CREATE VIEW text2sql.budgets WITH (security_invoker = true) AS
SELECT u.role_name, u.questions_today, u.questions_per_day, u.tokens_today, u.tokens_per_day,
       u.cost_today, u.cost_per_day, u.currency,
       CASE WHEN u.questions_today >= u.questions_per_day OR u.tokens_today >= u.tokens_per_day
                 OR u.cost_today >= u.cost_per_day THEN 'used up'
            ELSE 'available' END AS status
  FROM text2sql._budget_usage() AS u;
COMMENT ON VIEW text2sql.budgets IS
    'Budgets of questions, tokens and cost in a day (UTC), and how much of each is used: those that apply to the caller, and all of them for roles that may set budgets.';
COMMENT ON COLUMN text2sql.budgets.role_name IS 'The role that has the budget, and shares it with its members.';
COMMENT ON COLUMN text2sql.budgets.questions_today IS 'Questions asked today.';
COMMENT ON COLUMN text2sql.budgets.questions_per_day IS 'Maximum number of questions in a day; NULL means no limit.';
COMMENT ON COLUMN text2sql.budgets.tokens_today IS 'Tokens used today, counted in hundreds.';
COMMENT ON COLUMN text2sql.budgets.tokens_per_day IS 'Maximum number of tokens in a day; NULL means no limit.';
COMMENT ON COLUMN text2sql.budgets.cost_today IS 'What the questions of today cost, at the prices of the models.';
COMMENT ON COLUMN text2sql.budgets.cost_per_day IS 'What the questions of a day may cost; NULL means no limit.';
COMMENT ON COLUMN text2sql.budgets.currency IS 'The currency of both, an ISO 4217 code.';
COMMENT ON COLUMN text2sql.budgets.status IS 'available, or used up: the next question is refused.';
COMMENT ON TABLE text2sql._budgets IS 'Rows behind the view text2sql.budgets; set_budget() writes them.';
