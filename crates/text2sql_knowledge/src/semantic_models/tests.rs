//! Models of Cube and LookML become the same definitions.

use text2sql_domain::schema::{Definition, DefinitionJoin, TableName};

use super::super::dbt::{Lesson, Manifest};
use super::super::metric::{Kind, Stored};
use super::{export, read};

const CUBE: &str = "
cubes:
  - name: orders
    sql_table: shop.orders
    description: one row for each order
    joins:
      - {name: customers, relationship: many_to_one, sql: '{CUBE}.customer_id = {customers}.id'}
      - {name: items, relationship: one_to_many, sql: '{CUBE}.id = {items}.order_id'}
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: status, sql: '{CUBE}.status', type: string, description: where it stands}
      - {name: at, sql: ordered_at, type: time}
      - {name: is_late, sql: '{CUBE}.sent_at > {at}', type: boolean, title: Late order}
    measures:
      - {name: count, type: count}
      - {name: revenue, type: sum, sql: total, title: Net revenue, description: what they paid, filters: [{sql: \"{CUBE}.status = 'paid'\"}]}
      - {name: german_revenue, type: sum, sql: '{CUBE}.total', filters: [{sql: \"{customers.country} = 'DE'\"}]}
      - {name: basket, type: number, sql: '{revenue} / nullif({count}, 0)'}
      - {name: parts, type: sum, sql: '{items.quantity}'}
      - {name: rolling, type: sum, sql: total, rolling_window: {trailing: 1 month}}
      - {name: circle, type: number, sql: '{circle} + 1'}
      - {name: templated, type: sum, sql: '{{ x }}'}
    segments:
      - {name: paid, sql: \"{CUBE}.status = 'paid'\"}
  - {name: customers, sql: select * from shop.customers, dimensions: [{name: country, sql: country_code, type: string}]}
  - {name: items, sql_table: items, dimensions: [{name: quantity, sql: quantity, type: number}]}
  - {name: made, sql: 'SELECT 1 AS one'}
views:
  - {name: all_orders}
";

const LOOKML: &str = r#"
view: orders {
  sql_table_name: shop.orders ;;
  description: "one row for each order"
  dimension: id { primary_key: yes type: number sql: ${TABLE}.id ;; }
  dimension: customer_id { type: number sql: ${TABLE}.customer_id ;; }
  dimension: status { type: string sql: ${TABLE}.status ;; description: "where it stands" }
  dimension_group: at { type: time timeframes: [date, month] sql: ${TABLE}.ordered_at ;; }
  dimension: is_late { type: yesno sql: ${TABLE}.sent_at > ${at_raw} ;; label: "Late order" }
  measure: count { type: count }
  measure: revenue { type: sum sql: ${TABLE}.total ;; label: "Net revenue" description: "what they paid" filters: [status: "paid"] }
  measure: german_revenue { type: sum sql: ${TABLE}.total ;; filters: [customers.country: "DE,AT"] }
  measure: basket { type: number sql: ${revenue} / nullif(${count}, 0) ;; }
  measure: big { type: count filters: { field: id value: ">100" } }
  measure: recent { type: count filters: [at_date: "last 7 days"] }
  measure: running { type: running_total sql: ${revenue} ;; }
}
view: customers { sql_table_name: shop.customers ;; dimension: id {} dimension: country { sql: ${TABLE}.country_code ;; } }
view: +orders { }
explore: orders { join: customers { sql_on: ${orders.customer_id} = ${customers.id} ;; relationship: many_to_one } }
datagroup: nightly { max_cache_age: "1 hour" }
"#;

fn lines(manifest: &Manifest) -> Vec<String> {
    let lessons = manifest.lessons.iter().map(|lesson| match lesson {
        Lesson::Definition {
            term,
            table,
            sql_expression,
            joins,
            ..
        } => format!("{term} := {sql_expression} [{table}] {}", joins.join("; "))
            .trim_end()
            .to_owned(),
        Lesson::Description { object, text } => format!("{object}: {text}"),
        other => other.subject(),
    });
    let left_out = manifest.left_out.iter();
    lessons
        .chain(left_out.map(|(subject, why)| format!("- {subject}: {why}")))
        .collect()
}

#[test]
fn cubes_become_definitions_and_every_other_thing_a_line() {
    let manifest = read(CUBE, "cube").unwrap();
    expect_test::expect![[r#"
        shop.orders.customer_id -> shop.customers.id
        shop.orders: one row for each order
        shop.orders.status: where it stands
        Late order := orders.sent_at > orders.ordered_at [shop.orders]
        orders count := count(*) [shop.orders]
        Net revenue := sum(orders.total) FILTER (WHERE (orders.status = 'paid')) [shop.orders]
        german revenue := sum(orders.total) FILTER (WHERE (customers.country_code = 'DE')) [shop.orders] shop.orders.customer_id = shop.customers.id
        basket := (sum(orders.total) FILTER (WHERE (orders.status = 'paid'))) / nullif((count(*)), 0) [shop.orders]
        paid := orders.status = 'paid' [shop.orders]
        - all_orders: it only selects members of cubes
        - orders.parts: no join to one row leads to "items", so rows would count more than once
        - orders.rolling: it has a rolling_window, which depends on the query that asks for it
        - orders.circle: "circle" is made of itself, or of too much
        - orders.templated: its SQL is made by a template
        - made: its table is a query, not a name"#]].assert_eq(&lines(&manifest).join("\n"));
}

#[test]
fn views_of_lookml_become_the_same() {
    let manifest = read(LOOKML, "lookml").unwrap();
    expect_test::expect![[r#"
        shop.orders.customer_id -> shop.customers.id
        shop.orders: one row for each order
        shop.orders.status: where it stands
        Late order := orders.sent_at > orders.ordered_at [shop.orders]
        orders count := count(*) [shop.orders]
        Net revenue := sum(orders.total) FILTER (WHERE orders.status = 'paid') [shop.orders]
        german revenue := sum(orders.total) FILTER (WHERE customers.country_code IN ('DE', 'AT')) [shop.orders] shop.orders.customer_id = shop.customers.id
        basket := (sum(orders.total) FILTER (WHERE orders.status = 'paid')) / nullif((count(*)), 0) [shop.orders]
        big := count(*) FILTER (WHERE orders.id > 100) [shop.orders]
        - +orders: it refines something that is elsewhere
        - nightly: nothing here corresponds to a datagroup
        - orders.recent: its filter "last 7 days" is not understood
        - orders.running: a measure of the type running_total depends on the query that asks for it"#]].assert_eq(&lines(&manifest).join("\n"));
}

#[test]
fn what_is_no_model_is_refused() {
    let why = |content: &str, format: &str| read(content, format).unwrap_err().message().to_owned();
    assert_eq!(
        why("a: 1", "cube"),
        "this is no model of cube: it has no list of \"cubes\""
    );
    assert_eq!(
        why("include: \"x\"", "lookml"),
        "this is no model of lookml: it has no view"
    );
    assert_eq!(why("", "tableau"), "unknown format \"tableau\"");
    assert!(why("a: [", "cube").starts_with("this is no model of cube: it is no YAML"));
    // A bomb of aliases, and nesting.
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let before = format!("*a{}, ", n - 1).repeat(9);
        bomb.push_str(&format!(
            "a{n}: &a{n} [{}]\n",
            before.trim_end_matches(", ")
        ));
    }
    assert!(why(&bomb, "cube").starts_with("this is no model of cube"));
    assert!(why(&"[".repeat(100_000), "cube").starts_with("this is no model of cube"));
}

fn table(oid: u32, schema: &str, name: &str) -> TableName {
    TableName {
        oid,
        schema: schema.to_owned(),
        name: name.to_owned(),
        is_visible: false,
    }
}

fn stored(term: &str, sql: &str, kind: Kind) -> Stored {
    Stored {
        definition: Definition {
            term: term.to_owned(),
            meaning: format!("what \"{term}\" means: all"),
            sql_expression: Some(sql.to_owned()),
            applies_to: Some(1),
            ..Definition::default()
        },
        table: Some(table(1, "shop", "orders")),
        kind: Some(kind),
        ..Stored::default()
    }
}

fn metric(term: &str, json: &str, columns: &[&str]) -> Stored {
    let columns = columns
        .iter()
        .map(|column| (table(1, "shop", "orders"), (*column).to_owned()));
    Stored {
        definition: Definition {
            term: term.to_owned(),
            meaning: term.to_owned(),
            synonyms: vec!["also".to_owned()],
            ..Definition::default()
        },
        metric: Some(serde_json::from_str(json).unwrap()),
        columns: columns.collect(),
        ..Stored::default()
    }
}

fn all() -> Vec<Stored> {
    let mut joined = stored("foreign sales", "sum(total)", Kind::Aggregate);
    joined.definition.joins.push(DefinitionJoin::default());
    vec![
        stored(
            "Net sales",
            "sum(total) FILTER (WHERE status <> 'x')",
            Kind::Aggregate,
        ),
        stored("orders", "count(*)", Kind::Aggregate),
        stored("buyers", "count(DISTINCT \"Who\")", Kind::Aggregate),
        stored("rounded", "round(sum(total), 2)", Kind::Aggregate),
        stored("big", "total > 100", Kind::Condition),
        joined,
        metric(
            "basket",
            r#"{"kind": "ratio", "numerator": "net sales", "denominator": "orders"}"#,
            &[],
        ),
        metric(
            "lost",
            r#"{"kind": "ratio", "numerator": "rounded", "denominator": "orders"}"#,
            &[],
        ),
        metric(
            "to date",
            r#"{"kind": "cumulative", "measure": "Net sales", "per": "month", "since_start_of": "year"}"#,
            &["at"],
        ),
        metric(
            "again",
            r#"{"kind": "conversion", "within": "7 days"}"#,
            &["at", "who", "at", "who"],
        ),
    ]
}

#[test]
fn definitions_become_semantic_models_and_metrics() {
    let text = export::export(&all()).unwrap();
    expect_test::expect_file!["golden/exported.yml"].assert_eq(&text);
}

#[test]
fn what_was_exported_is_imported_as_it_was() {
    let text = export::export(&all()).unwrap();
    let manifest = read(&text, "metricflow").unwrap();
    assert_eq!(manifest.left_out, Vec::new());
    let found: Vec<String> = manifest
        .lessons
        .iter()
        .map(|lesson| format!("{lesson:?}"))
        .collect();
    expect_test::expect_file!["golden/imported_again.txt"]
        .assert_eq(&format!("{}\n", found.join("\n")));
}
