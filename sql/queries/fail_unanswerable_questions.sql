-- Questions that nobody can answer any more, because a role of theirs is gone or may not log in. Called by
-- src/pg/stored/queue/store.rs as the owner of the table.
WITH broken AS (
    SELECT q.id, q.asked_by,
           CASE WHEN asker.oid IS NULL OR login.oid IS NULL THEN 'the role that asked does not exist any more'
                WHEN NOT login.rolcanlogin THEN format('role %I, which submitted the question, may not log in any more', login.rolname)
                ELSE format('role %I, which submitted the question, may not connect to the database any more', login.rolname) END AS reason
      FROM text2sql._submitted AS q
      LEFT JOIN pg_roles AS asker ON asker.oid = q.asked_by
      LEFT JOIN pg_roles AS login ON login.oid = q.session_role
     WHERE q.state IN ('waiting', 'running')
       AND (asker.oid IS NULL OR login.oid IS NULL OR NOT login.rolcanlogin
            OR NOT has_database_privilege(login.oid, current_database(), 'CONNECT'))
), failed AS (
    UPDATE text2sql._submitted AS q
       SET state = 'failed', finished_at = clock_timestamp(), status = 'failed', sqlstate = '42501'
      FROM broken AS b
     WHERE q.id = b.id AND q.state IN ('waiting', 'running')
    RETURNING q.id, q.asked_by, b.reason
), kept AS (
    INSERT INTO text2sql._answers (id, asked_by, queries, search_path, answer) SELECT f.id, f.asked_by, '{}', '', f.reason FROM failed AS f
), forgotten AS (
    DELETE FROM text2sql._submitted_settings AS s USING failed AS f WHERE s.id = f.id
)
SELECT pg_notify('text2sql_answers', f.id::text) FROM failed AS f
