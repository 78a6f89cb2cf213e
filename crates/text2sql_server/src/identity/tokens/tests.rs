//! Which tokens stand for which role.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use serde_json::json;

use super::*;

const SECRET: &str = "a secret of thirty-two bytes, or more";

fn settings() -> Jwt {
    // Tests run side by side: a file that is written again is empty for a moment.
    static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
        let name = format!("text2sql_tokens_{}", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, format!("{SECRET}\n")).unwrap();
        file
    });
    Jwt {
        login_role: "door".to_owned(),
        password_file: None,
        issuer: "https://idp.example.com".to_owned(),
        audience: "text2sql".to_owned(),
        algorithms: vec![Algorithm::HS256],
        jwks_file: None,
        secret_file: Some(FILE.clone()),
        role_claim: "role".to_owned(),
        role_map: HashMap::new(),
        roles: vec!["ana".to_owned(), "bob".to_owned()],
    }
}

fn seconds(ahead: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap() + ahead
}

fn claims() -> Value {
    json!({"iss": "https://idp.example.com", "aud": "text2sql", "exp": seconds(60), "role": "ana"})
}

fn signed(claims: &Value) -> String {
    signed_with(
        SECRET,
        hmac::HMAC_SHA256,
        &json!({"alg": "HS256", "typ": "JWT"}),
        claims,
    )
}

fn signed_with(secret: &str, hash: hmac::Algorithm, header: &Value, claims: &Value) -> String {
    let [header, claims] = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
    let message = format!("{header}.{claims}");
    let signature = hmac::sign(&hmac::Key::new(hash, secret.as_bytes()), message.as_bytes());
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// The role that the token stands for, or `invalid`, or `no role`.
fn verified(settings: Jwt, token: &str) -> String {
    match Tokens::new(settings).unwrap().verify(token) {
        Ok(identity) => identity.role().to_owned(),
        Err(TokenFault::Invalid(_)) => "invalid".to_owned(),
        Err(TokenFault::NoRole(_)) => "no role".to_owned(),
    }
}

fn with(name: &str, value: Value) -> String {
    let mut claims = claims();
    claims[name] = value;
    verified(settings(), &signed(&claims))
}

fn without(name: &str) -> String {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(name);
    verified(settings(), &signed(&claims))
}

#[test]
fn a_right_token_stands_for_its_role() {
    assert_eq!(verified(settings(), &signed(&claims())), "ana");
    assert_eq!(with("aud", json!(["other", "text2sql"])), "ana");
    assert_eq!(with("exp", json!(seconds(-20))), "ana");
    assert_eq!(with("nbf", json!(seconds(20))), "ana");
}

#[test]
fn issuer_audience_and_end_are_required_and_must_be_right() {
    for claim in ["iss", "aud", "exp"] {
        assert_eq!(without(claim), "invalid", "{claim}");
        for wrong in [
            json!(null),
            json!("other"),
            json!(""),
            json!([]),
            json!({}),
            json!(true),
        ] {
            assert_eq!(with(claim, wrong.clone()), "invalid", "{claim} {wrong}");
        }
    }
    assert_eq!(with("iss", json!(["https://idp.example.com"])), "invalid");
    assert_eq!(with("exp", json!(seconds(-40))), "invalid");
    assert_eq!(with("nbf", json!(seconds(40))), "invalid");
}

#[test]
fn only_roles_of_the_configuration_are_stood_for() {
    assert_eq!(without("role"), "no role");
    for role in [
        json!("none"),
        json!(""),
        json!("door"),
        json!("postgres"),
        json!("ANA"),
        json!(" ana"),
        json!("ana\u{0}"),
        json!(["ana"]),
        json!(["ana", "bob"]),
        json!({"ana": true}),
        json!(1),
        json!(null),
    ] {
        assert_eq!(with("role", role.clone()), "no role", "{role}");
    }
}

#[test]
fn a_claim_inside_another_may_name_the_role_and_a_map_may_translate_it() {
    let mut settings = settings();
    settings.role_claim = "app.who".to_owned();
    settings.role_map = HashMap::from([("ana@example.com".to_owned(), "ana".to_owned())]);
    let mut claims = claims();
    for (who, expected) in [
        ("ana@example.com", "ana"),
        ("ana", "no role"),
        ("x", "no role"),
    ] {
        claims["app"] = json!({"who": who});
        assert_eq!(verified(settings.clone(), &signed(&claims)), expected);
    }
    claims["app"] = json!("ana@example.com");
    assert_eq!(verified(settings, &signed(&claims)), "no role");
}

#[test]
fn what_is_signed_otherwise_is_refused() {
    let right = signed(&claims());
    let parts: Vec<&str> = right.split('.').collect();
    let [_, body, signature] = parts.as_slice() else {
        panic!("a token has three parts");
    };
    let header = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let short = hmac::HMAC_SHA256;
    let usual = json!({"alg": "HS256", "typ": "JWT"});
    let another = "another secret of thirty-two bytes";
    let foreign = signed_with(another, short, &usual, &claims());
    let longer = signed_with(
        SECRET,
        hmac::HMAC_SHA512,
        &json!({"alg": "HS512"}),
        &claims(),
    );
    let demanding = json!({"alg": "HS256", "crit": ["exp"]});
    let demanding = signed_with(SECRET, short, &demanding, &claims());
    for token in [
        foreign,
        longer,
        demanding,
        format!("{}.{body}.", header(r#"{"alg":"none"}"#)),
        format!("{}.{body}.{signature}", header(r#"{"alg":"none"}"#)),
        format!(
            "{}.{body}.{signature}",
            header(r#"{"alg":"HS256","typ":"JWT","x":1}"#)
        ),
        format!("{}.{body}.{signature}", header(r#"{"typ":"JWT"}"#)),
        format!("{body}.{signature}"),
        right.replace(signature, ""),
        format!("{right}x"),
        format!("{right}.{right}"),
        String::new(),
        "..".to_owned(),
        "a".repeat(20_000),
    ] {
        assert_eq!(verified(settings(), &token), "invalid", "{token}");
    }
}

#[test]
fn a_configuration_that_cannot_be_safe_is_refused() {
    let refused = |change: &dyn Fn(&mut Jwt)| {
        let mut settings = settings();
        change(&mut settings);
        Tokens::new(settings).err().unwrap()
    };
    for role in ["none", "", "door"] {
        let problem = refused(&|settings| settings.roles.push(role.to_owned()));
        assert_eq!(problem, format!("jwt.roles must not have \"{role}\""));
    }
    let short = std::env::temp_dir().join(format!("text2sql_short_{}", std::process::id()));
    std::fs::write(&short, "short").unwrap();
    let problem = refused(&|settings| settings.secret_file = Some(short.clone()));
    assert!(problem.ends_with("the secret has 5 bytes, and needs 32 or more"));
    let set = r#"{"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}"#;
    std::fs::write(&short, set).unwrap();
    let problem = refused(&|settings| {
        settings.secret_file = None;
        settings.jwks_file = Some(short.clone());
    });
    assert!(problem.contains("it has a secret"), "{problem}");
    std::fs::remove_file(short).unwrap();
}
