//! Names as other databases have them: spaces, camel case, no keys, one name in two tables.

use std::sync::Arc;

use expect_test::expect_file;

use super::{TODAY, propose, tables};
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{ForeignKey, Table};

fn zoo() -> Vec<Arc<Table>> {
    let mut tables = tables(
        "
        51 Animal Keepers: Keeper No int pk, fullName text, hiredYear int
        52 AnimalSpecies: species text pk, averageWeight num, Sex text [f|m]
        53 feedings: keeper_no int, species text, kilos num, fedOn date
        54 visit_log: name text, visits int, year int
        55 ticket_sales: sale_id int pk, name text, price num, zone_code text
        56 zones: zone_code text pk, label text
        ",
    );
    if let Some(feedings) = tables.get_mut(2) {
        feedings.foreign_keys = vec![
            ForeignKey {
                is_taught: false,
                columns: vec!["keeper_no".to_owned()],
                target: 51,
                target_schema: "public".to_owned(),
                target_name: "Animal Keepers".to_owned(),
                target_columns: vec!["Keeper No".to_owned()],
            },
            ForeignKey {
                is_taught: false,
                columns: vec!["species".to_owned()],
                target: 52,
                target_schema: "public".to_owned(),
                target_name: "AnimalSpecies".to_owned(),
                target_columns: vec!["species".to_owned()],
            },
        ];
    }
    tables.into_iter().map(Arc::new).collect()
}

#[test]
fn names_in_any_spelling() {
    golden_text::check(
        &expect_file!["golden/spellings.txt"],
        |question| match propose(question, &zoo(), &[], TODAY) {
            Proposal::Sql(proposal) => format!("{}\n{}", proposal.sql, proposal.notes.join("\n")),
            other => format!("{other:?}"),
        },
    );
}
