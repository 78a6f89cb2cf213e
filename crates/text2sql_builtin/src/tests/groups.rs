//! Questions that are answered group by group.

use super::{TODAY, company, propose};
use text2sql_domain::proposal::Proposal;

#[test]
fn groups_without_a_value_do_not_lead() {
    let answer = propose(
        "Which country has the highest average credit limit?",
        &company(),
        &[],
        TODAY,
    );
    let Proposal::Sql(answer) = answer else {
        panic!("no answer");
    };
    let lookup = answer.ranking.unwrap().sql;
    assert_eq!(
        lookup.matches("ranked_by DESC NULLS LAST").count(),
        2,
        "{lookup}"
    );
}
