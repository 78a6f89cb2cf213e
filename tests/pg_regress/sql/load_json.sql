-- Tables made of JSON.
\set SHOW_CONTEXT never
\pset null (null)
SELECT * FROM text2sql.load_json('readings', '[{"At": "2024-01-31T10:00:00Z", "v": 1.5, "tags": ["a"], "zip": "01067"}, {"v": 12345678901234567890, "ok": true}]');
SET timezone = 'UTC';
TABLE readings;
SELECT rows_loaded, column_name, data_type FROM text2sql.load_json('lines', E'{"a": 1}\n{"a": 2, "b": "x"}\n');
SELECT status, result_rows FROM text2sql.ask('How many readings are there?');
SELECT * FROM text2sql.load_json('x', E'[{"a": 1},\n{"a": }]');
SELECT * FROM text2sql.load_json('x', '[1, 2]');
SELECT * FROM text2sql.load_json('x', '{"a": "\u0000"}');
SELECT * FROM text2sql.load_json('x', '{"a": 1, "a": 2}');
SELECT * FROM text2sql.load_json('x', '{"a": ' || repeat('[', 100000) || repeat(']', 100000) || '}');
SELECT rows_loaded, rows_rejected FROM text2sql.load_json('y', E'{"a": "\\u0000"}\n{"a": "b"}\n', '{"on_error": "collect"}');
TABLE y_rejected;
