//! Words that shorten a stored value.

use super::*;

fn regions() -> Vec<Arc<Table>> {
    let mut stores = table(
        3,
        "stores",
        "store_id int pk, name text, state text [California|Colorado|Connecticut|New Mexico], sort enum [Department Store|Kiosk|Outlet]",
    );
    for column in &mut stores.columns {
        if let Some(statistics) = &mut column.statistics {
            statistics.distinct_values = Some(statistics.most_common_values.len() as f64);
        }
    }
    vec![Arc::new(stores)]
}

#[track_caller]
fn links(question: &str, expect: Option<&str>) {
    match (propose(question, &regions(), &[], TODAY), expect) {
        (Proposal::Sql(proposal), Some(part)) => {
            assert!(proposal.sql.contains(part), "{question}: {}", proposal.sql);
        }
        (Proposal::Sql(proposal), None) => panic!("{question}: {}", proposal.sql),
        (other, Some(_)) => panic!("{question}: {other:?}"),
        (_, None) => {}
    }
}

#[test]
fn a_beginning_of_one_value_is_that_value() {
    let california = Some("s.state = 'California'");
    links("How many stores are in Calif.?", california);
    links("How many stores in Calif. are there?", california);
    links("How many stores are in Calif", california);
    links("How many calif stores are there?", california);
    links("How many stores have the state calif?", california);
    links("How many stores are in Cal.?", california);
    links(
        "How many stores are in Mex.?",
        Some("s.state = 'New Mexico'"),
    );
    links(
        "How many stores are of sort Dept.?",
        Some("s.sort = 'Department Store'"),
    );
    // Not linked: it abbreviates two values, or none; it is too short without a full stop; or it is an unknown word.
    links("How many stores are in Co.?", None);
    links("How many stores are in Cal?", None);
    links("How many stores are in Texas?", None);
    links("How many stores are dept?", None);
    links("How many stores are in calif?", None);
    links("How many stores are in California Park?", None);
}

#[test]
fn only_values_that_are_all_of_their_column_are_shortened() {
    let mut tables = regions();
    for table in &mut tables {
        for column in &mut Arc::make_mut(table).columns {
            if let Some(statistics) = &mut column.statistics {
                statistics.distinct_values = Some(500.0);
            }
        }
    }
    let proposal = propose("How many stores are in Calif.?", &tables, &[], TODAY);
    assert!(!matches!(proposal, Proposal::Sql(_)), "{proposal:?}");
}
