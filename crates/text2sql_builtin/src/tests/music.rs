//! Values that several columns hold, over an invented record shop.

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::{TODAY, propose, table};
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::Table;

fn shop() -> Vec<Arc<Table>> {
    [
        table(
            21,
            "artists",
            "artist_id int pk, name text [Queen|Iron Maiden|Abba]",
        ),
        table(
            22,
            "albums",
            "album_id int pk, title text [Iron Maiden|Arrival], artist_id int > artists",
        ),
        table(
            23,
            "tracks",
            "track_id int pk, name text [Iron Maiden|Waterloo], album_id int > albums, composer text [Queen|Mozart], genre text [Rock|Pop], price num",
        ),
    ]
    .into_iter()
    .map(Arc::new)
    .collect()
}

fn check(question: &str, expect: Expect) {
    expect.assert_eq(&match propose(question, &shop(), &[], TODAY) {
        Proposal::Sql(proposal) => proposal.sql,
        other => format!("{other:?}"),
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
    declines("albums by Iron Maiden");
    declines("List the albums by Iron Maiden");
    declines("Iron Maiden albums");
    declines("How many tracks by Queen?");
    declines("How many tracks by Queen are there?");
    declines("How many albums does Iron Maiden have?");
    declines("How many tracks does Queen have?");
    declines("How many tracks by Mozart?");
    declines("How many tracks does Mozart have?");
    declines("Queen tracks");
    declines("How many tracks are by Rock?");
    declines("artists in Rock");
    declines("number of tracks and albums per artist");
    declines("tracks by genre");
    declines("cheapest track by genre");
    declines("the cheapest track in each genre");
}

#[test]
fn a_value_with_its_noun_or_alone_is_found() {
    check(
        "How many albums does Queen have?",
        expect![[
            r#"Unanswerable { reason: "'Queen' is a value of several columns: which one is meant? The built-in engine answers only: How many albums does artist name 'Queen' have?", missing: [], nearest: [] }"#
        ]],
    );
    check(
        "How many albums does Abba have?",
        expect![[r#"
        SELECT count(*) AS albums
        FROM albums AS a
        JOIN artists AS a2 ON a2.artist_id = a.artist_id
        WHERE a2.name = 'Abba'"#]],
    );
    check(
        "albums by Abba",
        expect![[r#"
        SELECT a.title
        FROM albums AS a
        JOIN artists AS a2 ON a2.artist_id = a.artist_id
        WHERE a2.name = 'Abba'
        ORDER BY a.album_id"#]],
    );
    check(
        "How many tracks by the artist Queen?",
        expect![[r#"
        SELECT count(*) AS tracks
        FROM tracks AS t
        JOIN albums AS a ON a.album_id = t.album_id
        JOIN artists AS a2 ON a2.artist_id = a.artist_id
        WHERE a2.name = 'Queen'"#]],
    );
    check(
        "How many Rock tracks are there?",
        expect![[r#"
        SELECT count(*) AS tracks
        FROM tracks AS t
        WHERE t.genre = 'Rock'"#]],
    );
    check(
        "Which tracks are called Iron Maiden?",
        expect![[r#"
        SELECT t.name
        FROM tracks AS t
        WHERE t.name = 'Iron Maiden'
        ORDER BY t.track_id"#]],
    );
    check(
        "How many tracks with composer mozart?",
        expect![[r#"
        SELECT count(*) AS tracks
        FROM tracks AS t
        WHERE t.composer = 'Mozart'"#]],
    );
    check(
        "How many tracks have the composer 'Bach'?",
        expect![[r#"
        SELECT count(*) AS tracks
        FROM tracks AS t
        WHERE lower(t.composer) = lower('Bach')"#]],
    );
    check(
        "How many tracks with genre rock?",
        expect![[r#"
        SELECT count(*) AS tracks
        FROM tracks AS t
        WHERE t.genre = 'Rock'"#]],
    );
}
