//! Answers that are pinned to boards, and shared.

use serde_json::{Value, json};
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::web::{Server, person};

const COUNT: &str = "SELECT count(*) AS n FROM customers";

/// A board is read by who has a role that it is shared with, as far as they could run its queries.
#[test]
fn a_board_is_shared_with_roles() {
    let database = TestDatabase::new("web_boards");
    let (ana, bob) = (person(&database, "ana"), person(&database, "bob"));
    let team = database.create_role("team", "NOLOGIN");
    database
        .superuser()
        .batch_execute(&format!(
            "CREATE TABLE hidden (id int PRIMARY KEY); GRANT SELECT ON hidden TO {ana}; GRANT {team} TO {bob}"
        ))
        .unwrap();
    let server = Server::start(&database, &[]);
    let boards = |role: &str| {
        let reply = server.get("/api/v1/boards").as_role(role).send();
        reply.of_status(200)["boards"].clone()
    };
    let post = |path: &str, body: Value, role: &str| server.post(path, body).as_role(role).send();
    let path = "/api/v1/boards/Mon%2Fday%20%C3%BC";
    for sql in [COUNT, "SELECT count(*) FROM hidden"] {
        let pin = json!({"question": sql, "queries": [sql], "is_asked": false});
        post(path, pin, &ana).of_status(200);
    }
    let pin = json!({"question": "q", "queries": ["SELECT 1 FROM no_such"], "is_asked": false});
    post(path, pin, &ana).problem(400);
    assert_eq!(boards(&ana)[0]["name"], "Mon/day ü");
    assert_eq!(boards(&bob), json!([]));
    let share = |roles: &[&str], role: &str| {
        post(
            &format!("{path}/share"),
            json!({"shared_with": roles}),
            role,
        )
    };
    // Roles with privileges on the tables of an answer, and members of such roles.
    let readers = |role: &str| {
        let reply = server.get(&format!("{path}/readers")).as_role(role).send();
        reply.of_status(200)["roles"].clone()
    };
    assert_eq!(
        readers(&ana)
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["role"] == bob.as_str()),
        Some(&json!({"role": bob, "answers": 1}))
    );
    assert_eq!(readers(&bob), json!([]));
    share(&["no_such_role"], &ana).problem(404);
    share(&[&team], &bob).problem(404);
    share(&[&team], &ana).of_status(200);
    let shared = boards(&bob);
    let answers = shared[0]["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 1, "{shared}");
    assert_eq!(answers[0]["queries"], json!([COUNT]));
    assert_eq!(
        (&shared[0]["owner"], &shared[0]["shared_with"]),
        (&json!(ana), &json!(null))
    );
    let delete = |path: &str, role: &str| server.request("DELETE", path).as_role(role).send();
    let pin = format!("/api/v1/pins/{}", answers[0]["id"]);
    delete(path, &bob).problem(404);
    delete("/api/v1/pins/0", &bob).problem(404);
    // Not to be shown to bob again; ana still has it.
    delete(&pin, &bob).of_status(200);
    assert_eq!(boards(&bob), json!([]));
    assert_eq!(boards(&ana)[0]["answers"].as_array().unwrap().len(), 2);
    delete(&pin, &ana).of_status(200);
    assert_eq!(boards(&bob), json!([]));
    delete(path, &ana).of_status(200);
    assert_eq!(boards(&ana), json!([]));
    delete(path, &ana).problem(404);
}
