//! Tests of the configuration.

use super::file;
use super::keys::KEYS;
use super::sources::Settings;
use super::{Config, command_line};

fn settings(
    flags: &[(&str, &str)],
    variables: &[(&str, &str)],
    text: &str,
) -> Result<Settings, String> {
    let look_up = |pairs: &[(&str, &str)], name: &str| {
        pairs
            .iter()
            .find(|(other, _)| *other == name)
            .map(|(_, value)| (*value).to_owned())
    };
    Settings::collect(
        |name| look_up(flags, name),
        |name| look_up(variables, name),
        &file::read(text)?,
    )
}

fn config(flags: &[(&str, &str)]) -> Result<Config, String> {
    let settings = settings(flags, &[], "")?;
    Config::of(&settings).map_err(|error| error.to_string())
}

#[test]
fn the_command_line_is_consistent() {
    command_line::command().debug_assert();
}

#[test]
fn a_flag_is_stronger_than_the_environment_and_that_than_the_file() {
    let text = "listen = \"127.0.0.1:1\"\n[limits]\nconnections = 1\nstreams = 1\n";
    let variables = [
        ("TEXT2SQL_LISTEN", "127.0.0.1:2"),
        ("TEXT2SQL_LIMITS_CONNECTIONS", "2"),
    ];
    let settings = settings(&[("listen", "127.0.0.1:3")], &variables, text).unwrap();
    assert_eq!(settings.text("listen"), "127.0.0.1:3");
    assert_eq!(settings.number("limits.connections"), 2);
    assert_eq!(settings.number("limits.streams"), 1);
    assert_eq!(settings.number("limits.role_waiting"), 4);
    let shown = settings.to_string();
    for (line, source) in [
        ("listen = \"127.0.0.1:3\"", "--listen"),
        ("connections = 2", "TEXT2SQL_LIMITS_CONNECTIONS"),
        ("streams = 1", "line 4 of the file"),
        ("role_waiting = 4", "default"),
    ] {
        let shown = shown
            .lines()
            .find(|shown| shown.starts_with(line))
            .unwrap_or_default();
        assert!(shown.ends_with(&format!("# {source}")), "{line}: {shown}");
    }
}

#[test]
fn what_is_shown_is_a_file_that_says_the_same() {
    let text = "hosts = [\"a.example\", \"b.example:81\"]\n[jwt]\nrole_map = { \"ana@example.com\" = \"analyst\" }";
    let first = settings(&[], &[], text).unwrap().to_string();
    let again = settings(&[], &[], &first).unwrap();
    assert_eq!(again.list("hosts"), ["a.example", "b.example:81"]);
    assert_eq!(
        again.pairs("jwt.role_map"),
        [("ana@example.com".to_owned(), "analyst".to_owned())]
    );
}

#[test]
fn an_unknown_key_is_an_error_with_its_line() {
    let refused = |text: &str| file::read(text).unwrap_err();
    assert_eq!(
        refused("\nlisten = \"127.0.0.1:1\"\nport = 3\n"),
        "line 3: unknown key \"port\"; text2sql-server serve --help lists the keys"
    );
    assert_eq!(
        refused("[limit]\nconnections = 3\n"),
        "line 1: unknown key \"limit\"; text2sql-server serve --help lists the keys"
    );
    assert_eq!(
        refused("connections = 3\n"),
        "line 1: unknown key \"connections\"; there is \"limits.connections\""
    );
    assert_eq!(
        refused("[jwt]\npassword = \"x\"\n"),
        "line 2: unknown key \"jwt.password\": a secret is named by its file, such as jwt.password_file"
    );
    assert_eq!(
        refused("[limits]\n\nconnections = \"3\"\n"),
        "line 3: limits.connections must be a whole number, without quotes"
    );
    assert_eq!(
        refused("[limits]\nconnections = 0\n"),
        "line 2: limits.connections must be between 1 and 10000, not 0"
    );
    assert!(refused("a = \nb = 1\n").starts_with("line 1: "));
}

#[test]
fn a_wrong_value_names_where_it_stands() {
    assert_eq!(
        settings(&[("page", "maybe")], &[], "").unwrap_err(),
        "--page: page must be true or false, not \"maybe\""
    );
    assert_eq!(
        settings(&[], &[("TEXT2SQL_LOG_LEVEL", "loud")], "").unwrap_err(),
        "TEXT2SQL_LOG_LEVEL: log.level must be one of error, warn, info, debug, not \"loud\""
    );
}

#[test]
fn a_public_address_needs_https_or_the_name_of_the_danger() {
    let public = ("listen", "0.0.0.0:8432");
    assert!(config(&[]).is_ok());
    assert!(config(&[("listen", "[::1]:8432")]).is_ok());
    assert_eq!(
        config(&[public]).unwrap_err(),
        "listen = \"0.0.0.0:8432\" is a public address, and passwords would be sent over it in clear text"
    );
    assert!(config(&[public, ("public_url", "http://ask.example.com")]).is_err());
    assert!(config(&[public, ("public_url", "https://ask.example.com")]).is_ok());
    assert!(config(&[public, ("passwords_in_clear_text", "true")]).is_ok());
}

#[test]
fn a_public_url_is_what_a_browser_sends() {
    let url = |text: &str| config(&[("public_url", text)]).map(|config| config.public_url.unwrap());
    assert_eq!(
        url("https://Ask.Example.com/").unwrap().origin(),
        "https://ask.example.com"
    );
    assert_eq!(
        url("https://ask.example.com:443").unwrap().host,
        "ask.example.com"
    );
    assert_eq!(
        url("http://ask.example.com:8080").unwrap().host,
        "ask.example.com:8080"
    );
    for wrong in [
        "ask.example.com",
        "ftp://ask.example.com",
        "https://a@b",
        "https://a.example/path",
    ] {
        assert!(url(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_connection_string_has_no_password() {
    let refused = "database must not contain a password";
    for text in [
        "host=db password=x",
        "postgresql://ana:x@db/shop",
        "host=db sslmode=verify-full password=x",
    ] {
        assert_eq!(
            config(&[("database", text)]).unwrap_err(),
            refused,
            "{text}"
        );
    }
    for text in ["host=db dbname=shop", "host=db sslmode=verify-full", ""] {
        assert!(config(&[("database", text)]).is_ok(), "{text}");
    }
}

#[test]
fn tokens_are_configured_as_a_whole() {
    let mut flags = vec![("jwt.issuer", "https://idp.example.com")];
    for (name, value, problem) in [
        ("jwt.roles", "analyst", "jwt.roles is not"),
        (
            "jwt.jwks_file",
            "keys.json",
            "either jwt.jwks_file or jwt.secret_file",
        ),
        ("jwt.login_role", "door", "jwt.login_role is not"),
        ("jwt.audience", "text2sql", "jwt.audience is not"),
    ] {
        let refused = config(&flags).unwrap_err();
        assert!(
            refused.starts_with("jwt.issuer is set") && refused.ends_with(problem),
            "{refused}"
        );
        flags.push((name, value));
    }
    assert!(config(&flags).unwrap().jwt.is_some());
    flags.push(("jwt.algorithms", "HS256,RS256"));
    assert!(
        config(&flags)
            .unwrap_err()
            .starts_with("jwt.algorithms must be")
    );
    *flags.last_mut().unwrap() = ("jwt.algorithms", "none");
    assert!(config(&flags).unwrap_err().contains("\"none\""));
    assert!(config(&[("password_login", "false")]).is_err());
}

#[test]
fn every_key_has_a_default_of_its_kind_and_a_name_of_its_own() {
    let shown = settings(&[], &[], "").unwrap().to_string();
    assert_eq!(
        shown
            .lines()
            .filter(|line| line.ends_with("# default"))
            .count(),
        KEYS.len()
    );
    let mut variables: Vec<_> = KEYS.iter().map(|key| key.variable()).collect();
    variables.sort();
    variables.dedup();
    assert_eq!(variables.len(), KEYS.len());
}
