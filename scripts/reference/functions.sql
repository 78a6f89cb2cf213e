-- The functions and procedures of the extension as a page. Their groups are derived from the catalog: the
-- schema, the roles that may call them, and their arguments.
WITH listed AS (
    SELECT n.nspname AS schema_name, p.proname AS function_name, p.oid, p.prokind,
           pg_get_function_arguments(p.oid) AS arguments,
           coalesce(p.proargnames[1], '') AS first_argument,
           pg_get_function_arguments(p.oid) ~ '\m(question|conversation|trace_id) ' AS is_about_questions,
           pg_get_function_result(p.oid) AS result,
           obj_description(p.oid, 'pg_proc') AS comment,
           (SELECT array_agg(DISTINCT l.audience ORDER BY l.audience DESC) FROM text2sql._privileges() l
             WHERE l.kind = 'routine' AND l.schema_name = n.nspname AND l.object_name = p.proname) AS audiences
      FROM pg_proc p
      JOIN pg_namespace n ON n.oid = p.pronamespace
      JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
      JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
     WHERE e.extname = 'pg_text2sql' AND n.nspname LIKE 'text2sql%'
       AND p.proname NOT LIKE '\_%' AND p.prorettype NOT IN ('event_trigger'::regtype, 'fdw_handler'::regtype)
       AND NOT (p.proargnames IS NULL AND pg_get_function_arguments(p.oid) LIKE '%internal%')
), grouped AS (
    SELECT l.*, g.rank, g.title, g.introduction
      FROM listed l,
           LATERAL (SELECT CASE WHEN l.schema_name = 'text2sql_eval' THEN 9
                                WHEN l.function_name IN ('ask_batch', 'cancel', 'submit', 'work') THEN 2
                                WHEN l.function_name IN ('exercise', 'grade', 'teach_me') THEN 4
                                WHEN l.function_name IN ('add_document', 'index_text',
                                                         'load_file', 'search_text') THEN 5
                                WHEN 'curator' = ANY (l.audiences) OR l.function_name = 'forget' THEN 6
                                WHEN l.audiences IS NULL OR 'approver' = ANY (l.audiences) OR l.function_name = 'test_model' THEN 7
                                WHEN l.function_name = 'status' THEN 8
                                WHEN l.first_argument = 'sql' OR l.function_name = 'impact' THEN 3
                                WHEN l.is_about_questions OR l.function_name = 'answer' THEN 1
                                -- A new function needs a heading: this fails with its name.
                                ELSE ('no heading for ' || l.function_name)::integer END AS rank) r
      JOIN (VALUES (1, 'Questions', 'Ask, and look at what became of a question. How to use them: [asking](../asking.md), [programs](../programs.md).'),
                   (2, 'Many questions', 'Ask many at once, or now and read the answer later. How to use them: [many questions](../batches.md).'),
                   (3, 'SQL', 'Run, check, explain and speed up a statement. How to use them: [queries](../understanding-queries.md).'),
                   (4, 'Learning', 'Build a query up step by step, and practise. How to use them: [learning](../learning.md).'),
                   (5, 'Files and documents', 'Make tables of files, and search texts. How to use them: [files](../files.md), [documents](../documents.md).'),
                   (6, 'Teaching', 'Describe data, define terms, collect examples, keep the search index; take away what is stored. How to use them: [teaching](../teaching.md), [large schemas](../search-index.md).'),
                   (7, 'Administration', 'Privileges, protection, budgets, models and the history. How to use them: [governance](../governance.md), [models](../models.md).'),
                   (8, 'State', 'What is installed and configured, and what a session holds.'),
                   (9, 'Evaluation', 'Measure how many answers are right. How to use them: [evaluation](../evaluation.md).'))
           AS g(rank, title, introduction) ON g.rank = r.rank
), written AS (
    SELECT g.*,
           CASE g.schema_name WHEN 'text2sql' THEN '' ELSE g.schema_name || '.' END || g.function_name AS written_name,
           -- `DEFAULT NULL::text` as it is written in a call: `=> NULL`.
           replace(regexp_replace(regexp_replace(g.arguments, ' DEFAULT ([^,:]+)::[a-z_ ]+(\[\])?', ' => \1', 'g'), '\mIN ', '', 'g'),
                   ' DEFAULT ', ' => ') AS written_arguments,
           CASE WHEN g.audiences IS NULL THEN 'superusers and the owner of the extension, unless somebody grants `EXECUTE`'
                WHEN 'public' = ANY (g.audiences) THEN 'everybody'
                WHEN 'usage' = ANY (g.audiences) THEN 'roles with access'
                ELSE 'roles with access ' || (
                     SELECT string_agg(CASE a WHEN 'evaluation' THEN 'for evaluation' ELSE 'as ' || a END, ', or ' ORDER BY a DESC)
                       FROM unnest(g.audiences) AS a) END AS callers
      FROM grouped g
), entry AS (
    SELECT w.rank, w.title, w.introduction, w.written_name, w.arguments,
           format(E'### %s\n\n```text\n%s%s(%s)\n```\n\n%s\n\n%s- May be called by: %s.\n',
                  w.written_name,
                  CASE w.prokind WHEN 'p' THEN 'CALL ' ELSE '' END, w.written_name, w.written_arguments,
                  -- `Example: SELECT …` at the end of a comment is SQL.
                  regexp_replace(upper(left(w.comment, 1)) || rtrim(substr(w.comment, 2), '.') || '.',
                                 ' Example: (.*)\.$', E'\n\n```sql\n\\1;\n```'),
                  CASE WHEN w.prokind = 'p' OR w.result = 'void' THEN ''
                       WHEN w.result = 'SETOF record' THEN E'- Returns: rows of the columns that the caller lists, `AS t(region text, revenue numeric)`.\n'
                       WHEN w.result LIKE 'TABLE(%' THEN '- Returns rows of: ' ||
                            (SELECT string_agg(format('`%s` %s', a.name, format_type(a.type, NULL)), ', ' ORDER BY a.place)
                               FROM pg_proc p, unnest(p.proargnames, p.proallargtypes, p.proargmodes) WITH ORDINALITY AS a(name, type, mode, place)
                              WHERE p.oid = w.oid AND a.mode = 't') || E'.\n'
                       ELSE format(E'- Returns: %s.\n', CASE WHEN w.result LIKE 'SETOF %' THEN 'rows of ' || substr(w.result, 7) ELSE w.result END) END,
                  w.callers) AS page_part
      FROM written w
)
SELECT E'# Functions and procedures\n\nThis page is written by `make reference` from the catalog of a database with the extension.\n'
       'Functions are in the schema `text2sql` unless another one is named. What earlier versions called otherwise: [names](renamed.md).\n'
UNION ALL
-- What most people need: each with the beginning of its comment.
SELECT E'## The first month\n\n| function | |\n|---|---|\n' || string_agg(format('| [`%s`](#%s) | %s |', f.name, f.name, f.what), E'\n' ORDER BY f.place) || E'\n'
  FROM (SELECT f.place, f.name, (SELECT min(substring(g.comment FROM '^(.*?)(?:\.|;|: |$)')) FROM grouped g WHERE g.schema_name = 'text2sql' AND g.function_name = f.name) AS what
          FROM unnest(ARRAY['show', 'ask', 'ask_rows', 'ask_into', 'ask_view', 'to_sql', 'plan', 'submit', 'run', 'explain', 'trust_report', 'add_feedback',
                            'describe', 'define', 'add_example', 'suggest', 'accept', 'forget', 'import_knowledge', 'load_file',
                            'grant_access', 'add_model', 'protect', 'refresh', 'status']) WITH ORDINALITY AS f(name, place)) AS f
UNION ALL
SELECT part FROM (
    SELECT rank, '' AS name, '' AS arguments,
           format(E'## %s\n\n%s\n\n%s\n', title, introduction,
                  string_agg(format('[%s](#%s)', written_name, replace(written_name, '.', '')), E' ·\n' ORDER BY written_name)) AS part
      FROM (SELECT DISTINCT rank, title, introduction, written_name FROM entry) AS names GROUP BY rank, title, introduction
    UNION ALL
    SELECT rank, written_name, arguments, page_part FROM entry
    ORDER BY 1, 2, 3
) AS parts;
