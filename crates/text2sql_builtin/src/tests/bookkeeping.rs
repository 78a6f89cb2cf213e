//! Dates that keep the books about a row are no silent answer to when.

use super::*;

/// The company, where the table that is named has these columns instead.
fn with(name: &str, columns: &str) -> Vec<Arc<Table>> {
    let replace = |known: Arc<Table>| match known.name == name {
        true => Arc::new(table(known.oid, name, columns)),
        false => known,
    };
    company().into_iter().map(replace).collect()
}

#[test]
fn the_last_change_is_no_date_of_what_a_row_is_about() {
    for date in ["last_update", "updated_at", "modified_on", "last_modified"] {
        let tables = with(
            "products",
            &format!("product_id int pk, name text unique, {date} ts"),
        );
        for question in [
            "How many products in 2025?",
            "How many products in the last 30 days?",
            "How many products by month?",
        ] {
            let found = answer(question, &tables);
            assert!(!found.starts_with("SELECT"), "{date}, {question}: {found}");
        }
    }
}

#[test]
fn the_date_of_entry_says_when_of_its_own_rows_alone() {
    let tables = with(
        "products",
        "product_id int pk, name text unique, category_id int > categories, created_at ts",
    );
    let found = answer("How many products were created in 2025?", &tables);
    assert!(found.contains("p.created_at >="), "{found}");
    let found = answer("How many orders with products in 2025?", &tables);
    assert!(!found.contains("created_at"), "{found}");
    let found = answer("How many customers have products in 2025?", &tables);
    assert!(!found.contains("created_at"), "{found}");
}
