//! What is proposed for small schemas, by names and with counts.

use std::collections::HashMap;

use super::*;

/// A table from its columns: `id*` is the primary key, `code!` unique by an index, `name:t` a text.
fn table(oid: u32, name: &str, columns: &[&str]) -> TableFacts {
    let mut facts = TableFacts {
        oid,
        schema: "public".into(),
        name: name.into(),
        ..TableFacts::default()
    };
    let (mut primary, mut unique) = (Vec::new(), Vec::new());
    for (number, column) in (1i16..).zip(columns) {
        if column.contains('*') {
            primary.push(number);
        }
        if column.contains('!') {
            unique.push(vec![number]);
        }
        let (name, kind) = match column.split_once(':') {
            Some((name, "t")) => (name, Kind::Text),
            Some((name, "u")) => (name, Kind::Uuid),
            Some((name, _)) => (name, Kind::Other),
            None => (*column, Kind::Number),
        };
        facts.columns.push(ColumnFacts {
            number,
            name: name.trim_end_matches(['*', '!']).into(),
            kind,
            is_distinct: false,
        });
    }
    if !primary.is_empty() {
        facts.keys.push(primary);
    }
    facts.keys.extend(unique);
    facts
}

fn shown(tables: &[TableFacts], pair: &Pair) -> String {
    let side = |oid: u32, numbers: &[i16]| {
        let table = tables.iter().find(|table| table.oid == oid).unwrap();
        let names = numbers
            .iter()
            .map(|number| table.column(*number).unwrap().name.clone());
        format!("{}.{}", table.name, names.collect::<Vec<_>>().join("+"))
    };
    let from = side(pair.from, &pair.columns);
    format!("{from} ~> {}", side(pair.to, &pair.target_columns))
}

/// What is proposed; `count` gives sampled and found values for a pair as it is shown.
fn proposed_with(
    tables: &[TableFacts],
    count: impl Fn(&str) -> Option<(u32, u32)>,
) -> Vec<(String, f32)> {
    let possible = candidates(tables);
    let overlaps: HashMap<Pair, Overlap> = possible
        .iter()
        .filter_map(|candidate| {
            let (sampled, found) = count(&shown(tables, &candidate.pair))?;
            let overlap = Overlap {
                sampled,
                found,
                target_rows: 100,
                is_complete: true,
                ..Overlap::default()
            };
            Some((candidate.pair.clone(), overlap))
        })
        .collect();
    let proposals = propose(&possible, &overlaps);
    let mut all: Vec<(String, f32)> = proposals
        .iter()
        .map(|proposal| (shown(tables, &proposal.pair), proposal.certainty))
        .collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

fn proposed(tables: &[TableFacts]) -> Vec<String> {
    let all = proposed_with(tables, |_| None);
    all.into_iter().map(|(join, _)| join).collect()
}

#[test]
fn a_column_is_called_like_the_table_and_its_key() {
    let tables = [
        table(1, "customers", &["id*", "name:t"]),
        table(2, "tblCategory", &["CategoryID*", "name:t"]),
        table(
            3,
            "orders",
            &[
                "id*",
                "customer_id",
                "categoryid",
                "total",
                "billing_customer_id",
            ],
        ),
    ];
    assert_eq!(
        proposed(&tables),
        [
            "orders.billing_customer_id ~> customers.id",
            "orders.categoryid ~> tblCategory.CategoryID",
            "orders.customer_id ~> customers.id",
        ]
    );
}

#[test]
fn words_that_all_tables_have_join_nothing() {
    let columns = ["id*", "name:t", "status:t", "code:t", "created_by_name:t"];
    let tables = [
        table(1, "products", &columns),
        table(2, "stores", &columns),
        table(3, "employees", &columns),
    ];
    assert!(proposed(&tables).is_empty());
}

#[test]
fn a_key_of_its_own_rows_references_nothing() {
    let tables = [
        table(1, "invoice", &["invoice_id*"]),
        table(2, "invoice_line", &["invoice_line_id*", "invoice_id"]),
    ];
    assert_eq!(
        proposed(&tables),
        ["invoice_line.invoice_id ~> invoice.invoice_id"]
    );
}

#[test]
fn rows_reference_rows_of_the_same_table_in_a_role() {
    let tables = [
        table(
            1,
            "employees",
            &["employee_id*", "manager_id", "reports_to"],
        ),
        table(2, "categories", &["id*", "parent_id", "parent_category_id"]),
        table(3, "tasks", &["id*", "lead_time", "next_run"]),
    ];
    assert_eq!(
        proposed(&tables),
        [
            "categories.parent_category_id ~> categories.id",
            "categories.parent_id ~> categories.id",
            "employees.manager_id ~> employees.employee_id",
            "employees.reports_to ~> employees.employee_id",
        ]
    );
}

#[test]
fn a_code_in_a_role_needs_its_values() {
    let tables = [
        table(1, "airports", &["id*", "code!:t", "city:t"]),
        table(2, "flights", &["id*", "from_airport:t", "to_airport:t"]),
    ];
    assert!(proposed(&tables).is_empty());
    let joins = proposed_with(&tables, |_| Some((40, 40)));
    assert_eq!(joins[0].0, "flights.from_airport ~> airports.code");
    assert!(joins.len() == 2 && joins[0].1 >= 0.9, "{joins:?}");
}

#[test]
fn values_that_do_not_occur_refute_a_name() {
    let tables = [
        table(1, "customers", &["customer_id*"]),
        table(2, "orders", &["id*", "customer_id"]),
    ];
    let certainty = |sampled, found| {
        let joins = proposed_with(&tables, |_| Some((sampled, found)));
        joins.first().map_or(0.0, |(_, certainty)| *certainty)
    };
    assert!(certainty(500, 500) > certainty(500, 460));
    assert!(certainty(500, 460) > certainty(500, 300));
    assert_eq!(certainty(500, 0), 0.0);
    assert!(certainty(0, 0) > 0.9, "an empty table refutes nothing");
}

#[test]
fn a_column_without_values_references_nothing() {
    let tables = [
        table(1, "states", &["state_name*:t", "area"]),
        table(2, "mountains", &["id*", "state_name:t"]),
    ];
    let possible = candidates(&tables);
    let proposed = |lacks_values| {
        let overlap = Overlap {
            target_rows: 50,
            is_complete: true,
            lacks_values,
            ..Overlap::default()
        };
        let overlaps = possible
            .iter()
            .map(|candidate| (candidate.pair.clone(), overlap));
        propose(&possible, &overlaps.collect()).len()
    };
    // A table without rows refutes nothing.
    assert_eq!((proposed(false), proposed(true)), (1, 0));
}

#[test]
fn a_target_with_repeated_values_is_none() {
    let tables = [
        table(1, "products", &["product_code:t", "name:t"]),
        table(2, "sales", &["id*", "product_code:t"]),
    ];
    let possible = candidates(&tables);
    let counted = |has_duplicates| {
        let overlap = Overlap {
            sampled: 50,
            found: 50,
            target_rows: 80,
            is_complete: true,
            has_duplicates,
            ..Overlap::default()
        };
        let overlaps = possible
            .iter()
            .map(|candidate| (candidate.pair.clone(), overlap));
        propose(&possible, &overlaps.collect()).len()
    };
    assert_eq!((counted(false), counted(true)), (1, 0));
}

#[test]
fn of_several_tables_with_the_key_the_one_that_it_names_is_the_target() {
    let tables = [
        table(1, "employee", &["emp_num*", "name:t"]),
        table(2, "professor", &["emp_num*", "office:t"]),
        table(3, "department", &["dept_code*:t", "emp_num"]),
    ];
    assert_eq!(
        proposed(&tables),
        [
            "department.emp_num ~> employee.emp_num",
            "professor.emp_num ~> employee.emp_num",
        ]
    );
    // Nothing says which.
    let tables = [
        table(1, "sales_2023", &["sale_key*"]),
        table(2, "sales_2024", &["sale_key*"]),
        table(3, "refunds", &["id*", "sale_key"]),
    ];
    assert!(
        !proposed(&tables)
            .iter()
            .any(|join| join.starts_with("refunds"))
    );
}

#[test]
fn abbreviations_stand_for_one_table() {
    let tables = [
        table(1, "departments", &["id*", "name:t"]),
        table(2, "employees", &["id*", "dept_id"]),
    ];
    assert_eq!(proposed(&tables), ["employees.dept_id ~> departments.id"]);
    let mut tables = tables.to_vec();
    tables.push(table(3, "depots", &["id*"]));
    assert_eq!(proposed(&tables), ["employees.dept_id ~> departments.id"]);
    tables.push(table(4, "deputies", &["id*"]));
    tables.push(table(5, "depute_types", &["id*"]));
    assert!(proposed(&tables).len() <= 1);
}

#[test]
fn a_key_of_several_columns_is_referenced_as_a_whole() {
    let tables = [
        table(1, "course", &["course_id*:t"]),
        table(2, "section", &["course_id*:t", "sec_id*:t", "year*"]),
        table(
            3,
            "takes",
            &["student*", "course_id*:t", "sec_id*:t", "year*"],
        ),
    ];
    assert!(
        proposed(&tables)
            .contains(&"takes.course_id+sec_id+year ~> section.course_id+sec_id+year".into())
    );
}

#[test]
fn what_is_declared_or_rejected_is_not_proposed() {
    let mut tables = vec![
        table(1, "customers", &["id*", "email!:t", "customer_name!:t"]),
        table(2, "orders", &["id*", "customer_id", "customer_name:t"]),
    ];
    assert_eq!(proposed(&tables), ["orders.customer_id ~> customers.id"]);
    for is_rejected in [false, true] {
        tables[1].settled = vec![Settled {
            columns: vec![2],
            target: 1,
            is_rejected,
        }];
        let joins = proposed(&tables);
        assert!(
            !joins.contains(&"orders.customer_id ~> customers.id".into()),
            "{joins:?}"
        );
        // The name of a customer says nothing beside the key.
        assert_eq!(joins.is_empty(), !is_rejected);
    }
}

#[test]
fn schemas_and_types_do_not_mix() {
    let mut other = table(1, "customers", &["id*"]);
    other.schema = "archive".into();
    let tables = [
        other,
        table(2, "orders", &["id*", "customer_id"]),
        table(3, "products", &["id*:u"]),
        table(4, "sales", &["id*", "product_id"]),
    ];
    assert!(proposed(&tables).is_empty());
}

#[test]
fn the_evidence_holds_counts_and_no_values() {
    let tables = [
        table(1, "customers", &["id*"]),
        table(2, "orders", &["id*", "customer_id"]),
    ];
    let possible = candidates(&tables);
    let overlap = Overlap {
        sampled: 20,
        found: 20,
        target_rows: 30,
        is_complete: true,
        ..Overlap::default()
    };
    let overlaps = HashMap::from([(possible[0].pair.clone(), overlap)]);
    assert_eq!(
        propose(&possible, &overlaps)[0].evidence,
        "the column is called like the table and its key; the target is a key; 20 of 20 sampled values occur in the target"
    );
}

#[test]
fn glued_names_with_the_prefix_of_their_table_are_taken_apart() {
    let tables = [
        table(
            1,
            "sbcustomer",
            &[
                "sbcustid:t",
                "sbcustname:t",
                "sbcustemail:t",
                "sbcuststatus:t",
            ],
        ),
        table(
            2,
            "sbticker",
            &[
                "sbtickerid:t",
                "sbtickersymbol:t",
                "sbtickername:t",
                "sbtickertype:t",
            ],
        ),
        table(
            3,
            "sbdailyprice",
            &["sbdptickerid:t", "sbdpdate:x", "sbdpopen", "sbdpclose"],
        ),
        table(
            4,
            "sbtransaction",
            &[
                "sbtxid:t",
                "sbtxcustid:t",
                "sbtxtickerid:t",
                "sbtxamount",
                "sbtxpaid",
            ],
        ),
    ];
    let found: Vec<String> = proposed_with(&tables, |_| Some((50, 50)))
        .into_iter()
        .map(|(join, _)| join)
        .collect();
    assert_eq!(
        found,
        [
            "sbdailyprice.sbdptickerid ~> sbticker.sbtickerid",
            "sbtransaction.sbtxcustid ~> sbcustomer.sbcustid",
            "sbtransaction.sbtxtickerid ~> sbticker.sbtickerid",
        ]
    );
}

#[test]
fn a_glued_abbreviation_needs_its_values() {
    let tables = [
        table(1, "tracks", &["id*", "title:t"]),
        table(2, "paintings", &["id*", "title:t"]),
        table(3, "plays", &["id*", "trckid", "paid", "valid"]),
        table(4, "crew", &["crewid", "title:t"]),
        table(5, "crewmembers", &["id*", "rank:t"]),
    ];
    assert!(proposed(&tables).is_empty(), "{:?}", proposed(&tables));
    let found: Vec<String> = proposed_with(&tables, |_| Some((50, 50)))
        .into_iter()
        .map(|(join, _)| join)
        .collect();
    assert_eq!(found, ["plays.trckid ~> tracks.id"]);
}

#[test]
fn one_letter_and_id_names_the_key_of_the_same_name() {
    let tables = [
        table(1, "author", &["aid", "homepage:t", "name:t", "oid"]),
        table(2, "conference", &["cid", "homepage:t", "name:t"]),
        table(
            3,
            "organization",
            &["continent:t", "homepage:t", "name:t", "oid"],
        ),
        table(
            4,
            "publication",
            &["abstract:t", "cid", "citation_num", "jid", "pid", "title:t"],
        ),
        table(5, "journal", &["homepage:t", "jid", "name:t"]),
        table(6, "writes", &["aid", "pid"]),
    ];
    // Without rows that say so, one letter says too little.
    assert_eq!(
        proposed(&tables),
        [
            "publication.cid ~> conference.cid",
            "writes.aid ~> author.aid"
        ]
    );
    let found: Vec<String> = proposed_with(&tables, |_| Some((50, 50)))
        .into_iter()
        .map(|(join, _)| join)
        .collect();
    assert_eq!(
        found,
        [
            "author.oid ~> organization.oid",
            "publication.cid ~> conference.cid",
            "publication.jid ~> journal.jid",
            "writes.aid ~> author.aid",
            "writes.pid ~> publication.pid",
        ]
    );
}
