-- COMMENT ON sends no invalidation message, so that sessions would have to read the comments of every table at
-- every question to notice a change. This trigger sends the message that ALTER TABLE would have sent. Run once
-- by CREATE EXTENSION; src/pg/access/catalog/comments.rs checks whether the trigger exists and always fires.

CREATE FUNCTION text2sql._forget_table(relation oid) RETURNS void
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'text2sql_forget_table';

CREATE FUNCTION text2sql._notify_comment() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER
-- As the owner, because no other role may call _forget_table().
SET search_path = pg_catalog, pg_temp
AS $notify_comment$
BEGIN
    PERFORM text2sql._forget_table(command.objid)
       FROM pg_event_trigger_ddl_commands() AS command
      WHERE command.classid = 'pg_class'::regclass;
    -- What is said of schemas is cached like stored knowledge.
    PERFORM text2sql._forget_table(to_regclass('text2sql._annotations'))
       FROM pg_event_trigger_ddl_commands() AS command
      WHERE command.classid = 'pg_namespace'::regclass
      LIMIT 1;
EXCEPTION
    WHEN undefined_file OR undefined_function THEN
        -- If the library is missing, no session has a cache.
        NULL;
    -- See search_index.sql: no event trigger of the extension makes a command fail.
    WHEN OTHERS THEN
        RAISE WARNING 'sessions of text2sql may not notice this comment: %', SQLERRM
            USING DETAIL = format('SQLSTATE is %s. The command itself is not affected.', SQLSTATE),
                  HINT = 'Open a new connection to see the comment.';
END
$notify_comment$;

CREATE EVENT TRIGGER text2sql_notify_comment ON ddl_command_end
    WHEN TAG IN ('COMMENT')
    EXECUTE FUNCTION text2sql._notify_comment();
-- Also in sessions that replay changes made elsewhere.
ALTER EVENT TRIGGER text2sql_notify_comment ENABLE ALWAYS;
