-- Connects the model file :file for everybody in the demo database: psql -d demo -v file=… -f demo/model.sql

SELECT text2sql.forget('model', model) FROM text2sql.models WHERE model = 'local';
SELECT text2sql.add_model('local', 'local', model_file => :'file');
GRANT USAGE ON FOREIGN SERVER local TO demo_analyst, demo_curator;
ALTER DATABASE demo SET text2sql.model = 'builtin, local';
