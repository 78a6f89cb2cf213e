-- What a question finds, and why.
CALL text2sql.refresh(rebuild => true);
SET ROLE regress_analyst;
SELECT rank, object, kind, why FROM text2sql.retrieve('How many orders did customers in osterreich return?');
SELECT rank, object, columns, jsonb_object_keys(legs) AS leg
  FROM text2sql.retrieve('total paid by order status') WHERE rank = 1 AND kind = 'table' ORDER BY leg;
-- What may not be read is not found.
SELECT count(*) FROM text2sql.retrieve('salary of each employee') WHERE object LIKE '%salaries%';
SELECT * FROM text2sql.retrieve(NULL);
RESET ROLE;
SET ROLE regress_nobody;
SELECT * FROM text2sql.retrieve('orders');
RESET ROLE;
-- Without an index.
DELETE FROM text2sql.index_state;
SET ROLE regress_analyst;
SELECT rank, object, kind, why, score, legs FROM text2sql.retrieve('How many orders?');
RESET ROLE;
