//! Periods to date.

use super::{TODAY, company, propose};
use text2sql_domain::proposal::Proposal;

#[test]
fn to_date_needs_no_column_of_that_name() {
    for question in [
        "How many orders were placed year to date?",
        "How many orders in the year to date?",
        "How many orders year to date?",
        "How many orders quarter to date?",
    ] {
        let Proposal::Sql(proposal) = propose(question, &company(), &[], TODAY) else {
            panic!("{question} is declined");
        };
        assert!(
            proposal.sql.contains("o.ordered_on >="),
            "{question}: {}",
            proposal.sql
        );
    }
}
