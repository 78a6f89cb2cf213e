//! Names as other databases have them: spaces, camel case, no keys, one name in two tables.

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::{TODAY, propose, table};
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{ForeignKey, Table};

fn zoo() -> Vec<Arc<Table>> {
    let mut tables = vec![
        table(
            51,
            "Animal Keepers",
            "Keeper No int pk, fullName text, hiredYear int",
        ),
        table(
            52,
            "AnimalSpecies",
            "species text pk, averageWeight num, Sex text [f|m]",
        ),
        table(
            53,
            "feedings",
            "keeper_no int, species text, kilos num, fedOn date",
        ),
        table(54, "visit_log", "name text, visits int, year int"),
        table(
            55,
            "ticket_sales",
            "sale_id int pk, name text, price num, zone_code text",
        ),
        table(56, "zones", "zone_code text pk, label text"),
    ];
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

fn check(question: &str, expect: Expect) {
    expect.assert_eq(&match propose(question, &zoo(), &[], TODAY) {
        Proposal::Sql(proposal) => format!("{}\n{}", proposal.sql, proposal.notes.join("\n")),
        other => format!("{other:?}"),
    });
}

#[test]
fn names_in_any_spelling() {
    check(
        "How many animal keepers are there?",
        expect![[r#"
        SELECT count(*) AS animal_keepers
        FROM "Animal Keepers" AS ak
    "#]],
    );
    check(
        "What are the full names of the animal keepers?",
        expect![[r#"
            SELECT ak."fullName" AS full_name
            FROM "Animal Keepers" AS ak
            ORDER BY ak."Keeper No"
        "#]],
    );
    check(
        "How many species are there?",
        expect![[r#"
        SELECT count(*) AS animal_species
        FROM "AnimalSpecies" AS t
    "#]],
    );
    check(
        "Which keepers have more than ten feedings?",
        expect![[r#"
        SELECT ak."fullName" AS full_name
        FROM "Animal Keepers" AS ak
        WHERE (SELECT count(*) FROM feedings AS f WHERE ak."Keeper No" = f.keeper_no) > 10
        ORDER BY ak."Keeper No"
    "#]],
    );
    check(
        "How many keepers were hired in 2020?",
        expect![[
            r#"Unanswerable { reason: "nothing readable is called \"hired\"", missing: ["hired"], nearest: ["Animal Keepers.hiredYear"] }"#
        ]],
    );
    check(
        "What is the average kilos of feedings for each species?",
        expect![[r#"
            SELECT t.species, avg(f.kilos) AS average_kilos
            FROM feedings AS f
            JOIN "AnimalSpecies" AS t ON t.species = f.species
            GROUP BY t.species
            ORDER BY species
        "#]],
    );
    check(
        "How many female species are there?",
        expect![[r#"
        SELECT count(*) AS animal_species
        FROM "AnimalSpecies" AS t
        WHERE t."Sex" = 'f'
    "#]],
    );
}

#[test]
fn a_name_in_two_tables_is_asked_back() {
    check(
        "Show all names",
        expect![[
            r#"Ambiguous { question: "which column is meant: visit log name or ticket sale name?", readings: ["Show all visit log name", "Show all ticket sale name"] }"#
        ]],
    );
    check(
        "What is the name?",
        expect![[
            r#"Ambiguous { question: "which column is meant: visit log name or ticket sale name?", readings: ["What is the visit log name?", "What is the ticket sale name?"] }"#
        ]],
    );
    check(
        "Show the names in the visit log",
        expect![[r#"
        SELECT vl.name
        FROM visit_log AS vl
        ORDER BY name
    "#]],
    );
}

#[test]
fn the_name_of_a_key_joins_where_no_foreign_key_does() {
    check(
        "Which zones have more than 3 ticket sales?",
        expect![[r#"
        SELECT z.label
        FROM zones AS z
        WHERE (SELECT count(*) FROM ticket_sales AS ts WHERE z.zone_code = ts.zone_code) > 3
        ORDER BY z.zone_code
        no foreign key: zones.zone_code is assumed to equal ticket_sales.zone_code"#]],
    );
}
