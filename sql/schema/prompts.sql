-- Prompt templates that the owner of the extension has replaced: the table and its view. Run once by CREATE EXTENSION.
--
-- Only the library writes here, as the owner (src/pg/stored/teaching/prompts.rs). set_prompt() is for the
-- owner of the extension: a template speaks to the model for every role, also about tables that a curator cannot read.
CREATE TABLE text2sql._prompts (
    name text NOT NULL,
    version integer NOT NULL CHECK (version > 0),
    -- NULL: the default is in use again.
    text text CHECK (octet_length(text) <= 65536),
    changed_by name NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (name, version)
);
ALTER TABLE text2sql._prompts ENABLE ROW LEVEL SECURITY;
-- preview_prompt() shows every role what a template says.
CREATE POLICY readable ON text2sql._prompts FOR SELECT USING (true);

CREATE TRIGGER tell_sessions AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON text2sql._prompts
    FOR EACH STATEMENT EXECUTE FUNCTION text2sql._tell_sessions();

SELECT pg_catalog.pg_extension_config_dump('text2sql._prompts', '');

CREATE VIEW text2sql.prompts WITH (security_invoker = true) AS
SELECT d.name,
       CASE WHEN own.text IS NULL THEN 0 ELSE own.version END AS version,
       own.text IS NULL AS is_default,
       coalesce(own.text, d.text) AS text,
       d.placeholders,
       judged.problem,
       own.changed_by, own.changed_at,
       (SELECT json_agg(json_build_object('version', p.version, 'text', p.text, 'changed_by', p.changed_by, 'changed_at', p.changed_at) ORDER BY p.version)
        FROM text2sql._prompts p WHERE p.name = d.name) AS versions
FROM text2sql._default_prompts() AS d
LEFT JOIN LATERAL (
    SELECT p.version, p.text, p.changed_by, p.changed_at
    FROM text2sql._prompts p WHERE p.name = d.name
    ORDER BY p.version DESC LIMIT 1
) AS own ON true
CROSS JOIN LATERAL (SELECT text2sql._problem_of_prompt(d.name, own.text) AS problem OFFSET 0) AS judged;
COMMENT ON VIEW text2sql.prompts IS
    'The prompt templates that can be replaced by set_prompt(), as they are in use.';
COMMENT ON COLUMN text2sql.prompts.name IS 'The name: set_prompt(name, text).';
COMMENT ON COLUMN text2sql.prompts.version IS 'The version set by set_prompt(); 0 for the default.';
COMMENT ON COLUMN text2sql.prompts.is_default IS 'Whether it is the template of the extension.';
COMMENT ON COLUMN text2sql.prompts.text IS 'The template.';
COMMENT ON COLUMN text2sql.prompts.placeholders IS 'The placeholders {{name}}, all of which a template must contain.';
COMMENT ON COLUMN text2sql.prompts.problem IS 'Why the default is used instead of this text, for instance because an update of the extension changed the placeholders; NULL where the text is used.';
COMMENT ON COLUMN text2sql.prompts.changed_by IS 'The role that set or reset it last; NULL if nobody did.';
COMMENT ON COLUMN text2sql.prompts.changed_at IS 'When that was.';
COMMENT ON COLUMN text2sql.prompts.versions IS 'Every version that set_prompt() stored and every reset, whose text is null, with who did it and when. The settings in the history name the version that a question used.';
COMMENT ON TABLE text2sql._prompts IS 'Rows behind the view text2sql.prompts.';
COMMENT ON FUNCTION text2sql.set_prompt(text, text) IS
    'Replaces a prompt template for all roles and sessions, and returns its version. The text must contain every placeholder of the template, keep the data between its markers, and demand the same form of reply. NULL restores the template of the extension. Only for the owner of the extension, unless EXECUTE is granted.';
COMMENT ON FUNCTION text2sql._default_prompts() IS
    'The prompt templates of the extension that can be replaced, for the view prompts.';
COMMENT ON FUNCTION text2sql._problem_of_prompt(text, text) IS
    'Returns why a text cannot be used as a prompt template, for the view prompts; NULL when it can.';
