-- Semantic models of other programs, and the export to dbt.
\set SHOW_CONTEXT never
\pset null (null)
SET ROLE regress_curator;
SELECT * FROM text2sql.import_knowledge($$
cubes:
  - name: orders
    sql_table: public.orders
    description: one row for each order
    joins:
      - {name: customers, relationship: many_to_one, sql: "{CUBE}.customer_id = {customers}.customer_id"}
    dimensions:
      - {name: status, sql: status, type: string, description: where it stands}
    measures:
      - {name: revenue, type: sum, sql: total, title: Revenue, description: what they paid, filters: [{sql: "{CUBE}.status = 'paid'"}]}
      - {name: french_revenue, type: sum, sql: total, filters: [{sql: "{countries.country} = 'France'"}]}
      - {name: basket, type: number, sql: "{revenue} / nullif(count(*), 0)"}
      - {name: gone, type: sum, sql: no_such}
      - {name: salaries, type: sum, sql: "{salaries.salary}"}
      - {name: rolling, type: sum, sql: total, rolling_window: {trailing: 1 month}}
  - name: customers
    sql_table: customers
    joins:
      - {name: countries, relationship: many_to_one, sql: "{CUBE}.country_id = {countries}.country_id"}
    segments:
      - {name: debtor, sql: "\"Credit Limit\" > 0"}
  - {name: countries, sql_table: countries, dimensions: [{name: country, sql: name, type: string}]}
  - {name: salaries, sql_table: hr.salaries, measures: [{name: wages, type: sum, sql: salary}]}
$$, 'cube');
SELECT term, sql_expression, applies_to, joins, grain, status FROM text2sql.definitions ORDER BY id;
SELECT * FROM text2sql.import_knowledge($$
view: orders {
  sql_table_name: public.orders ;;
  dimension: customer_id { sql: ${TABLE}.customer_id ;; }
  dimension: total { type: number sql: ${TABLE}.total ;; }
  dimension_group: ordered { type: time timeframes: [date, month] sql: ${TABLE}.ordered_on ;; }
  dimension: is_big { type: yesno sql: ${total} > 300 ;; }
  measure: big_orders { type: count filters: [is_big: "yes"] description: "orders of more than 300" }
  measure: austrian_sales { type: sum sql: ${total} ;; filters: [customers.name: "customer 3"] }
  measure: running { type: running_total sql: ${austrian_sales} ;; }
}
view: customers { dimension: customer_id {} dimension: name {} }
explore: orders { join: customers { sql_on: ${orders.customer_id} = ${customers.customer_id} ;; relationship: many_to_one } }
$$, 'lookml');
SELECT * FROM text2sql.import_knowledge($$
semantic_models:
  - name: orders
    node_relation: {schema_name: public, alias: orders}
    defaults: {agg_time_dimension: ordered_on}
    entities: [{name: buyer, type: foreign, expr: customer_id}]
    dimensions: [{name: ordered_on, type: time, type_params: {time_granularity: day}}]
    measures: [{name: paid_total, agg: sum, expr: total}, {name: order_rows, agg: sum, expr: "1"}]
  - name: customers
    node_relation: {schema_name: public, alias: customers}
    measures: [{name: customer_rows, agg: count, expr: "1"}]
metrics:
  - {name: paid, type: simple, type_params: {measure: paid_total}}
  - {name: people, type: simple, type_params: {measure: customer_rows}}
  - {name: paid_per_person, type: ratio, type_params: {numerator: paid, denominator: people}}
  - {name: paid_this_year, type: cumulative, type_params: {measure: paid_total, cumulative_type_params: {grain_to_date: year}}}
  - {name: paid_lately, type: cumulative, type_params: {measure: {name: paid_total}, window: 7 days}}
  - {name: again, type: conversion, type_params: {conversion_type_params: {entity: buyer, window: 30 days, calculation: conversion_rate, base_measure: order_rows, conversion_measure: order_rows}}}
  - {name: share, type: ratio, filter: "{{ Dimension('x') }} = 1", type_params: {numerator: paid, denominator: people}}
$$, 'metricflow');
SELECT term, metric, kind, grain, status, problem FROM text2sql.definitions WHERE metric IS NOT NULL ORDER BY id;
-- What was exported is known when it is imported again.
SELECT text2sql.export_knowledge('dbt');
CREATE TEMP TABLE exported AS SELECT text2sql.export_knowledge('dbt') AS text;
SELECT i.outcome, count(*) FROM exported, text2sql.import_knowledge(text, 'metricflow') AS i GROUP BY i.outcome;
DELETE FROM exported;
-- Errors.
SELECT text2sql.import_knowledge('cubes: [', 'cube');
SELECT text2sql.import_knowledge('a: 1', 'cube');
SELECT text2sql.import_knowledge('view: a {', 'lookml');
SELECT text2sql.import_knowledge('a: 1', 'metricflow');
SELECT text2sql.import_knowledge('a: 1', 'excel');
SELECT text2sql.import_knowledge(NULL, 'cube');
RESET ROLE;
SET ROLE regress_analyst;
SELECT text2sql.export_knowledge('dbt');
RESET ROLE;
DELETE FROM text2sql._definitions;
DELETE FROM text2sql._annotations;
DELETE FROM text2sql._joins;
