//! Questions over an invented company, and what the engine makes of them.

mod ambiguities;
mod bookkeeping;
mod conditions;
mod counted;
mod declines;
mod depot;
mod derived;
mod families;
mod ferry;
mod first_questions;
mod follow_ups;
mod glossary;
mod helped;
mod holders;
mod meaning_parts;
mod music;
mod reviewed;
mod school;
mod spellings;
mod to_date;
mod verbs;

use std::sync::Arc;

use expect_test::expect_file;

use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{
    Column, ColumnStatistics, Definition, ForeignKey, Table, TypeCategory,
};
use text2sql_language::understanding::Understanding;

pub(crate) const TODAY: &str = "2026-01-15";

fn propose(
    question: &str,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    today: &str,
) -> Proposal {
    let understanding = Understanding::of(question, today);
    crate::propose(&understanding, tables, definitions)
}

#[test]
fn answers_are_those_a_person_agreed_to() {
    for file in [
        expect_file!["golden/answers.txt"],
        expect_file!["golden/conditions.txt"],
        expect_file!["golden/counted.txt"],
        expect_file!["golden/german.txt"],
        expect_file!["golden/groups.txt"],
        // Questions that were once answered wrongly.
        expect_file!["golden/reviewed.txt"],
    ] {
        golden_text::check(&file, |question| answer(question, &company()));
    }
}

#[test]
fn notes_are_those_a_person_agreed_to() {
    golden_text::check(&expect_file!["golden/notes.txt"], |question| match propose(
        question,
        &company(),
        &[],
        TODAY,
    ) {
        Proposal::Sql(proposal) => [proposal.links, proposal.notes].concat().join("\n"),
        other => format!("{other:?}"),
    });
}

/// The statement for the question, or why there is none.
fn answer(question: &str, tables: &[Arc<Table>]) -> String {
    match propose(question, tables, &[], TODAY) {
        Proposal::Sql(proposal) => proposal.sql,
        other => format!("{other:?}"),
    }
}

fn declines(question: &str) {
    let proposal = propose(question, &company(), &[], TODAY);
    assert!(
        !matches!(proposal, Proposal::Sql(_)),
        "{question} was answered: {proposal:?}"
    );
}

/// A small company: a parent, a chain of children, a bridge, names in mixed case, a hidden schema.
pub(crate) fn company() -> Vec<Arc<Table>> {
    let mut tables = tables(
        "
        1 countries: country_code text pk, name text unique [Germany|Austria|France|New Zealand]
        2 customers: customer_id int pk, name text, email text, country_code text > countries, credit_limit num null, is_active bool, created_on date
        3 stores: store_id int pk, name text unique, city text [Berlin|Paris|Vienna], country_code text > countries, opened_on date, closed_on date null
        4 orders: order_id int pk, customer_id int > customers, store_id int > stores null, ordered_on date, status enum [open|shipped|cancelled], total num
        5 order_lines: order_id int pk > orders, product_id int pk > products, quantity int, discount num
        6 products: product_id int pk, name text unique, unit_price num, category_id int > categories, weight num null
        7 categories: category_id int pk, name text unique [Tents|Shoes|Maps]
        8 employees: employee_id int pk, first_name text, last_name text, salary num, store_id int > stores, job_title text [Manager|Clerk]
        9 Spare Parts: Part No text pk, unitPrice num, Is Stocked bool, Last Checked ts
        10 transfers: transfer_id int pk, from_store int > stores, to_store int > stores, moved_at ts
        ",
    );
    for table in &mut tables {
        if table.name == "Spare Parts" {
            table.schema = "Work Shop".to_owned();
            table.is_visible = false;
        }
    }
    tables.into_iter().map(Arc::new).collect()
}

/// A table in each line: `oid name: columns`.
fn tables(lines: &str) -> Vec<Table> {
    let lines = lines.trim().lines();
    lines
        .map(|line| {
            let (oid, text) = line.trim().split_once(' ').unwrap();
            let (name, columns) = text.split_once(": ").unwrap();
            table(oid.parse().unwrap(), name, columns)
        })
        .collect()
}

/// `name type [pk] [null] [unique] [> target] [[value|value]]`, comma separated; names may hold spaces.
fn table(oid: u32, name: &str, columns: &str) -> Table {
    const TARGETS: [(&str, u32, &str); 9] = [
        ("countries", 1, "country_code"),
        ("customers", 2, "customer_id"),
        ("stores", 3, "store_id"),
        ("orders", 4, "order_id"),
        ("products", 6, "product_id"),
        ("categories", 7, "category_id"),
        ("employees", 8, "employee_id"),
        ("artists", 21, "artist_id"),
        ("albums", 22, "album_id"),
    ];
    let mut table = Table {
        oid,
        schema: "public".to_owned(),
        name: name.to_owned(),
        is_visible: true,
        ..Table::default()
    };
    for (i, text) in columns.split(", ").enumerate() {
        let (text, values) = text.split_once(" [").unwrap_or((text, ""));
        let (text, target) = text.split_once(" > ").unwrap_or((text, ""));
        let words: Vec<&str> = text.split(' ').collect();
        let kind = words
            .iter()
            .rposition(|word| ["int", "num", "text", "bool", "date", "ts", "enum"].contains(word))
            .unwrap();
        let column_name = words[..kind].join(" ");
        let values: Vec<String> = values
            .trim_end_matches(']')
            .split('|')
            .filter(|v| !v.is_empty())
            .map(str::to_owned)
            .collect();
        let has = |flag: &str| words[kind..].contains(&flag) || target.ends_with(flag);
        let category = match words[kind] {
            "int" => TypeCategory::Integer,
            "num" => TypeCategory::Number,
            "bool" => TypeCategory::Boolean,
            "date" => TypeCategory::Date,
            "ts" => TypeCategory::Timestamp,
            "enum" => TypeCategory::Enum,
            _ => TypeCategory::Text,
        };
        table.columns.push(Column {
            number: i16::try_from(i).unwrap() + 1,
            name: column_name.clone(),
            category,
            not_null: !has("null"),
            enum_labels: if category == TypeCategory::Enum {
                values.clone()
            } else {
                Vec::new()
            },
            statistics: Some(ColumnStatistics {
                most_common_values: values,
                ..ColumnStatistics::default()
            }),
            ..Column::default()
        });
        if has("pk") {
            table.primary_key.push(column_name.clone());
        }
        if has("unique") {
            table.unique_keys.push(vec![column_name.clone()]);
        }
        let target = target.split(' ').next().unwrap();
        if let Some((name, oid, key)) = TARGETS.iter().find(|(name, _, _)| *name == target) {
            table.foreign_keys.push(ForeignKey {
                columns: vec![column_name],
                target: *oid,
                target_schema: "public".to_owned(),
                target_name: (*name).to_owned(),
                target_columns: vec![(*key).to_owned()],
                is_taught: false,
            });
        }
    }
    table
}
