//! Explanations for a small shop.

use std::fmt::Write;
use std::sync::Arc;

use expect_test::expect_file;

use super::explain;
use crate::findings::find;
use text2sql_domain::schema::{Table, TableKind};
use text2sql_domain::schema_fixture::{self, Build};
use text2sql_phrases::{Language, in_language};

mod changing;
mod limits;
mod meanings;
mod mistakes;
mod scripts;

#[test]
fn explanations_are_those_a_person_agreed_to() {
    for file in [
        expect_file!["golden/rows.txt"],
        expect_file!["golden/grouping.txt"],
        expect_file!["golden/nesting.txt"],
        expect_file!["golden/changing.txt"],
        expect_file!["golden/limits.txt"],
    ] {
        golden_text::check(&file, |sql| explained(sql, &shop()));
    }
}

/// The same queries in German: read by a German reader, not translated back.
#[test]
fn german_explanations_are_those_a_person_agreed_to() {
    for file in [
        expect_file!["golden/german/rows.txt"],
        expect_file!["golden/german/grouping.txt"],
        expect_file!["golden/german/nesting.txt"],
        expect_file!["golden/german/changing.txt"],
        expect_file!["golden/german/limits.txt"],
    ] {
        golden_text::check(&file, |sql| {
            in_language(Language::named("de").unwrap_or_default(), || {
                explained(sql, &shop())
            })
        });
    }
}

/// A larger shop: many queries from simple to hard, with possible faults.
#[test]
fn explanations_and_findings_are_those_a_person_agreed_to() {
    let files = [
        (
            Language::ENGLISH,
            expect_file!["golden/steps_and_findings.txt"],
        ),
        (
            Language::named("de").unwrap_or_default(),
            expect_file!["golden/german/steps_and_findings.txt"],
        ),
    ];
    for (language, file) in files {
        let cases = golden_text::check(&file, |sql| in_language(language, || with_findings(sql)));
        assert!(cases >= 120, "{cases} queries");
    }
}

fn with_findings(sql: &str) -> String {
    let tables = schema_fixture::shop();
    let mut text = explained(sql, &tables);
    for finding in find(sql, &tables).ok().flatten().into_iter().flatten() {
        if !finding.is_question() {
            let _ = writeln!(
                text,
                "! {} {}: {}",
                finding.severity,
                finding.check.as_str(),
                finding.evidence
            );
        }
    }
    text
}

fn explained(sql: &str, tables: &[Arc<Table>]) -> String {
    match explain(sql, tables) {
        Ok(steps) => steps.iter().fold(String::new(), |mut text, step| {
            let _ = writeln!(text, "{}: {}", step.clause, step.explanation);
            text
        }),
        Err(error) => format!("{:?}: {error}\n", error.kind()),
    }
}

/// Customers, orders with lines, products, employees with managers, and a badly named table.
fn shop() -> Vec<Arc<Table>> {
    vec![
        Build::table(1, "customers")
            .columns("id integer!, name text!, country text, is_active boolean!, email text")
            .comment("country", "ISO code of the country")
            .key(&["id"])
            .unique(&["email"])
            .with(|table| {
                table.comment = Some("people and companies who bought at least once.".to_owned());
            })
            .done(),
        Build::table(2, "orders")
            .columns(
                "id integer!, customer_id integer!, employee_id integer, ordered_at timestamp!, \
                 shipped_on date, status enum!, total numeric!, details json",
            )
            .comment("customer_id", "who bought")
            .comment("employee_id", "who sold it")
            .comment("total", "gross amount in euros")
            .key(&["id"])
            .refers("customer_id", 1, "customers", "id")
            .refers("employee_id", 4, "employees", "id")
            .with(|table| table.comment = Some("purchases, one row each".to_owned()))
            .done(),
        Build::table(3, "order_items")
            .columns(
                "order_id integer!, product_id integer!, quantity integer!, unit_price numeric!, \
                 discount numeric",
            )
            .comment("unit_price", "net price when sold")
            .key(&["order_id", "product_id"])
            .refers("order_id", 2, "orders", "id")
            .refers("product_id", 5, "products", "id")
            .done(),
        Build::table(4, "employees")
            .columns("id integer!, name text!, boss_id integer, department text!, salary numeric!")
            .key(&["id"])
            .refers("boss_id", 4, "employees", "id")
            .done(),
        Build::table(5, "products")
            .columns("id integer!, title text!, tags text[]")
            .key(&["id"])
            .with(|table| table.comment = Some("what the shop sells".to_owned()))
            .done(),
        Build::table(6, "Legacy Stock")
            .columns("ProductID integer, Qty integer")
            .comment("Qty", "pieces in the cellar")
            .with(|table| table.comment = Some("count of the old system".to_owned()))
            .done(),
        Build::table(7, "active_customers")
            .columns("id integer")
            .kind(TableKind::View)
            .done(),
    ]
}

#[test]
fn an_explanation_speaks_a_made_up_language() {
    let file = include_str!("../../../../text2sql_phrases/tests/made_up.po");
    let told = in_language(Language::of_file("xx", file), || {
        explained("SELECT * FROM customers", &shop())
    });
    assert!(told.contains("Sa ko"), "{told}");
}
