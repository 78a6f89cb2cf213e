//! What the question counts, averages or lists, repeated; and years that the query has others for.

use std::sync::Arc;

use text2sql_analysis::findings::Check;
use text2sql_domain::schema::Table;
use text2sql_domain::schema_fixture::Build;

use crate::against;

/// A clinic: patients stay in rooms of wards; a stay has meals.
fn clinic() -> Vec<Arc<Table>> {
    vec![
        Build::table(1, "wards")
            .columns("ward_id integer!, title text!, floor_number integer")
            .key(&["ward_id"])
            .done(),
        Build::table(2, "rooms")
            .columns("room_id integer!, ward_id integer!, beds integer, opened_year integer")
            .key(&["room_id"])
            .refers("ward_id", 1, "wards", "ward_id")
            .done(),
        Build::table(3, "patients")
            .columns("patient_id integer!, surname text, weight numeric, birthplace text")
            .key(&["patient_id"])
            .done(),
        Build::table(4, "stays")
            .columns("stay_id integer!, patient_id integer!, room_id integer!, admitted_on date")
            .key(&["stay_id"])
            .refers("patient_id", 3, "patients", "patient_id")
            .refers("room_id", 2, "rooms", "room_id")
            .done(),
        Build::table(5, "meals")
            .columns("meal_id integer!, stay_id integer!, dish text")
            .key(&["meal_id"])
            .refers("stay_id", 4, "stays", "stay_id")
            .done(),
    ]
}

/// The checks that are certain about a query that gave two equal rows, or would be as soon as the data confirm it.
fn certain(question: &str, sql: &str) -> Vec<Check> {
    against(question, sql, &clinic(), &["same", "same"])
        .into_iter()
        .filter(|finding| finding.is_certain() || finding.probe.is_some())
        .map(|finding| finding.check)
        .collect()
}

#[track_caller]
fn expect(cases: &[(Option<Check>, &str, &str)]) {
    for (check, question, sql) in cases {
        let found = certain(question, sql);
        match check {
            Some(check) => assert!(found.contains(check), "{question}\n{sql}\n{found:?}"),
            None => assert!(found.is_empty(), "{question}\n{sql}\n{found:?}"),
        }
    }
}

#[test]
fn a_join_that_nobody_asks_for_repeats_nothing() {
    use Check::JoinFanOut;
    expect(&[
        (
            Some(JoinFanOut),
            "Which wards have more than 3 rooms?",
            "SELECT w.title FROM wards w JOIN rooms r USING (ward_id) JOIN stays s ON s.room_id = r.room_id GROUP BY w.ward_id, w.title HAVING count(*) > 3",
        ),
        (
            None,
            "Which wards have more than 3 rooms?",
            "SELECT w.title FROM wards w JOIN rooms r USING (ward_id) GROUP BY w.ward_id, w.title HAVING count(*) > 3",
        ),
        // The stays are what is counted.
        (
            None,
            "Which rooms have more than 3 stays?",
            "SELECT r.room_id FROM rooms r JOIN stays s ON s.room_id = r.room_id GROUP BY r.room_id HAVING count(*) > 3",
        ),
        (
            Some(JoinFanOut),
            "What is the average weight of the patients?",
            "SELECT avg(p.weight) FROM patients p JOIN stays s ON s.patient_id = p.patient_id",
        ),
        (
            Some(JoinFanOut),
            "What is the average weight of the patients?",
            "SELECT avg(x.kilos) FROM (SELECT p.weight AS kilos FROM patients p JOIN stays s ON s.patient_id = p.patient_id) AS x",
        ),
        (
            None,
            "What is the average weight of the patients?",
            "SELECT avg(p.weight) FROM patients p WHERE EXISTS (SELECT FROM stays s WHERE s.patient_id = p.patient_id)",
        ),
        // Of all stays, the mean weight of their patient.
        (
            None,
            "What is the average weight of the patients over all stays?",
            "SELECT avg(p.weight) FROM patients p JOIN stays s ON s.patient_id = p.patient_id",
        ),
        (
            Some(JoinFanOut),
            "What is the average weight of the patients over all stays?",
            "SELECT avg(p.weight) FROM patients p JOIN stays s ON s.patient_id = p.patient_id JOIN meals m ON m.stay_id = s.stay_id",
        ),
        // A column of the joined table is used.
        (
            None,
            "Average weight of the patients by dish",
            "SELECT m.dish, avg(p.weight) FROM patients p JOIN stays s USING (patient_id) JOIN meals m USING (stay_id) GROUP BY m.dish",
        ),
    ]);
}

#[test]
fn what_is_counted_is_counted_once() {
    use Check::Repeated;
    expect(&[
        (
            Some(Repeated),
            "How many patients were admitted?",
            "SELECT count(patient_id) FROM stays",
        ),
        (
            Some(Repeated),
            "How many patients were admitted?",
            "SELECT count(*) FROM stays",
        ),
        // "Stay" is what they do.
        (
            Some(Repeated),
            "How many patients stay in room 7?",
            "SELECT count(patient_id) FROM stays WHERE room_id = 7",
        ),
        (
            None,
            "How many patients were admitted?",
            "SELECT count(DISTINCT patient_id) FROM stays",
        ),
        (
            None,
            "How many stays were there?",
            "SELECT count(*) FROM stays",
        ),
        (
            Some(Repeated),
            "Show the number of different patients of each room",
            "SELECT room_id, count(patient_id) FROM stays GROUP BY room_id",
        ),
    ]);
}

#[test]
fn years_are_those_of_the_question() {
    use Check::Period;
    expect(&[
        (
            Some(Period),
            "Which rooms of 4 or more beds opened between 2001 and 2005?",
            "SELECT room_id FROM rooms WHERE beds >= 4 AND opened_year >= 2001 AND opened_year <= 2004",
        ),
        (
            None,
            "Which rooms of 4 or more beds opened between 2001 and 2005?",
            "SELECT room_id FROM rooms WHERE beds >= 4 AND opened_year BETWEEN 2001 AND 2005",
        ),
        (
            Some(Period),
            "Rooms that opened in spring 2001 but not in fall 2003",
            "SELECT room_id FROM rooms WHERE opened_year = 2001 EXCEPT SELECT room_id FROM rooms WHERE opened_year = 2001",
        ),
        (
            Some(Period),
            "Stays admitted after 7th of May, 2019",
            "SELECT stay_id FROM stays WHERE admitted_on > '2018-05-07'",
        ),
        (
            None,
            "Stays admitted after 7th of May, 2019",
            "SELECT stay_id FROM stays WHERE admitted_on > '2019-05-07'",
        ),
        (
            None,
            "Stays since the end of 2019",
            "SELECT stay_id FROM stays WHERE admitted_on >= '2020-01-01'",
        ),
        // A number that is no year.
        (
            None,
            "Stays of the last year in rooms with more than 2000 beds",
            "SELECT s.stay_id FROM stays s JOIN rooms r USING (room_id) WHERE r.beds > 2000 AND s.admitted_on >= '2025-01-01' AND s.admitted_on < '2026-01-01'",
        ),
    ]);
}
