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

#[test]
fn which_table_is_meant_is_asked_where_only_comments_name_them() {
    let mut all = tables(
        "
        51 mailbox: mailbox_id int pk, mail text
        52 cloud_account: account_id int pk, display text
        53 principal: principal_id int pk, kind text [user|group]
        ",
    );
    let comments = [
        "Users of the mail server",
        "contains users from the cloud",
        "users and groups",
    ];
    for (table, comment) in all.iter_mut().zip(comments) {
        table.comment = Some(comment.to_owned());
    }
    let all: Vec<Arc<Table>> = all.into_iter().map(Arc::new).collect();
    let Proposal::Ambiguous { readings, .. } =
        propose("How many users are there?", &all, &[], TODAY)
    else {
        panic!(
            "{:?}",
            propose("How many users are there?", &all, &[], TODAY)
        );
    };
    assert_eq!(
        readings,
        [
            "How many mailboxes are there?",
            "How many cloud accounts are there?",
            "How many principals are there?",
        ]
    );
}

#[test]
fn tables_of_one_name_are_asked_back_with_their_schemas() {
    let mut all = tables(
        "
        61 crate: crate_id int pk, kilos num
        62 crate: crate_id int pk, kilos num, sealed bool
        ",
    );
    for (table, schema) in all.iter_mut().zip(["north", "south"]) {
        table.schema = schema.to_owned();
        table.is_visible = false;
    }
    let all: Vec<Arc<Table>> = all.into_iter().map(Arc::new).collect();
    let Proposal::Ambiguous { readings, .. } =
        propose("How many crates are there?", &all, &[], TODAY)
    else {
        panic!(
            "{:?}",
            propose("How many crates are there?", &all, &[], TODAY)
        );
    };
    assert_eq!(
        readings,
        [
            "How many north.crate are there?",
            "How many south.crate are there?",
        ]
    );
}
