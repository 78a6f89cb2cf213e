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
    assert!(answer.sql.contains(" DESC NULLS LAST"), "{}", answer.sql);
    assert!(answer.ties_note.is_some());
}
