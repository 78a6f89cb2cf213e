//! Tokens at text2sql-server: which are accepted, which roles they stand for, and what a role brings along.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use model_double::{ModelDouble, Script};
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PublicKeyData};
use serde_json::{Value, json};
use text2sql_server_tests::ANALYST;
use text2sql_server_tests::crashes::LogFromNow;
use text2sql_server_tests::web::{
    AUDIENCE, ISSUER, Issuer, PASSWORD, Response, Server, grant, now,
};

const WHO: &str = "SELECT current_user AS who, session_user AS login";

fn who(server: &Server, token: &str) -> Response {
    server
        .post("/api/v1/run", json!({"sql": WHO}))
        .token(token)
        .send()
}

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

#[test]
fn a_token_stands_for_the_role_that_it_names_and_no_other() {
    let issued = Issuer::new("web_tokens");
    let Issuer {
        database,
        ana,
        bob,
        door,
        key,
        ..
    } = &issued;
    let mut admin = database.superuser();
    let boss = database.create_role("boss", "SUPERUSER");
    let ungranted = database.create_role("ungranted", "NOLOGIN");
    let unlisted = database.create_role("unlisted", "NOLOGIN");
    let maker = database.create_role("maker", "CREATEROLE");
    let reader = database.create_role("reader", "NOLOGIN");
    let above = database.create_role("above", "NOLOGIN");
    admin
        .batch_execute(&format!(
            "GRANT pg_read_server_files TO {reader}; GRANT {boss} TO {above}"
        ))
        .unwrap();
    for role in [&boss, &unlisted, &maker, &reader, &above] {
        grant(&mut admin, role, door);
    }
    let listed = [
        ana,
        bob,
        &boss,
        &ungranted,
        &maker,
        &reader,
        &above,
        "nobody_at_all",
    ];
    let server = issued.start(&listed.join(","), &[]);
    for role in [ana, bob] {
        let row = who(&server, &issued.token(role)).of_status(200);
        assert_eq!(row["result_rows"], json!([{"who": role, "login": door}]));
    }
    // From here on nothing may run for anybody.
    admin
        .batch_execute("ALTER DATABASE t2s_web_tokens SET log_statement = 'all'")
        .unwrap();
    let log = LogFromNow::begin();
    let refused = |what: &str, token: &str, status: u16| {
        let response = who(&server, token);
        assert_eq!(response.status, status, "{what}: {}", response.body);
        let title = response.problem(status);
        let expected = if status == 401 {
            "not logged in"
        } else {
            "this token gives no access to the database"
        };
        assert_eq!(title, expected, "{what}");
        assert_eq!(response.json()["hint"], Value::Null, "{what}");
        let stream = server
            .post("/api/v1/ask", json!({"question": "How many customers?"}))
            .header("Accept", "text/event-stream")
            .token(token)
            .send();
        if status == 401 {
            assert_eq!(stream.status, 401, "{what}");
        } else if stream.status == 200 {
            assert!(
                stream.body.contains("event: error") && !stream.body.contains("event: answer"),
                "{what}: {}",
                stream.body
            );
        }
    };
    // Right tokens for roles that no token may stand for: all get the same words.
    for role in [
        boss.as_str(),
        &ungranted,
        &unlisted,
        &maker,
        &reader,
        &above,
        "nobody_at_all",
        door,
        "none",
        "",
        "postgres",
        "pg_read_all_data",
        "public",
        ANALYST,
    ] {
        refused(role, &issued.token(role), 403);
    }
    let (upper, quoted, padded) = (ana.to_uppercase(), format!("\"{ana}\""), format!("{ana} "));
    for role in [&upper, &quoted, &padded] {
        refused(role, &issued.token(role), 403);
    }
    for role in [
        json!([ana, bob]),
        json!([ana]),
        json!({"name": ana}),
        json!(null),
        json!(true),
        json!(7),
    ] {
        refused(
            &role.to_string(),
            &issued.signed(&issued.header(), &issued.claims(&role)),
            403,
        );
    }
    let mut claims = issued.claims(ana);
    claims.as_object_mut().unwrap().remove("role");
    claims["roles"] = json!([ana]);
    refused("no role", &issued.signed(&issued.header(), &claims), 403);

    // Wrong claims under a right signature.
    let changed = |name: &str, value: Value| {
        let mut claims = issued.claims(ana);
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value,
        }
        issued.signed(&issued.header(), &claims)
    };
    for (name, value) in [
        ("exp", json!(now() - 60)),
        ("exp", Value::Null),
        ("exp", json!("tomorrow")),
        ("exp", json!(-1)),
        ("nbf", json!(now() + 600)),
        ("aud", Value::Null),
        ("aud", json!("another")),
        ("aud", json!([])),
        ("aud", json!(["another"])),
        ("iss", Value::Null),
        ("iss", json!("https://evil.example.com")),
        ("iss", json!([ISSUER, "https://evil.example.com"])),
        ("iss", json!("")),
    ] {
        refused(
            &format!("{name} {value}"),
            &changed(name, value.clone()),
            401,
        );
    }

    // Wrong signatures and algorithms. A public key must be no secret that signs.
    let good = issued.token(ana);
    let (body, signature) = good.rsplit_once('.').unwrap();
    let (head, payload) = body.split_once('.').unwrap();
    for algorithm in ["none", "None", "NONE", "nOnE", ""] {
        let header = part(&json!({"alg": algorithm, "typ": "JWT", "kid": "of-today"}));
        for signature in ["", signature] {
            refused(algorithm, &format!("{header}.{payload}.{signature}"), 401);
        }
    }
    let public = key.public_key_raw().to_vec();
    let keys = std::fs::read(issued.folder.join("keys.json")).unwrap();
    for secret in [
        key.public_key_pem().into_bytes(),
        key.public_key_pem().trim().as_bytes().to_vec(),
        key.subject_public_key_info(),
        public,
        keys,
        Vec::new(),
    ] {
        for algorithm in [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512] {
            let header = Header {
                alg: algorithm,
                ..issued.header()
            };
            let token = encode(
                &header,
                &issued.claims(ana),
                &EncodingKey::from_secret(&secret),
            )
            .unwrap();
            refused("signed with the public key", &token, 401);
        }
    }
    let another = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
    let foreign = EncodingKey::from_ec_pem(another.serialize_pem().as_bytes()).unwrap();
    refused(
        "another key",
        &encode(&issued.header(), &issued.claims(ana), &foreign).unwrap(),
        401,
    );
    let point = another.public_key_raw();
    let own_key = json!({"kty": "EC", "crv": "P-256", "x": URL_SAFE_NO_PAD.encode(&point[1..33]), "y": URL_SAFE_NO_PAD.encode(&point[33..65])});
    for more in [
        json!({"jwk": own_key}),
        json!({"jku": "http://127.0.0.1/keys.json"}),
        json!({"x5u": "http://127.0.0.1/"}),
    ] {
        let mut header = serde_json::to_value(issued.header()).unwrap();
        header
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let text = format!("{}.{payload}", part(&header));
        let signature =
            jsonwebtoken::crypto::sign(text.as_bytes(), &foreign, Algorithm::ES256).unwrap();
        refused(&more.to_string(), &format!("{text}.{signature}"), 401);
    }
    for kid in ["of-yesterday", "", "../../keys.json", "' OR 1=1 --"] {
        let mut header = issued.header();
        header.kid = Some(kid.to_owned());
        refused(kid, &issued.signed(&header, &issued.claims(ana)), 401);
    }
    let mut header = serde_json::to_value(issued.header()).unwrap();
    header["crit"] = json!(["exp"]);
    let text = format!("{}.{payload}", part(&header));
    let own = EncodingKey::from_ec_pem(key.serialize_pem().as_bytes()).unwrap();
    let signature = jsonwebtoken::crypto::sign(text.as_bytes(), &own, Algorithm::ES256).unwrap();
    refused("crit", &format!("{text}.{signature}"), 401);
    for token in [
        "",
        ".",
        "..",
        "a.b.c",
        head,
        body,
        &format!("{good}."),
        &format!("{good}.{signature}"),
        &format!("{head}..{signature}"),
        &"A".repeat(9_000),
        &format!("{good}{}", "A".repeat(9_000)),
    ] {
        refused(token, token, 401);
    }

    // A thousand more: a right token with a change at a place.
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=";
    let mut random = fastrand::Rng::with_seed(4711);
    for number in 0..1_000 {
        let mut bytes = good.clone().into_bytes();
        let place = random.usize(..bytes.len() - 1);
        match number % 3 {
            0 => {
                bytes[place] = random
                    .choice(alphabet)
                    .copied()
                    .filter(|new| *new != bytes[place])
                    .unwrap_or(b'!')
            }
            1 => drop(bytes.remove(place)),
            _ => bytes.insert(place, random.choice(alphabet).copied().unwrap_or(b'A')),
        }
        let token = String::from_utf8(bytes).unwrap();
        let response = server.get("/api/v1/session").token(&token).send();
        assert_eq!(response.status, 401, "{token}: {}", response.body);
    }
    issued
        .database
        .superuser()
        .batch_execute("SELECT 'that this is logged'")
        .unwrap();
    let ran = log.of_database("t2s_web_tokens");
    assert!(ran.contains("that this is logged"), "{ran}");
    admin
        .batch_execute("ALTER DATABASE t2s_web_tokens RESET log_statement")
        .unwrap();
    for sign in ["run_json", "text2sql.ask(", "who_am_i", "extversion"] {
        assert!(
            !ran.contains(sign),
            "{sign} ran for a token that was refused"
        );
    }
    let said = server.log();
    assert!(
        !said.contains(payload) && !said.contains(&signature),
        "a token is in the log"
    );
    // The server is as it was.
    assert_eq!(
        who(&server, &good).of_status(200)["result_rows"][0]["who"],
        ana.as_str()
    );
}

#[test]
fn a_role_is_taken_on_with_its_settings_and_nothing_is_left_of_it() {
    let double = ModelDouble::start(Script::new()).unwrap();
    let issued = Issuer::new("web_taken");
    issued
        .database
        .add_model("slow", "openai", &double.base_url("delay-60000"), "");
    let Issuer {
        database,
        ana,
        bob,
        door,
        ..
    } = &issued;
    let name = database.name();
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "CREATE TABLE notes (owner text, note text);
             INSERT INTO notes VALUES ('{ana}', 'of ana'), ('{bob}', 'of bob');
             ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
             CREATE POLICY own ON notes USING (owner = current_user);
             GRANT SELECT ON notes TO {ana}, {bob};
             -- The other test of the log reads the same one.
             ALTER DATABASE {name} SET log_min_error_statement = 'panic';
             ALTER ROLE {ana} SET statement_timeout = '2s';
             ALTER ROLE {ana} IN DATABASE {name} SET TimeZone = 'Asia/Tokyo';
             ALTER ROLE {ana} SET TimeZone = 'Europe/Paris';
             ALTER ROLE {ana} SET text2sql.max_result_rows = 3"
        ))
        .unwrap();
    let server = issued.start(
        &format!("{ana},{bob}"),
        &["--limits-connections", "2", "--password-login", "false"],
    );
    let run = |role: &str, sql: &str| {
        server
            .post("/api/v1/run", json!({"sql": sql}))
            .token(&issued.token(role))
            .send()
    };
    let zone = "SELECT timestamptz '2025-01-01 00:00+00' AS at";
    let row = run(ana, zone).of_status(200);
    assert_eq!(
        row["result_rows"],
        json!([{"at": "2025-01-01 09:00:00+09"}])
    );
    let cut = run(ana, "SELECT g FROM generate_series(1, 9) AS g").of_status(200);
    assert_eq!(
        (&cut["row_count"], &cut["truncated"]),
        (&json!(3), &json!(true))
    );
    let usual = run(bob, zone).of_status(200);
    assert_ne!(usual["result_rows"], row["result_rows"]);
    assert_eq!(
        run(bob, "SELECT g FROM generate_series(1, 9) AS g").of_status(200)["row_count"],
        9
    );

    // Two roles take turns on the same connections.
    std::thread::scope(|scope| {
        for (role, note) in [(ana, "of ana"), (bob, "of bob")] {
            let run = &run;
            scope.spawn(move || {
                for _ in 0..100 {
                    let rows =
                        run(role, "SELECT note, current_user AS who FROM notes").of_status(200);
                    assert_eq!(rows["result_rows"], json!([{"note": note, "who": role}]));
                }
            });
        }
    });
    let connections = "SELECT count(*) FROM pg_stat_activity WHERE usename = $1";
    let open: i64 = admin.query_one(connections, &[door]).unwrap().get(0);
    assert!((1..=2).contains(&open), "{open}");

    // History and conversations belong to the role that was taken on.
    let ask = |role: &str| {
        server
            .post(
                "/api/v1/ask",
                json!({"question": "How many customers are there?", "conversation": "same", "options": {"model": "builtin"}}),
            )
            .token(&issued.token(role))
            .send()
            .of_status(200)
    };
    let slow = json!({"question": "How many?", "options": {"model": "slow"}});
    let timed_out = server
        .post("/api/v1/ask", slow)
        .token(&issued.token(ana))
        .send();
    assert_eq!(timed_out.of_status(504)["sqlstate"], "57014");
    let trace_id = ask(ana)["trace_id"].clone();
    let history = |role: &str| {
        server
            .get("/api/v1/history")
            .token(&issued.token(role))
            .send()
            .of_status(200)
    };
    assert_eq!(history(ana)["questions"][0]["trace_id"], trace_id);
    assert_eq!(history(bob)["questions"], json!([]));
    let turns = |role: &str| {
        server
            .get("/api/v1/conversations/same")
            .token(&issued.token(role))
            .send()
    };
    turns(ana).of_status(200);
    turns(bob).problem(404);

    // Passwords are not accepted here.
    let login = server
        .post(
            "/api/v1/session",
            json!({"user": ana, "password": PASSWORD}),
        )
        .send();
    assert_eq!(
        login.problem(403),
        "this server accepts tokens, no passwords"
    );
    server
        .get("/api/v1/session")
        .as_role(ana)
        .send()
        .problem(403);
}

#[test]
fn a_role_whose_settings_cannot_be_applied_is_refused() {
    let issued = Issuer::new("web_settings");
    let Issuer {
        database,
        ana,
        bob,
        door,
        ..
    } = &issued;
    let mut admin = database.superuser();
    admin.batch_execute(&format!("CREATE SCHEMA secret; CREATE TABLE secret.figures (n int); GRANT USAGE ON SCHEMA secret TO {ana};
        GRANT SELECT ON secret.figures TO {ana}; ALTER ROLE {ana} SET text2sql.allowed_schemas = 'public'")).unwrap();
    let server = issued.start(&format!("{ana},{bob}"), &[]);
    let run = |sql: &str| {
        server
            .post("/api/v1/run", json!({"sql": sql}))
            .token(&issued.token(ana))
            .send()
    };
    let refused = run("SELECT count(*) FROM customers");
    let title = refused.problem(503);
    assert!(title.contains("text2sql.allowed_schemas"), "{title}");
    assert_eq!(
        refused.json()["hint"],
        "GRANT SET ON PARAMETER text2sql.allowed_schemas TO …, the role of jwt.login_role."
    );
    who(&server, &issued.token(bob)).of_status(200);
    // What the hint says helps, and the setting holds.
    admin
        .batch_execute(&format!(
            "GRANT SET ON PARAMETER text2sql.allowed_schemas TO {door}"
        ))
        .unwrap();
    run("SELECT count(*) FROM customers").of_status(200);
    assert_eq!(
        run("SELECT count(*) FROM secret.figures").problem(422),
        "relation \"secret.figures\" is not available"
    );
    admin
        .batch_execute(&format!(
            "REVOKE SET ON PARAMETER text2sql.allowed_schemas FROM {door}"
        ))
        .unwrap();

    // A login that does not load the library knows no such setting: it would set what nobody obeys.
    admin
        .batch_execute(&format!(
            "ALTER ROLE {door} RESET session_preload_libraries"
        ))
        .unwrap();
    let unloaded = issued.start(&format!("{ana},{bob}"), &[]);
    let refused = unloaded
        .post("/api/v1/run", json!({"sql": WHO}))
        .token(&issued.token(ana))
        .send();
    refused.problem(503);
    assert!(
        refused.json()["hint"]
            .as_str()
            .unwrap()
            .contains("session_preload_libraries"),
        "{}",
        refused.body
    );
    assert!(
        unloaded.log().contains("session_preload_libraries"),
        "{}",
        unloaded.log()
    );
    // A role of its own kind: a setting that names another role.
    admin
        .batch_execute(&format!("ALTER ROLE {bob} SET role = '{ana}'"))
        .unwrap();
    let refused = unloaded
        .post("/api/v1/run", json!({"sql": WHO}))
        .token(&issued.token(bob))
        .send();
    refused.problem(503);
}

#[test]
fn a_login_role_with_rights_of_its_own_is_refused() {
    let issued = Issuer::new("web_login_role");
    let Issuer {
        database,
        ana,
        door,
        ..
    } = &issued;
    let mut admin = database.superuser();
    let file = |name: &str| issued.folder.join(name).to_str().unwrap().to_owned();
    let (password, keys) = (file("password"), file("keys.json"));
    let port = std::env::var("PGPORT").unwrap();
    let target = format!("host=127.0.0.1 port={port} dbname={}", database.name());
    let start = |roles: &str, login: &str| {
        Server::try_start(&[
            "--listen",
            "127.0.0.1:0",
            "--database",
            &target,
            "--jwt-issuer",
            ISSUER,
            "--jwt-audience",
            AUDIENCE,
            "--jwt-jwks-file",
            &keys,
            "--jwt-login-role",
            login,
            "--jwt-password-file",
            &password,
            "--jwt-roles",
            roles,
        ])
        .err()
    };
    for (right, taken, word) in [
        ("SUPERUSER", "NOSUPERUSER", "is a superuser"),
        ("BYPASSRLS", "NOBYPASSRLS", "bypasses row-level security"),
        ("CREATEROLE", "NOCREATEROLE", "may create roles"),
        ("INHERIT", "NOINHERIT", "inherits the rights"),
    ] {
        admin
            .batch_execute(&format!("ALTER ROLE {door} {right}"))
            .unwrap();
        let said = start(ana, door).expect("a refusal");
        assert!(
            said.contains(word) && said.contains(&format!("ALTER ROLE \"{door}\" {taken};")),
            "{said}"
        );
        admin
            .batch_execute(&format!("ALTER ROLE {door} {taken}"))
            .unwrap();
    }
    for (roles, word) in [
        ("none", "must not have \"none\""),
        (door.as_str(), "jwt.roles must not have"),
    ] {
        let said = start(roles, door).expect("a refusal");
        assert!(said.contains(word), "{said}");
    }
    assert_eq!(start(ana, door), None);
}
