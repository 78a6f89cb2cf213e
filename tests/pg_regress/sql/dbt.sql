-- What a dbt project knows about its tables.
\set SHOW_CONTEXT never
\pset null (null)
CREATE TABLE manifest (document json);
INSERT INTO manifest VALUES ($manifest${
 "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json"},
 "nodes": {
  "model.shop.orders": {"resource_type": "model", "schema": "public", "name": "orders", "alias": "orders",
   "description": "One row for each order.", "config": {"materialized": "table"},
   "columns": {"customer_id": {"name": "customer_id", "tags": ["pii"]}, "total": {"name": "total", "description": "with tax and shipping"},
               "no_such": {"name": "no_such", "description": "not built yet"}}},
  "model.shop.wages": {"resource_type": "model", "schema": "hr", "name": "salaries", "description": "who earns what", "columns": {}},
  "test.shop.rel": {"resource_type": "test", "attached_node": "model.shop.orders", "column_name": "customer_id",
   "test_metadata": {"name": "relationships", "kwargs": {"column_name": "customer_id", "field": "customer_id", "to": "source('shop', 'customers')"}},
   "depends_on": {"nodes": ["source.shop.customers", "model.shop.orders"]}},
  "test.shop.val": {"resource_type": "test", "attached_node": "model.shop.orders", "column_name": "status",
   "test_metadata": {"name": "accepted_values", "kwargs": {"column_name": "status", "values": ["new", "paid", "returned"]}},
   "depends_on": {"nodes": ["model.shop.orders"]}}},
 "sources": {"source.shop.customers": {"resource_type": "source", "schema": "public", "name": "customers", "identifier": "customers",
   "description": "everybody who bought", "columns": {}}},
 "semantic_models": {"semantic_model.shop.orders": {"name": "orders", "node_relation": {"schema_name": "public", "alias": "orders"},
   "entities": [], "dimensions": [], "measures": [{"name": "sales", "agg": "sum", "expr": "total"}, {"name": "fees", "agg": "sum", "expr": "fee"}, {"name": "counted", "agg": "count", "expr": "1"}]}},
 "metrics": {
  "metric.shop.revenue": {"name": "revenue", "label": "Revenue", "description": "all sales", "type": "simple", "type_params": {"measure": {"name": "sales"}}},
  "metric.shop.fees": {"name": "fees", "description": "what banks take", "type": "simple", "type_params": {"measure": {"name": "fees"}}},
  "metric.shop.margin": {"name": "margin", "description": "what stays of a sale", "type": "derived", "type_params": {"expr": "revenue / n", "metrics": [{"name": "revenue"}, {"name": "orders_counted", "alias": "n"}]}},
  "metric.shop.counted": {"name": "orders_counted", "description": "how many", "type": "simple", "type_params": {"measure": {"name": "counted"}}},
  "metric.shop.running": {"name": "running_revenue", "description": "so far", "type": "cumulative", "type_params": {"measure": {"name": "sales"}}}}
}$manifest$);
GRANT SELECT ON manifest TO regress_curator;
SET ROLE regress_curator;
SELECT text2sql.describe('customers', 'said by hand');
SELECT text2sql.describe('orders.status', meanings => '{"new": "not paid"}');
SELECT i.* FROM manifest, text2sql.import_knowledge(document::text, 'dbt') AS i;
SELECT object, description, value_meanings FROM text2sql.descriptions ORDER BY object;
SELECT term, meaning, sql_expression, applies_to, status FROM text2sql.definitions ORDER BY id;
SELECT column_names, target_column_names, origin, evidence FROM text2sql.joins ORDER BY id;
SELECT outcome, count(*) FROM manifest, text2sql.import_knowledge(document::text, 'dbt') GROUP BY outcome ORDER BY outcome;
-- A second import changes nothing; a user's description is kept.
SELECT text2sql.describe('orders.total', 'with tax, without shipping');
SELECT text2sql.define('Revenue', 'paid orders', 'sum(total) FILTER (WHERE status = ''paid'')', 'orders');
SELECT outcome, count(*) FROM manifest, text2sql.import_knowledge(document::text, 'dbt') GROUP BY outcome ORDER BY outcome;
SELECT description FROM text2sql.descriptions WHERE object = 'public.orders.total';
-- A join rejected by a user remains rejected.
SELECT text2sql.reject('join', id) FROM text2sql.joins;
SELECT i.name, i.outcome FROM manifest, text2sql.import_knowledge(document::text, 'dbt') AS i WHERE i.kind = 'join';
SELECT status FROM text2sql.joins;
-- Only who may protect a table protects it by its project, and never less than it is.
RESET ROLE;
BEGIN;
SELECT i.name, i.outcome FROM manifest, text2sql.import_knowledge(document::text, 'dbt') AS i WHERE i.kind = 'protection';
SELECT text2sql._protection('orders'::regclass, attnum) FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'customer_id';
SELECT text2sql.protect('orders.customer_id', 'hidden');
SELECT i.name, i.outcome FROM manifest, text2sql.import_knowledge(document::text, 'dbt') AS i WHERE i.kind = 'protection';
SELECT text2sql._protection('orders'::regclass, attnum) FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'customer_id';
ROLLBACK;
SET ROLE regress_curator;
-- The semantic models alone.
SELECT * FROM text2sql.import_knowledge('{"semantic_models": [{"name": "o", "node_relation": {"schema_name": "public", "alias": "orders"},
  "measures": [{"name": "highest", "agg": "max", "expr": "total", "description": "the highest total"},
               {"name": "stock", "agg": "sum", "expr": "total", "description": "at the end", "non_additive_dimension": {"name": "placed_at"}}]}],
  "metrics": [{"name": "highest_total", "description": "the highest", "type": "simple", "type_params": {"measure": {"name": "highest"}}}]}', 'dbt');
SELECT text2sql.import_knowledge('{"a": 1}', 'dbt');
SELECT text2sql.import_knowledge(NULL, 'dbt');
RESET ROLE;
DELETE FROM text2sql._annotations;
DELETE FROM text2sql._definitions;
DELETE FROM text2sql._joins;
DROP TABLE manifest;
