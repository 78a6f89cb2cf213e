-- Models as foreign servers: privileges on options, and errors.
\set SHOW_CONTEXT never
SELECT text2sql.add_model('gpt', 'openai', 'https://host.example/v1', 'm-1', options => '{"temperature": 0, "extra_body": {"top_p": 1}}');
\echo :SQLSTATE
SELECT srvoptions FROM pg_foreign_server WHERE srvname = 'gpt';
\echo :SQLSTATE
SELECT text2sql.add_model('again', 'openai', 'https://host.example/v1', 'm-1', options => '{"egress": "rows"}');
\echo :SQLSTATE
SELECT text2sql.add_model('builtin', 'openai', 'https://host.example/v1', 'm-1');
\echo :SQLSTATE
SELECT text2sql.add_model('x', 'soap', 'https://host.example/v1', 'm-1');
\echo :SQLSTATE
SELECT text2sql.add_model('x', 'openai', 'ftp://host.example', 'm-1');
\echo :SQLSTATE
CREATE SERVER x FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'https://host.example/v1');
\echo :SQLSTATE
CREATE SERVER x FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'https://host.example/v1', model 'm', api_key 'sk-1');
\echo :SQLSTATE
CREATE SERVER x FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'https://host.example/v1', model 'm', colour 'red');
\echo :SQLSTATE
CREATE USER MAPPING FOR regress_analyst SERVER gpt OPTIONS (base_url 'https://evil.example/v1');
\echo :SQLSTATE
CREATE USER MAPPING FOR regress_analyst SERVER gpt OPTIONS (api_key 'sk-very-secret');
\echo :SQLSTATE
-- A change leaves what is not given; null takes an option away. Users are these and no others.
SELECT text2sql.add_model('changed', 'openai', 'https://host.example/v1', 'm-1', options => '{"timeout_ms": 5000}', users => '{regress_analyst}');
SELECT text2sql.add_model('changed', egress => 'values', options => '{"timeout_ms": null, "temperature": 0, "top_k": null}', change => true);
SELECT text2sql.add_model('changed', model_name => 'm-2', change => true);
SELECT text2sql.add_model('changed', change => true);
SELECT srvoptions, has_server_privilege('regress_analyst', oid, 'USAGE') AS may_use FROM pg_foreign_server WHERE srvname = 'changed';
SELECT text2sql.add_model('changed', users => '{public}', change => true);
SELECT srvacl[2:] FROM pg_foreign_server WHERE srvname = 'changed';
SELECT text2sql.add_model('changed', users => '{}', change => true);
SELECT has_server_privilege('regress_analyst', oid, 'USAGE') AS may_use FROM pg_foreign_server WHERE srvname = 'changed';
SELECT text2sql.add_model('changed', users => '{nobody_at_all}', change => true);
\echo :SQLSTATE
SELECT text2sql.add_model('changed', base_url => 'http://host.example/v1', change => true);
\echo :SQLSTATE
SELECT text2sql.add_model('missing', egress => 'rows', change => true);
\echo :SQLSTATE
SELECT srvoptions FROM pg_foreign_server WHERE srvname = 'changed';
GRANT EXECUTE ON FUNCTION text2sql.add_model TO regress_analyst;
SET ROLE regress_analyst;
SELECT text2sql.add_model('changed', users => '{regress_analyst}', change => true);
\echo :SQLSTATE
RESET ROLE;
REVOKE EXECUTE ON FUNCTION text2sql.add_model FROM regress_analyst;
SELECT outcome FROM text2sql.forget('model', 'changed');
-- Without USAGE on the server, and without a key.
SET ROLE regress_analyst;
SET text2sql.model = 'gpt';
SELECT status FROM text2sql.ask('How many customers?');
\echo :SQLSTATE
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER gpt TO regress_analyst;
DROP USER MAPPING FOR regress_analyst SERVER gpt;
SET ROLE regress_analyst;
SELECT status, sqlstate, answer, engine, warnings FROM text2sql.ask('How many customers?');
SELECT * FROM text2sql.ask_rows('How many customers?') AS t(n bigint);
\echo :SQLSTATE
-- Options that read files or open networks belong to superusers, also by way of ownership.
RESET ROLE;
CREATE SERVER inside FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'http://127.0.0.1:9/v1', model 'm', allow_private 'true', allow_http 'true');
\echo :SQLSTATE
GRANT USAGE ON FOREIGN SERVER inside TO regress_analyst;
GRANT USAGE ON FOREIGN DATA WRAPPER text2sql TO regress_analyst;
SET ROLE regress_analyst;
SET text2sql.model = 'inside';
SELECT status, sqlstate, answer FROM text2sql.ask('How many customers?');
CREATE SERVER own FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'http://127.0.0.1/v1', model 'm', allow_private 'true');
\echo :SQLSTATE
-- An address that every question would be refused for is refused immediately, however it is written.
CREATE SERVER own FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'https://127.0.0.1/v1', model 'm');
\echo :SQLSTATE
CREATE SERVER own FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'https://2130706433/v1', model 'm');
\echo :SQLSTATE
CREATE SERVER own FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'http://api.example.com/v1', model 'm');
\echo :SQLSTATE
SELECT text2sql.add_model('own', 'openai', 'http://api.example.com/v1', 'm');
\echo :SQLSTATE
CREATE SERVER own FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'https://localhost/v1', model 'm');
\echo :SQLSTATE
ALTER SERVER own OPTIONS (SET base_url 'https://[::1]/v1');
\echo :SQLSTATE
CREATE USER MAPPING FOR regress_analyst SERVER own OPTIONS (api_key 'k');
\echo :SQLSTATE
SET text2sql.model = 'own';
SELECT status, sqlstate, answer FROM text2sql.ask('How many customers?');
RESET ROLE;
ALTER SERVER inside OWNER TO regress_analyst;
SET ROLE regress_analyst;
SET text2sql.model = 'inside';
SELECT status, sqlstate, answer, engine, warnings FROM text2sql.ask('How many customers?');
SELECT * FROM text2sql.ask_rows('How many customers?') AS t(n bigint);
\echo :SQLSTATE
-- The models, as the caller may use them.
SELECT model, protocol, base_url, model_name, egress, key_source, status, problem FROM text2sql.models ORDER BY model;
-- A test needs USAGE on the model. What needs no endpoint works.
SELECT model, works, replied_as, egress, sqlstate, problem, hint FROM text2sql.test_model('gpt');
SELECT model, works, milliseconds, egress, problem FROM text2sql.test_model('builtin');
SELECT * FROM text2sql.test_model('nowhere');
\echo :SQLSTATE
SELECT * FROM text2sql.test_model(NULL);
\echo :SQLSTATE
SET ROLE regress_nobody;
SELECT * FROM text2sql.test_model('builtin');
SELECT model, status FROM text2sql.models;
\echo :SQLSTATE
RESET ROLE;
CREATE USER MAPPING FOR regress_analyst SERVER gpt OPTIONS (api_key 'sk-very-secret');
SELECT model, key_source, status, problem FROM text2sql.models ORDER BY model;
REVOKE USAGE ON FOREIGN SERVER gpt FROM regress_analyst;
SET ROLE regress_analyst;
SELECT model, key_source, status, problem FROM text2sql.models ORDER BY model;
SELECT * FROM text2sql.test_model('gpt');
\echo :SQLSTATE
-- A model is dropped by its owner, with the keys that roles have for it.
SELECT text2sql.forget('model', 'gpt');
\echo :SQLSTATE
SELECT text2sql.forget('model', 'inside');
RESET ROLE;
SET ROLE regress_analyst;
SELECT text2sql.forget('model', 'gpt');
SELECT text2sql.forget('model', 'inside');
RESET ROLE;
SELECT text2sql.forget('model', 'gpt');
SELECT text2sql.forget('model', 'gpt');
\echo :SQLSTATE
SELECT text2sql.forget('model', NULL);
\echo :SQLSTATE
SELECT model FROM text2sql.models;
-- The key is not visible anywhere.
SELECT count(*) FROM pg_settings WHERE name LIKE 'text2sql.%' AND setting LIKE '%sk-%';
\echo :SQLSTATE
DROP SERVER own CASCADE;
SET text2sql.modle = 'x';
\echo :SQLSTATE
