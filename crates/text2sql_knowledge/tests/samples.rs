//! Samples that an owner writes, has invented, or is advised to show.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use serde_json::json;
use text2sql_domain::error::ErrorKind;
use text2sql_domain::schema::{Column, ColumnStatistics, Table, TypeCategory};
use text2sql_knowledge::samples::{
    column_samples, invent_column, invent_rows, refuse_consent, row_samples, suggest,
};

fn column(number: i16, name: &str, category: TypeCategory, values: &[(&str, f64)]) -> Column {
    Column {
        number,
        name: name.into(),
        type_name: "text".into(),
        category,
        statistics: Some(ColumnStatistics {
            most_common_values: values.iter().map(|(value, _)| (*value).into()).collect(),
            most_common_shares: values.iter().map(|(_, share)| *share).collect(),
            distinct_values: Some(values.len() as f64),
            ..ColumnStatistics::default()
        }),
        ..Column::default()
    }
}

fn orders() -> Table {
    Table {
        schema: "shop".into(),
        name: "orders".into(),
        row_estimate: Some(15_000.0),
        columns: vec![
            column(1, "order_id", TypeCategory::Integer, &[]),
            column(
                2,
                "channel",
                TypeCategory::Text,
                &[("web", 0.6), ("store", 0.4)],
            ),
            column(
                3,
                "code",
                TypeCategory::Text,
                &[("DE-1204", 0.5), ("AT-77", 0.5)],
            ),
            column(
                4,
                "contact",
                TypeCategory::Text,
                &[("anna@example.org", 0.5), ("x", 0.5)],
            ),
            column(5, "customer_email", TypeCategory::Text, &[("none", 1.0)]),
            column(
                6,
                "vip",
                TypeCategory::Text,
                &[("Meier", 0.0002), ("no", 0.9)],
            ),
            Column {
                is_private: true,
                ..column(
                    7,
                    "margin",
                    TypeCategory::Text,
                    &[("high", 0.5), ("low", 0.5)],
                )
            },
            column(8, "total", TypeCategory::Number, &[]),
        ],
        ..Table::default()
    }
}

#[test]
fn only_columns_without_anything_private_are_suggested() {
    let suggested = suggest(&orders());
    let objects: Vec<&str> = suggested.iter().map(|one| one.object.as_str()).collect();
    assert_eq!(objects, ["shop.orders.channel", "shop.orders.code"]);
    let channel = &suggested[0];
    assert_eq!(channel.shows, "one of 'web', 'store'");
    assert_eq!(
        channel.reason,
        "2 different values, each known one in about 6000 rows or more"
    );
    assert_eq!(
        channel.statement,
        "SELECT text2sql.protect('shop.orders.channel', 'sample');"
    );
}

#[test]
fn consent_is_refused_by_name_and_by_value() {
    let orders = orders();
    let refused = |place: usize| refuse_consent(&orders, &orders.columns[place]);
    assert!(refused(1).is_ok());
    let by_value = refused(3).unwrap_err();
    assert_eq!(
        by_value.message(),
        "no samples of shop.orders.contact are shown: one of its frequent values looks like an e-mail address"
    );
    let by_name = refused(4).unwrap_err();
    assert!(by_name.message().contains("an address"), "{by_name:?}");
}

#[test]
fn written_samples_fit_the_column_and_are_nobodys() {
    let orders = orders();
    let [id, channel, margin] = [0, 1, 6].map(|place| &orders.columns[place]);
    let read = column_samples(&orders, channel, json!(["web", null, "kiosk"])).unwrap();
    assert_eq!(read[0], [(2, Some("web".to_owned()))]);
    assert_eq!(read[1], [(2, None)]);
    for (column, given, kind) in [
        (
            channel,
            json!(["ok", "anna@example.org"]),
            ErrorKind::Denied,
        ),
        (channel, json!("4111 1111 1111 1111"), ErrorKind::Denied),
        (channel, json!("+49 30 1234567"), ErrorKind::Denied),
        (channel, json!("sk-a81f03b7c92d4e55aa10"), ErrorKind::Denied),
        (id, json!(4_111_111_111_111_111_i64), ErrorKind::Denied),
        (margin, json!("high"), ErrorKind::Denied),
        (id, json!("seven"), ErrorKind::Setting),
        (channel, json!("x".repeat(81)), ErrorKind::Limit),
        (channel, json!([]), ErrorKind::Setting),
    ] {
        let refused = column_samples(&orders, column, given.clone()).unwrap_err();
        assert_eq!(refused.kind(), kind, "{given}: {refused:?}");
        let text = given.as_str().unwrap_or("anna@");
        assert!(!refused.message().contains(text), "{refused:?}");
    }
}

#[test]
fn rows_name_columns_that_exist() {
    let orders = orders();
    let read = row_samples(&orders, json!({"total": 12.5, "order_id": 1})).unwrap();
    assert_eq!(
        read,
        [vec![
            (1, Some("1".to_owned())),
            (8, Some("12.5".to_owned()))
        ]]
    );
    for given in [
        json!({"order_id": 1, "colour": "red"}),
        json!({"order_id": 1, "margin": "high"}),
        json!({"order_id": 1}),
        json!("web"),
    ] {
        assert!(row_samples(&orders, given.clone()).is_err(), "{given}");
    }
}

#[test]
fn invented_values_have_the_shape_and_are_none_of_the_column() {
    let orders = orders();
    let code = &orders.columns[2];
    let invented = invent_column(&orders, code, 3);
    let values: Vec<&str> = invented
        .iter()
        .filter_map(|one| one[0].1.as_deref())
        .collect();
    assert_eq!(values.len(), 3);
    let shape = |value: &str| -> String {
        let kind = |c: char| match c {
            'A'..='Z' => 'A',
            '0'..='9' => '0',
            other => other,
        };
        value.chars().map(kind).collect()
    };
    assert_eq!(
        values.iter().map(|value| shape(value)).collect::<Vec<_>>(),
        ["AA-0000", "AA-00", "AA-0000"]
    );
    assert!(!values.contains(&"DE-1204"));
    assert_eq!(
        invented,
        invent_column(&orders, code, 3),
        "they stay the same"
    );
    // The value does not have the shape of an address.
    let contact = invent_column(&orders, &orders.columns[3], 2);
    assert!(!format!("{contact:?}").contains('@'));
}

#[test]
fn invented_rows_leave_out_what_is_private() {
    let rows = invent_rows(&orders(), 2);
    assert_eq!(rows.len(), 2);
    let numbers: Vec<i16> = rows[0].iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 6, 8]);
}
