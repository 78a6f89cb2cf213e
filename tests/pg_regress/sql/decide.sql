-- What a curator decides: an example is used once it is verified, a join once it is accepted.
\set SHOW_CONTEXT never
SET ROLE regress_curator;
SELECT text2sql.add_example('decided', 'SELECT 1 FROM orders') AS example \gset
SELECT text2sql.accept('example', :example);
SELECT status FROM text2sql.examples WHERE id = :example;
SELECT text2sql.reject('example', :example);
SELECT status FROM text2sql.examples WHERE id = :example;
SELECT text2sql.add_join('{orders.ordered_on}', '{countries.name}', 'a joke') AS joke \gset
SELECT text2sql.reject('join', :joke);
SELECT status FROM text2sql.joins WHERE id = :joke;
SELECT text2sql.accept('join', :joke);
SELECT status FROM text2sql.joins WHERE id = :joke;
-- A kind that cannot be decided about, ids that nothing has, a reason where nobody reads it.
SELECT text2sql.accept(NULL, 1);
SELECT text2sql.accept('song', 1);
SELECT text2sql.accept('query', 1);
SELECT text2sql.reject('song', 1);
SELECT text2sql.accept('example', NULL);
SELECT text2sql.accept('example', 123456789);
SELECT text2sql.reject('join', 123456789);
SELECT text2sql.reject('suggestion', 123456789);
SELECT text2sql.reject('example', :example, 'too broad');
-- Others decide nothing.
SET ROLE regress_analyst;
SELECT text2sql.accept('example', :example);
SELECT text2sql.reject('join', :joke);
SELECT text2sql.reject('query', 1);
RESET ROLE;
SELECT e.outcome, j.outcome FROM text2sql.forget('example', :example) AS e, text2sql.forget('join', :joke) AS j;
