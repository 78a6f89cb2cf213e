//! Explanations over a small shop.

use std::fmt::Write;
use std::sync::Arc;

use expect_test::expect_file;

use super::explain;
use crate::findings::find;
use text2sql_domain::schema::{Column, ForeignKey, Table, TableKind, TypeCategory};
use text2sql_domain::schema_fixture;

mod changing;
mod limits;
mod meanings;
mod mistakes;

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

/// A larger shop: many queries from simple to hard, with what may be wrong with them.
#[test]
fn explanations_and_findings_are_those_a_person_agreed_to() {
    let tables = schema_fixture::shop();
    let cases = golden_text::check(&expect_file!["golden/steps_and_findings.txt"], |sql| {
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
    });
    assert!(cases >= 120, "{cases} queries");
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

/// Customers, orders with lines, products, employees with bosses, and a badly named table.
fn shop() -> Vec<Arc<Table>> {
    vec![
        table(
            1,
            "customers",
            Some("people and companies who bought at least once."),
        )
        .with("id", TypeCategory::Integer, "!", "")
        .with("name", TypeCategory::Text, "!", "")
        .with("country", TypeCategory::Text, "", "ISO code of the country")
        .with("is_active", TypeCategory::Boolean, "!", "")
        .with("email", TypeCategory::Text, "", "")
        .keyed(&["id"], &[&["email"]])
        .done(),
        table(2, "orders", Some("purchases, one row each"))
            .with("id", TypeCategory::Integer, "!", "")
            .with("customer_id", TypeCategory::Integer, "!", "who bought")
            .with("employee_id", TypeCategory::Integer, "", "who sold it")
            .with("ordered_at", TypeCategory::Timestamp, "!", "")
            .with("shipped_on", TypeCategory::Date, "", "")
            .with("status", TypeCategory::Enum, "!", "")
            .with("total", TypeCategory::Number, "!", "gross amount in euros")
            .with("details", TypeCategory::Json, "", "")
            .keyed(&["id"], &[])
            .refers(&["customer_id"], 1, "customers")
            .refers(&["employee_id"], 4, "employees")
            .done(),
        table(3, "order_items", None)
            .with("order_id", TypeCategory::Integer, "!", "")
            .with("product_id", TypeCategory::Integer, "!", "")
            .with("quantity", TypeCategory::Integer, "!", "")
            .with(
                "unit_price",
                TypeCategory::Number,
                "!",
                "net price when sold",
            )
            .with("discount", TypeCategory::Number, "", "")
            .keyed(&["order_id", "product_id"], &[])
            .refers(&["order_id"], 2, "orders")
            .refers(&["product_id"], 5, "products")
            .done(),
        table(4, "employees", None)
            .with("id", TypeCategory::Integer, "!", "")
            .with("name", TypeCategory::Text, "!", "")
            .with("boss_id", TypeCategory::Integer, "", "")
            .with("department", TypeCategory::Text, "!", "")
            .with("salary", TypeCategory::Number, "!", "")
            .keyed(&["id"], &[])
            .refers(&["boss_id"], 4, "employees")
            .done(),
        table(5, "products", Some("what the shop sells"))
            .with("id", TypeCategory::Integer, "!", "")
            .with("title", TypeCategory::Text, "!", "")
            .with("tags", TypeCategory::Array, "", "")
            .keyed(&["id"], &[])
            .done(),
        table(6, "Legacy Stock", Some("count of the old system"))
            .with("ProductID", TypeCategory::Integer, "", "")
            .with("Qty", TypeCategory::Integer, "", "pieces in the cellar")
            .done(),
        table(7, "active_customers", None)
            .view()
            .with("id", TypeCategory::Integer, "", "")
            .done(),
    ]
}

struct Builder(Table);

fn table(oid: u32, name: &str, comment: Option<&str>) -> Builder {
    Builder(Table {
        oid,
        schema: "public".to_owned(),
        name: name.to_owned(),
        is_visible: true,
        comment: comment.map(str::to_owned),
        ..Table::default()
    })
}

impl Builder {
    fn with(mut self, name: &str, category: TypeCategory, flags: &str, comment: &str) -> Self {
        self.0.columns.push(Column {
            number: i16::try_from(self.0.columns.len() + 1).unwrap(),
            name: name.to_owned(),
            category,
            not_null: flags == "!",
            comment: (!comment.is_empty()).then(|| comment.to_owned()),
            ..Column::default()
        });
        self
    }

    fn view(mut self) -> Self {
        self.0.kind = TableKind::View;
        self
    }

    fn keyed(mut self, primary: &[&str], unique: &[&[&str]]) -> Self {
        self.0.primary_key = primary.iter().map(|&name| name.to_owned()).collect();
        self.0.unique_keys = unique
            .iter()
            .map(|key| key.iter().map(|&name| name.to_owned()).collect())
            .collect();
        self
    }

    fn refers(mut self, columns: &[&str], target: u32, name: &str) -> Self {
        self.0.foreign_keys.push(ForeignKey {
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            target,
            target_schema: "public".to_owned(),
            target_name: name.to_owned(),
            target_columns: vec!["id".to_owned()],
            is_taught: false,
        });
        self
    }

    fn done(self) -> Arc<Table> {
        Arc::new(self.0)
    }
}
