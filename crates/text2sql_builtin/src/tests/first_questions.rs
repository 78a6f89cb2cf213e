//! What newcomers ask of a schema of their own, over an invented trade: names where keys are at hand, words that fit
//! several columns, verbs, totals, and text that holds numbers.

use std::sync::Arc;

use expect_test::expect_file;

use super::{TODAY, answer, propose, tables};
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{ColumnStatistics, Holds, Table};

fn trade() -> Vec<Arc<Table>> {
    let mut tables = tables(
        "
        2 customers: customer_id text pk, company_name text, contact_name text null, city text [Berlin|Paris]
        4 orders: order_id int pk, customer_id text > customers, employee_id int > employees, order_date date, freight num, ship_name text
        6 products: product_id int pk, product_name text [Chai|Chang], unit_price num, storage_price num, weight text, colour text, rating enum [PG|R], keeper_staff_id int > employees
        7 categories: category_id int pk, category_name text [Tents|Shoes]
        8 employees: employee_id int pk, first_name text [Anna|Bert], last_name text [Berg|Lind], birth_date date, email text, boss_id int
        30 product_category: product_id int pk > products, category_id int pk > categories, last_update ts
        31 regions: region_id int pk, region_description text
        32 payments: payment_id int pk, order_id int > orders, amount num, returned_on date null
        33 recordings: recording_id int pk, name text, milliseconds int
        34 suppliers: supplier_id int pk, company_name text [Acme|Bolt], email text, country_code text
        ",
    );
    for table in &mut tables {
        let (name, rows) = (table.name.clone(), 100.0);
        table.row_estimate = Some(rows);
        for column in &mut table.columns {
            let statistics = column
                .statistics
                .get_or_insert_with(ColumnStatistics::default);
            match (name.as_str(), column.name.as_str()) {
                ("products", "weight") => statistics.holds = Some(Holds::Numbers),
                ("orders", "ship_name") => statistics.distinct_values = Some(10.0),
                _ => {}
            }
        }
    }
    tables.into_iter().map(Arc::new).collect()
}

#[test]
fn first_questions_are_answered_as_a_person_agreed() {
    golden_text::check(
        &expect_file!["golden/first_questions.txt"],
        |question| match propose(question, &trade(), &[], TODAY) {
            Proposal::Sql(found) => [vec![found.sql], found.links, found.notes]
                .concat()
                .join("\n"),
            _ => answer(question, &trade()),
        },
    );
}

#[test]
fn what_is_not_said_is_declined() {
    for question in [
        // A verb is not what is asked for.
        "What do customers order?",
        "Who ordered Chai?",
        // An amount between the two says how often a row counts.
        "What is the longest customer?",
    ] {
        let proposal = propose(question, &trade(), &[], TODAY);
        assert!(
            !matches!(proposal, Proposal::Sql(_)),
            "{question} was answered: {proposal:?}"
        );
    }
}

#[test]
fn punctuation_is_never_what_is_not_understood() {
    for question in [
        "Which customers are never?",
        "Which customers are the, and?",
        "customers ?!",
    ] {
        if let Proposal::Unanswerable { reason, .. } = propose(question, &trade(), &[], TODAY) {
            assert!(
                !reason.contains("\"?") && !reason.contains("\",\""),
                "{reason}"
            );
        }
    }
}
