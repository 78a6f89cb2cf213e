//! Questions over invented depots: how much of a material there is, and rows that have only keys of other tables.

use std::sync::Arc;

use crate::statements::{has_all, statement};
use text2sql_domain::schema::Table;
use text2sql_domain::schema_fixture::Build;

fn depots() -> Vec<Arc<Table>> {
    let pair = |oid, name: &str, columns: &str, other: &str| {
        Build::table(oid, name)
            .columns(&format!("depot_id integer!, material_id integer!{columns}"))
            .key(&["depot_id", "material_id"])
            .refers("depot_id", 1, "depots", "depot_id")
            .refers("material_id", 2, other, "material_id")
            .done()
    };
    vec![
        Build::table(1, "depots")
            .columns("depot_id integer!, name text!, town text!")
            .key(&["depot_id"])
            .values("town", &["Linz", "Steyr"], 0.0)
            .values("name", &["Depot North"], 0.0)
            .done(),
        Build::table(2, "materials")
            .columns("material_id integer!, title text!")
            .key(&["material_id"])
            .values("title", &["Oak board", "Copper wire"], 0.0)
            .done(),
        pair(
            3,
            "stock",
            ", pieces_available integer!, reorder_point integer!, checked_on date",
            "materials",
        ),
        pair(4, "permits", "", "materials"),
        Build::table(5, "scans")
            .columns("scan_id integer!, depot_id integer!")
            .key(&["scan_id"])
            .refers("depot_id", 1, "depots", "depot_id")
            .done(),
        Build::table(6, "recalls")
            .columns("scan_id integer!, reason text")
            .key(&["scan_id"])
            .refers("scan_id", 5, "scans", "scan_id")
            .done(),
    ]
}

fn asked(question: &str) -> String {
    statement(question, "2024-05-01", &depots())
}

fn means(question: &str, parts: &[&str]) {
    has_all(question, &asked(question), parts);
}

#[test]
fn a_stock_is_how_much_there_is() {
    let in_town = [
        "SELECT sum(s.pieces_available)",
        "m.title = 'Oak board'",
        "d.town = 'Linz'",
    ];
    means("stock of Oak board in Linz", &in_town);
    means("Bestand von Oak board in Linz", &in_town);
    means("How many Oak board are in stock in Linz?", &in_town);
    means("pieces available of Oak board in Linz", &in_town);
    means(
        "What is the stock of Copper wire in Depot North?",
        &["SELECT sum(s.pieces_available)", "d.name = 'Depot North'"],
    );
    // What the question says of all rows is not told of each.
    means(
        "inventory in Depot North",
        &["SELECT m.title, s.pieces_available FROM stock"],
    );
    means(
        "inventory in Linz",
        &["SELECT d.name, m.title, s.pieces_available"],
    );
    // The least that there should be is another figure, and so is a sum that nobody asked for.
    assert_eq!(asked("minimum stock of Oak board in Linz"), "");
    assert_eq!(asked("pieces available"), "");
}

#[test]
fn rows_with_only_keys_of_others_are_told_by_their_names() {
    means(
        "permits in Linz",
        &["SELECT d.name, m.title FROM permits", "d.town = 'Linz'"],
    );
    means("list the permits", &["SELECT d.name, m.title FROM permits"]);
    // What was scanned has no name either.
    assert_eq!(asked("list the recalls"), "");
    means("depot ids of permits", &["p.depot_id FROM permits"]);
}
