-- What is configured, and whether it works.
SET text2sql.embedding_model = 'hash';
SET ROLE regress_analyst;
SELECT item, CASE WHEN item = 'version' THEN '…' ELSE value END AS value, note FROM text2sql.status();
SET text2sql.model = 'replay';
SELECT item, value FROM text2sql.status() WHERE item IN ('model', 'ready');
SET text2sql.model = 'nobody';
SELECT item, value, note FROM text2sql.status() WHERE item IN ('model', 'ready');
RESET ROLE;
RESET text2sql.model;
SELECT item, value FROM text2sql.status() WHERE item = 'runs as';
-- Several models, and those of other calls: which can be asked, and why another one cannot.
SET text2sql.model = 'builtin, nobody';
SET text2sql.tuning = '{"judge_model": "nobody"}';
SELECT item, value, note FROM text2sql.status() WHERE item LIKE '%model%' OR item LIKE '%: ready';
SET text2sql.model = 'builtin, replay, builtin';
SET text2sql.model = '';
SHOW text2sql.model;
RESET text2sql.model;
RESET text2sql.tuning;
