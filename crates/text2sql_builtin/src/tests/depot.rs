//! What was once answered wrongly without a word, over tables with other names: a negation that loses rows without a value,
//! a column that is called nearly like its table, money in cents, arrays, two tables of one name.

use super::*;

/// Drivers and what they carry; a tariff in cents; orders in two schemas.
fn depot() -> Vec<Arc<Table>> {
    let mut tables = tables(
        "
        31 drivers: driver_id int pk, name text, hub text null [Lyon|Nantes], is_licensed bool null, rating num null
        32 ferry_log: log_id int pk, fry num, left_on date
        33 gadgets: gadget_id int pk, title text, labels text
        34 crates: crate_id int pk, colour text null [Green|Red], loaded_on date
        35 tolls: toll_id int pk, amount int
        36 orders: order_id int pk, amount num, placed_on date
        37 orders: order_id int pk, amount num, placed_on date
        ",
    );
    for table in &mut tables {
        match (table.oid, table.columns.get_mut(2)) {
            (33, Some(labels)) => labels.category = TypeCategory::Array,
            (36, _) => table.schema = "retail".to_owned(),
            (37, _) => {
                table.schema = "wholesale".to_owned();
                table.is_visible = false;
            }
            _ => {}
        }
        if table.oid == 35 {
            table.columns[1].comment = Some("in euro cents".to_owned());
        }
    }
    tables.into_iter().map(Arc::new).collect()
}

/// The statement with what is said of it, or why there is none.
#[test]
fn nothing_is_silently_wrong() {
    let tables = depot();
    golden_text::check(&expect_file!["golden/depot.txt"], |question| match propose(
        question,
        &tables,
        &[],
        TODAY,
    ) {
        Proposal::Sql(answer) => {
            let notes = answer.notes.iter().map(|note| format!("\nnote: {note}"));
            format!("{}{}", answer.sql, notes.collect::<String>())
        }
        Proposal::Ambiguous { readings, .. } => format!("asks back: {}", readings.join(" | ")),
        Proposal::Unanswerable { reason, .. } => format!("declines: {reason}"),
    });
}
