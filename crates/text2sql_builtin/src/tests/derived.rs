//! Views, kept answers, models of dbt and tables of summaries beside the tables that they are made of.

use super::*;
use text2sql_domain::schema::{DerivedBy, TableKind};

/// A view of another schema that reads the tables with these OIDs.
fn view(oid: u32, name: &str, columns: &str, made_of: &[u32]) -> Table {
    Table {
        schema: "rep".to_owned(),
        kind: TableKind::View,
        is_visible: false,
        made_of: made_of.to_vec(),
        ..table(oid, name, columns)
    }
}

fn with(added: impl IntoIterator<Item = Table>) -> Vec<Arc<Table>> {
    let mut tables = company();
    tables.extend(added.into_iter().map(Arc::new));
    tables
}

/// The question has the answer that it has without the added relations.
fn unmoved(question: &str, tables: &[Arc<Table>]) {
    let alone = answer(question, &company());
    assert!(alone.starts_with("SELECT"), "{question}: {alone}");
    assert_eq!(answer(question, tables), alone, "{question}");
}

#[test]
fn a_view_takes_no_words_away_from_what_it_reads() {
    let by_month = || view(40, "orders_by_month", "month int, orders int", &[4]);
    let kept = Table {
        derived_by: Some(DerivedBy::Answer),
        ..by_month()
    };
    for tables in [with([by_month()]), with([kept])] {
        unmoved("How many orders by month?", &tables);
        unmoved("How many orders are there?", &tables);
    }
    let tables = with([view(
        40,
        "customers",
        "country text, customers int",
        &[1, 2],
    )]);
    unmoved("How many customers are there?", &tables);
    unmoved("How many customers per country?", &tables);
    let tables = with([view(
        40,
        "customers_per_country",
        "country text, customers int",
        &[1, 2],
    )]);
    unmoved("How many customers per country?", &tables);
    let tables = with([view(
        40,
        "revenue_by_status",
        "status enum [open|shipped|cancelled], revenue num",
        &[4],
    )]);
    unmoved("How many orders were placed in 2025 by status?", &tables);
    unmoved("How many orders are there per status?", &tables);
    // The same of a materialised view, and of one whose name alone is a column of what it reads.
    let tables = with([Table {
        kind: TableKind::MaterializedView,
        ..view(40, "total", "status text, total num", &[4])
    }]);
    unmoved("What is the average total of orders?", &tables);
}

#[test]
fn a_view_that_the_path_finds_first_yields_to_the_table_behind_it() {
    let tables: Vec<Arc<Table>> = with([Table {
        is_visible: true,
        ..view(40, "customers", "customer_id int, name text", &[2])
    }])
    .into_iter()
    .map(|table| {
        let mut table = Table::clone(&table);
        table.is_visible &= table.oid != 2;
        Arc::new(table)
    })
    .collect();
    assert_eq!(
        answer("How many customers are there?", &tables),
        "SELECT count(*) AS customers\nFROM public.customers AS c"
    );
}

#[test]
fn a_view_answers_where_nothing_beneath_it_does() {
    // The caller may not read what it reads.
    let hidden = Table {
        derived_by: Some(DerivedBy::Answer),
        ..view(40, "visits", "day date, hits int", &[999])
    };
    let tables = with([hidden]);
    let Proposal::Sql(proposal) = propose("How many visits are there?", &tables, &[], TODAY) else {
        panic!("no answer");
    };
    assert_eq!(
        proposal.sql,
        "SELECT count(*) AS visits\nFROM rep.visits AS v"
    );
    assert_eq!(
        proposal.notes,
        ["rep.visits holds the answer to an earlier question (text2sql.ask_view)"]
    );
}

#[test]
fn a_name_that_is_a_sentence_never_beats_the_grammar() {
    // What these were made of is unknown: CREATE TABLE AS keeps no record.
    for name in [
        "orders_by_month",
        "Orders per Month",
        "ordersByMonth",
        "orders_pro_monat",
    ] {
        let tables = with([table(40, name, "month int, orders int")]);
        unmoved("How many orders by month?", &tables);
        unmoved("How many orders per month?", &tables);
        unmoved("Wie viele orders pro Monat?", &tables);
    }
    let tables = with([table(40, "total_salary", "store text, total num")]);
    unmoved("What is the total salary of employees?", &tables);
    // A table that others refer to is a thing, whatever it is called.
    let mut line = table(41, "parts", "part_id int pk, line_id int");
    line.foreign_keys.push(ForeignKey {
        columns: vec!["line_id".to_owned()],
        target: 40,
        target_columns: vec!["line_id".to_owned()],
        ..ForeignKey::default()
    });
    let tables = with([
        table(40, "bill_of_parts", "line_id int pk, price num"),
        line,
    ]);
    assert_eq!(
        answer("How many bills of parts are there?", &tables),
        answer("How many bill_of_parts are there?", &tables)
    );
}

#[test]
fn of_two_tables_of_a_name_the_one_that_the_path_finds_is_meant() {
    let tables = with([Table {
        is_visible: false,
        schema: "archive".to_owned(),
        ..table(40, "customers", "customer_id int pk, name text")
    }]);
    unmoved("How many customers are there?", &tables);
    assert_eq!(
        answer("How many archive.customers are there?", &tables),
        "SELECT count(*) AS customers\nFROM archive.customers AS c"
    );
}

#[test]
fn a_model_of_dbt_yields_to_its_sources() {
    let model = Table {
        derived_by: Some(DerivedBy::Dbt),
        ..view(
            40,
            "customers",
            "customer_id int, name text, country text",
            &[1, 2],
        )
    };
    let tables = with([model.clone()]);
    unmoved("How many customers per country?", &tables);
    // If the sources may not be read, the view is all there is.
    let alone = [Arc::new(model)];
    let Proposal::Sql(proposal) = propose("How many customers are there?", &alone, &[], TODAY)
    else {
        panic!("no answer");
    };
    assert_eq!(
        proposal.notes,
        ["rep.customers is a model of dbt, made of other tables"]
    );
}

#[test]
fn a_term_about_a_view_keeps_it() {
    let tables = with([view(40, "big_orders", "order_id int, total num", &[4])]);
    let term = Definition {
        term: "big business".to_owned(),
        meaning: "what big orders bring".to_owned(),
        sql_expression: Some("sum(total)".to_owned()),
        applies_to: Some(40),
        ..Default::default()
    };
    let Proposal::Sql(proposal) = propose("What is the big business?", &tables, &[term], TODAY)
    else {
        panic!("no answer");
    };
    assert!(proposal.sql.contains("rep.big_orders"), "{}", proposal.sql);
}
