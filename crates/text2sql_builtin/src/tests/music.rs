//! Values that several columns hold, over an invented record shop.

use std::sync::Arc;

use expect_test::expect_file;

use super::{TODAY, answer, propose, tables};
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::Table;

fn shop() -> Vec<Arc<Table>> {
    tables(
        "
        21 artists: artist_id int pk, name text [Queen|Iron Maiden|Abba]
        22 albums: album_id int pk, title text [Iron Maiden|Arrival], artist_id int > artists
        ",
    )
    .into_iter()
    .map(Arc::new)
    .collect()
}

#[test]
fn values_of_several_columns() {
    golden_text::check(&expect_file!["golden/music.txt"], |question| {
        answer(question, &shop())
    });
}

fn declines(question: &str) {
    let proposal = propose(question, &shop(), &[], TODAY);
    assert!(
        !matches!(proposal, Proposal::Sql(_)),
        "{question} was answered: {proposal:?}"
    );
}

#[test]
fn a_value_of_several_columns_is_not_chosen() {
    declines("Iron Maiden albums");
    declines("How many tracks by Queen?");
    declines("How many tracks by Queen are there?");
    declines("How many albums does Iron Maiden have?");
    declines("How many tracks does Queen have?");
    declines("Queen tracks");
    declines("How many tracks are by Rock?");
    declines("artists in Rock");
    declines("number of tracks and albums per artist");
    declines("tracks by genre");
    declines("cheapest track by genre");
    declines("the cheapest track in each genre");
}
