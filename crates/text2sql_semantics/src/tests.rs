//! What is compiled, and what is refused. Compiled statements are compared with a naive evaluation over random rows by
//! `builtin_practice meaning --random`, which needs a server.

use crate::{
    Aggregate, Answer, ColumnRef, Condition, Dimension, Expression, Function, Key, Literal,
    Measure, Note, Operator, Order, OrderBy, Refusal, Related, SemanticQuery, Shown, Step,
    TableRef, Value, compile,
};
use text2sql_domain::schema_fixture::shop;

fn table(name: &str) -> TableRef {
    TableRef {
        schema: "public".to_owned(),
        name: name.to_owned(),
    }
}

fn step(to: &str, key: &str) -> Step {
    Step {
        to: table(to),
        key: vec![Key {
            own: key.to_owned(),
            other: key.to_owned(),
        }],
        fans_out: false,
    }
}

fn column(path: &[(&str, &str)], name: &str) -> ColumnRef {
    ColumnRef {
        path: path.iter().map(|(to, key)| step(to, key)).collect(),
        column: name.to_owned(),
    }
}

fn query(subject: &str, conditions: Vec<Condition>, answer: Answer) -> SemanticQuery {
    SemanticQuery {
        subject: table(subject),
        conditions,
        answer,
        order: None,
        parts: Vec::new(),
    }
}

fn total(of: Expression) -> Measure {
    Measure {
        name: "total".to_owned(),
        value: Value::Aggregate(Aggregate {
            function: Function::Sum,
            of: Some(of),
            only: Vec::new(),
        }),
    }
}

fn names(query: &str) -> Answer {
    Answer::Rows {
        columns: vec![Shown {
            value: Expression::Column(ColumnRef::own(query)),
            name: None,
        }],
        distinct: false,
    }
}

#[test]
fn a_figure_for_each_row_of_another_table_is_grouped_by_its_key() {
    let mut meant = query(
        "orders",
        Vec::new(),
        Answer::Figures {
            measures: vec![total(Expression::Column(ColumnRef::own("total")))],
            dimensions: vec![Dimension::Entity {
                key: vec![column(&[("customers", "customer_id")], "customer_id")],
                names: vec![column(&[("customers", "customer_id")], "name")],
                label: None,
            }],
        },
    );
    meant.order = Some(Order {
        by: OrderBy::Measure(0),
        is_descending: true,
        limit: Some(10),
    });
    assert_eq!(
        compile(&meant, &shop()).unwrap().sql,
        "SELECT c.name, sum(o.total) AS total\n\
         FROM orders AS o\n\
         JOIN customers AS c ON c.customer_id = o.customer_id\n\
         GROUP BY c.customer_id, c.name\n\
         ORDER BY sum(o.total) DESC NULLS LAST\n\
         FETCH FIRST 10 ROWS WITH TIES"
    );
}

#[test]
fn rows_that_refer_to_the_subject_are_added_up_before_they_are_joined() {
    let lines = Expression::Related(Box::new(Related {
        table: table("order_lines"),
        link: vec![step("orders", "order_id")],
        function: Function::Sum,
        of: Some(Expression::Product(vec![
            Expression::Column(ColumnRef::own("pieces")),
            Expression::Column(ColumnRef::own("price_eur")),
        ])),
        conditions: Vec::new(),
    }));
    let meant = query(
        "orders",
        Vec::new(),
        Answer::Figures {
            measures: vec![
                total(lines),
                total(Expression::Column(ColumnRef::own("total"))),
            ],
            dimensions: Vec::new(),
        },
    );
    assert_eq!(
        compile(&meant, &shop()).unwrap().sql,
        "SELECT sum(coalesce(o2.value, 0)) AS total, sum(o.total) AS total\n\
         FROM orders AS o\n\
         LEFT JOIN (SELECT o3.order_id AS key1, sum(o3.pieces * o3.price_eur) AS value \
         FROM order_lines AS o3 GROUP BY o3.order_id) AS o2 ON o2.key1 = o.order_id"
    );
}

#[test]
fn a_step_that_may_reach_several_rows_is_refused() {
    let to_lines = column(&[("order_lines", "order_id")], "pieces");
    let meant = query(
        "orders",
        Vec::new(),
        Answer::Figures {
            measures: vec![total(Expression::Column(to_lines))],
            dimensions: Vec::new(),
        },
    );
    assert_eq!(
        compile(&meant, &shop()),
        Err(Refusal::RepeatsRows(
            "orders".to_owned(),
            "order_lines".to_owned()
        ))
    );
}

#[test]
fn a_sum_of_texts_is_refused() {
    let meant = query(
        "orders",
        Vec::new(),
        Answer::Figures {
            measures: vec![total(Expression::Column(ColumnRef::own("status")))],
            dimensions: Vec::new(),
        },
    );
    assert_eq!(
        compile(&meant, &shop()),
        Err(Refusal::NoNumber("status".to_owned()))
    );
}

#[test]
fn rows_without_a_value_are_not_the_value_and_that_is_said() {
    let is_not = |name: &str, value: &str| Condition::OneOf {
        column: ColumnRef::own(name),
        values: vec![Literal::Text(value.to_owned())],
        is_negated: true,
    };
    let optional = compile(
        &query("products", vec![is_not("color", "red")], names("name")),
        &shop(),
    )
    .unwrap();
    assert!(
        optional
            .sql
            .contains("WHERE p.color IS DISTINCT FROM 'red'\nORDER BY"),
        "{}",
        optional.sql
    );
    assert_eq!(
        optional.notes,
        [Note::WithoutValueCounts {
            table: "products".to_owned(),
            column: "color".to_owned()
        }]
    );
    let required = compile(
        &query("products", vec![is_not("name", "it's")], names("name")),
        &shop(),
    )
    .unwrap();
    assert!(
        required.sql.contains("WHERE p.name <> 'it''s'\nORDER BY"),
        "{}",
        required.sql
    );
    assert_eq!(required.notes, []);
}

#[test]
fn what_never_happened_is_an_anti_join() {
    let never = Condition::Exists {
        table: table("order_lines"),
        link: vec![step("orders", "order_id"), step("customers", "customer_id")],
        of: Vec::new(),
        conditions: Vec::new(),
        is_negated: true,
    };
    assert_eq!(
        compile(&query("customers", vec![never], names("name")), &shop())
            .unwrap()
            .sql,
        "SELECT c.name\n\
         FROM customers AS c\n\
         WHERE NOT EXISTS (SELECT 1 FROM order_lines AS o JOIN orders AS o2 ON o2.order_id = o.order_id \
         WHERE o2.customer_id = c.customer_id)\nORDER BY c.customer_id"
    );
}

#[test]
fn numbers_that_are_none_stay_texts() {
    let over = Condition::Compare {
        left: Expression::Column(ColumnRef::own("total")),
        operator: Operator::Greater,
        right: Literal::Number("1) OR (1=1".to_owned()),
    };
    let sql = compile(&query("orders", vec![over], names("order_id")), &shop())
        .unwrap()
        .sql;
    let written = "WHERE o.total > '1) OR (1=1'\nORDER BY o.order_id";
    assert!(sql.ends_with(written), "{sql}");
}

#[test]
fn a_meaning_survives_json() {
    let meant = query(
        "orders",
        vec![Condition::Period {
            column: ColumnRef::own("due"),
            from: Some("2025-01-01".to_owned()),
            before: None,
        }],
        names("order_id"),
    );
    let json = serde_json::to_string(&meant).unwrap();
    assert_eq!(serde_json::from_str::<SemanticQuery>(&json).unwrap(), meant);
}

/// Products and the tags that they are paired with.
fn tagged(has_pairs_once: bool) -> Vec<std::sync::Arc<text2sql_domain::schema::Table>> {
    use text2sql_domain::schema::{Column, ForeignKey, Table, TypeCategory};
    let mut tables = shop();
    let products = tables.iter().find(|table| table.name == "products");
    let products = products.expect("the shop has products").oid;
    let column = |name: &str| Column {
        name: name.to_owned(),
        category: TypeCategory::Integer,
        not_null: true,
        ..Column::default()
    };
    let key = |column: &str, target: u32, name: &str| ForeignKey {
        columns: vec![column.to_owned()],
        target,
        target_schema: "public".to_owned(),
        target_name: name.to_owned(),
        target_columns: vec![column.to_owned()],
        is_taught: false,
    };
    let table = |oid: u32, name: &str| Table {
        oid,
        schema: "public".to_owned(),
        name: name.to_owned(),
        is_visible: true,
        ..Table::default()
    };
    let pairs = ["product_id", "tag_id"].map(str::to_owned).to_vec();
    tables.push(std::sync::Arc::new(Table {
        columns: vec![column("tag_id"), column("label")],
        primary_key: vec!["tag_id".to_owned()],
        ..table(9001, "tags")
    }));
    tables.push(std::sync::Arc::new(Table {
        columns: vec![column("product_id"), column("tag_id")],
        primary_key: if has_pairs_once { pairs } else { Vec::new() },
        foreign_keys: vec![
            key("product_id", products, "products"),
            key("tag_id", 9001, "tags"),
        ],
        ..table(9002, "product_tags")
    }));
    tables
}

#[test]
fn a_row_counts_once_for_each_row_that_it_is_paired_with() {
    let mut pairs = step("product_tags", "product_id");
    pairs.fans_out = true;
    let path = vec![pairs, step("tags", "tag_id")];
    let of = |name: &str| ColumnRef {
        path: path.clone(),
        column: name.to_owned(),
    };
    let by_tag = Dimension::Entity {
        key: vec![of("tag_id")],
        names: vec![of("label")],
        label: None,
    };
    let counted = |value: Value| Answer::Figures {
        measures: vec![Measure {
            name: "products".to_owned(),
            value,
        }],
        dimensions: vec![by_tag.clone()],
    };
    let rows = Aggregate {
        function: Function::Count,
        of: None,
        only: Vec::new(),
    };
    let meant = query(
        "products",
        Vec::new(),
        counted(Value::Aggregate(rows.clone())),
    );
    let compiled = compile(&meant, &tagged(true)).unwrap();
    assert_eq!(
        compiled.sql,
        "SELECT t.label, count(*) AS products\n\
         FROM products AS p\n\
         JOIN product_tags AS p2 ON p2.product_id = p.product_id\n\
         JOIN tags AS t ON t.tag_id = p2.tag_id\n\
         GROUP BY t.tag_id, t.label\nORDER BY t.label"
    );
    let left_out = Note::WithoutRowLeftOut {
        table: "tags".to_owned(),
    };
    let counts = Note::CountsForEach {
        table: "tags".to_owned(),
    };
    assert_eq!(compiled.notes, [left_out, counts]);
    // Not where a pair may be there twice, nor for a share of the whole, nor for a value or a condition.
    let refused = |meant: &SemanticQuery, has_pairs_once: bool| {
        assert!(
            compile(meant, &tagged(has_pairs_once)).is_err(),
            "{meant:?}"
        );
    };
    refused(&meant, false);
    refused(
        &query("products", Vec::new(), counted(Value::ShareOfAll(rows))),
        true,
    );
    let shown = Answer::Rows {
        columns: vec![Shown {
            value: Expression::Column(of("label")),
            name: None,
        }],
        distinct: false,
    };
    refused(&query("products", Vec::new(), shown), true);
}

/// What `text2sql.ask` returns as the meaning, for programs that read or change it.
#[test]
fn the_published_schema_is_that_of_the_form() {
    let schema = schemars::schema_for!(SemanticQuery);
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    expect_test::expect_file!["../../../docs/reference/meaning.json"].assert_eq(&text);
}

#[test]
fn what_is_wrong_with_a_meaning_is_said_with_its_place() {
    let right = serde_json::json!({
        "subject": {"schema": "public", "name": "orders"},
        "conditions": [],
        "answer": {"figures": {
            "measures": [{"name": "orders", "value": {"aggregate": {"function": "count", "of": null}}}],
            "dimensions": [{"date": [{"column": "ordered_at"}, "month"]}],
        }},
        "order": null,
    });
    assert!(SemanticQuery::read(&right).is_ok());
    let wrong = |pointer: &str, value: serde_json::Value| {
        let mut meaning = right.clone();
        *meaning.pointer_mut(pointer).unwrap() = value;
        let misread = SemanticQuery::read(&meaning).unwrap_err();
        format!("{}: {}", misread.path, misread.problem)
    };
    let measure = "/answer/figures/measures/0";
    let told = [
        wrong("", serde_json::json!({})),
        wrong("/subject", serde_json::json!({"schema": "public"})),
        wrong(&format!("{measure}/value/aggregate/function"), "add".into()),
        wrong(measure, serde_json::json!({"name": "a \"}", "value": null})),
        wrong("/answer/figures/dimensions/0/date/1", "months".into()),
        wrong(
            "/order",
            serde_json::json!({"by": {"measure": 0}, "is_descending": true, "limt": 3}),
        ),
        wrong("/conditions", "x".repeat(70_000).into()),
    ];
    expect_test::expect![[r#"
        : missing field `subject`
        subject: missing field `name`
        answer.figures.measures[0].value.aggregate.function: unknown variant `add`, expected one of `count`, `count_distinct`, `sum`, `average`, `minimum`, `maximum`, `median`
        answer.figures.measures[0].value: expected value
        answer.figures.dimensions[0].date[1]: unknown variant `months`, expected one of `year`, `quarter`, `month`, `week`, `day`, `weekday`, `hour`, `month_of_year`, `quarter_of_year`
        order: unknown field `limt`, expected one of `by`, `is_descending`, `limit`
        : it has more than 65536 bytes
    "#]]
    .assert_eq(&(told.join("\n") + "\n"));
}
