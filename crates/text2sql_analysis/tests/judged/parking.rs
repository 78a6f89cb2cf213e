//! Queries that once passed in silence, tried with the tables of a parking company.

use std::sync::Arc;

use text2sql_analysis::findings::{Check, Finding, Probe, find};
use text2sql_domain::schema::{ForeignKey, Table};
use text2sql_domain::schema_fixture::Build;

use crate::against;

fn company() -> Vec<Arc<Table>> {
    let of_garage = |table: &mut Table| {
        table.foreign_keys.push(ForeignKey {
            columns: vec!["town".to_owned(), "garage_number".to_owned()],
            target: 1,
            target_schema: "public".to_owned(),
            target_name: "garages".to_owned(),
            target_columns: vec!["town".to_owned(), "garage_number".to_owned()],
            is_taught: false,
        });
    };
    vec![
        Build::table(1, "garages")
            .columns("town text!, garage_number integer!, height_cm integer, occupied_pct numeric, rent numeric!")
            .comment("height_cm", "in centimetres")
            .key(&["town", "garage_number"])
            .done(),
        Build::table(2, "bays")
            .columns("bay_id integer!, town text!, garage_number integer!, is_reserved boolean, user text, extras jsonb, marks text[]!")
            .key(&["bay_id"])
            .with(of_garage)
            .done(),
        Build::table(3, "tickets")
            .columns("ticket_id integer!, bay_id integer!, plate text, issued_on date!, fine integer!, seconds_parked integer!, code text!, lost integer, sold integer")
            .comment("fine", "in euro cents")
            .comment("seconds_parked", "in seconds")
            .key(&["ticket_id"])
            .refers("bay_id", 2, "bays", "bay_id")
            .done(),
        Build::table(4, "payments")
            .columns("payment_id integer!, ticket_id integer!, paid_on date!, cents integer!")
            .key(&["payment_id"])
            .refers("ticket_id", 3, "tickets", "ticket_id")
            .done(),
    ]
}

fn all(question: &str, sql: &str) -> Vec<Finding> {
    let mut found = find(sql, &company()).unwrap().expect(sql);
    found.extend(against(question, sql, &company(), &["NaN"]));
    found
}

#[test]
fn what_once_passed_in_silence_is_spoken_of() {
    let mut silent = Vec::new();
    for (check, question, sql) in [
        // Periods.
        (
            Check::Period,
            "What were the fines of 2025?",
            "SELECT sum(fine) FROM tickets WHERE issued_on >= '2024-01-01' AND issued_on < '2025-01-01'",
        ),
        (
            Check::Period,
            "How many tickets were issued in 2025?",
            "SELECT count(*) FROM tickets WHERE issued_on >= '2025-01-01'",
        ),
        (
            Check::Period,
            "How many tickets were issued before 2025?",
            "SELECT count(*) FROM tickets WHERE issued_on >= '2025-01-01'",
        ),
        (
            Check::Period,
            "How many tickets were issued in the last 2 years?",
            "SELECT count(*) FROM tickets WHERE issued_on >= current_date - interval '2 months'",
        ),
        // Keys.
        (
            Check::PartialKey,
            "How many bays have garages lower than 200?",
            "SELECT count(*) FROM bays b JOIN garages g ON g.town = b.town WHERE g.height_cm < 200",
        ),
        // Rows that are repeated.
        (
            Check::JoinFanOut,
            "What is the total rent?",
            "SELECT sum(x.rent) FROM (SELECT g.rent FROM garages g JOIN bays b ON b.town = g.town AND b.garage_number = g.garage_number) AS x",
        ),
        (
            Check::JoinFanOut,
            "What is the total rent?",
            "WITH x AS (SELECT g.rent FROM garages g JOIN bays b USING (town, garage_number)) SELECT sum(rent) FROM x",
        ),
        (
            Check::JoinFanOut,
            "How many tickets are there?",
            "SELECT count(*) FROM tickets t JOIN payments p USING (ticket_id)",
        ),
        (
            Check::JoinFanOut,
            "What are fines without seconds?",
            "SELECT sum(t.fine - t.seconds_parked) FROM tickets t JOIN payments p USING (ticket_id)",
        ),
        (
            Check::JoinFanOut,
            "Running total of fines",
            "SELECT t.ticket_id, sum(t.fine) OVER (ORDER BY t.issued_on) FROM tickets t JOIN payments p USING (ticket_id)",
        ),
        // Rows that are lost.
        (
            Check::DroppedNulls,
            "Tickets of other plates",
            "SELECT count(*) FILTER (WHERE plate <> 'W 1') FROM tickets",
        ),
        (
            Check::DroppedNulls,
            "Tickets of other plates",
            "SELECT sum(CASE WHEN plate <> 'W 1' THEN 1 ELSE 0 END) FROM tickets",
        ),
        (
            Check::DroppedNulls,
            "Bays that are not reserved",
            "SELECT count(*) FROM bays WHERE NOT is_reserved",
        ),
        (
            Check::NotInWithNulls,
            "Plates without others",
            "SELECT count(*) FROM tickets WHERE plate <> ALL (SELECT plate FROM tickets)",
        ),
        // Names.
        (
            Check::NameIsFunction,
            "Which user has which bay?",
            "SELECT bay_id, user FROM bays",
        ),
        // Values and types.
        (
            Check::UnknownValue,
            "Bays with a charger",
            "SELECT count(*) FROM bays WHERE extras ->> 'chargr' = 'yes'",
        ),
        (
            Check::UnknownValue,
            "Bays with a mark",
            "SELECT count(*) FROM bays WHERE 'wid' = ANY (marks)",
        ),
        (
            Check::ImplicitCast,
            "Tickets with a fine over 90",
            "SELECT count(*) FROM tickets WHERE fine::text > '90'",
        ),
        // Units.
        (
            Check::MixedUnits,
            "What are all fines in euros?",
            "SELECT sum(fine) AS euros FROM tickets",
        ),
        (
            Check::MixedUnits,
            "Tickets over 50 euros",
            "SELECT count(*) FROM tickets WHERE fine > 50",
        ),
        (
            Check::MixedUnits,
            "Tickets of more than 30 minutes",
            "SELECT count(*) FROM tickets WHERE seconds_parked > 30",
        ),
        (
            Check::MixedUnits,
            "Average minutes",
            "SELECT avg(seconds_parked) AS minutes FROM tickets",
        ),
        (
            Check::AverageOfAverages,
            "What share is occupied?",
            "SELECT avg(occupied_pct) FROM garages",
        ),
        (
            Check::AverageOfAverages,
            "What share is lost?",
            "SELECT avg(lost * 100.0 / sold) FROM tickets",
        ),
        (
            Check::Aggregate,
            "What is the total rent?",
            "SELECT sum(rent) FROM garages",
        ),
    ] {
        let found = all(question, sql);
        if !found.iter().any(|finding| finding.check == check) {
            let spoken: Vec<Check> = found.iter().map(|finding| finding.check).collect();
            silent.push(format!("{check:?}: {question}\n  {sql}\n  {spoken:?}"));
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

#[test]
fn a_key_inside_another_one_is_looked_up() {
    let sql = "SELECT count(*) FROM bays WHERE extras -> 'power' ->> 'volts' = '400'";
    let looked_up: Vec<String> = all("Bays with 400 volts", sql)
        .into_iter()
        .filter_map(|finding| match finding.probe {
            Some(Probe::Rows { sql, .. }) => Some(sql),
            _ => None,
        })
        .collect();
    let probe = "SELECT 1 FROM bays WHERE extras -> 'power' -> 'volts' IS NOT NULL LIMIT 1";
    assert!(looked_up.iter().any(|sql| sql == probe), "{looked_up:?}");
}
