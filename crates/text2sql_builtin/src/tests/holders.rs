//! A noun that a table's name ends with, and that the comments of others hold as well.

use super::*;

fn directory(comments: [Option<&str>; 3]) -> Vec<Arc<Table>> {
    let mut all = tables(
        "
        41 exchange_user: user_id int pk, mailbox text
        42 azure_sec_entity: entity_id int pk, display text
        43 sec_entity: entity_id int pk, display text
        ",
    );
    for (table, comment) in all.iter_mut().zip(comments) {
        table.comment = comment.map(str::to_owned);
    }
    all.into_iter().map(Arc::new).collect()
}

#[test]
fn which_table_is_meant_is_asked_where_comments_name_others() {
    let comments = [
        None,
        Some("contains users from Azure"),
        Some("Users and groups of all systems"),
    ];
    let asked = |question: &str, comments| propose(question, &directory(comments), &[], TODAY);
    let Proposal::Ambiguous { readings, .. } = asked("How many users are there?", comments) else {
        panic!("{:?}", asked("How many users are there?", comments));
    };
    assert_eq!(
        readings,
        [
            "How many exchange users are there?",
            "How many azure sec entities are there?",
            "How many sec entities are there?",
        ]
    );
    // Nothing is asked back where the question says which one, or where the other tables hold something of users.
    let answers = |question: &str, comments| matches!(asked(question, comments), Proposal::Sql(_));
    assert!(answers("How many exchange users are there?", comments));
    assert!(answers(
        "How many users are there?",
        [None, Some("groups of users"), None]
    ));
}
