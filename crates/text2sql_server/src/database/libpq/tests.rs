//! Connection parameters as libpq reads them.

use std::path::Path;

use super::*;

fn parsed(text: &str) -> String {
    match text::parse(text) {
        Ok(parameters) => shown(&parameters),
        Err(problem) => format!("error: {problem}"),
    }
}

fn shown(parameters: &Parameters) -> String {
    let pairs: Vec<_> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    pairs.join(" | ")
}

fn resolved(text: &str, variables: &[(&str, &str)], files: &[(&str, &str)]) -> String {
    let found = |pairs: &[(&str, &str)], wanted: &str| {
        pairs
            .iter()
            .find(|(name, _)| *name == wanted)
            .map(|(_, value)| (*value).to_owned())
    };
    let variable = |name: &str| found(variables, name);
    let read = |path: &Path| found(files, path.to_str().unwrap());
    let surroundings = Surroundings {
        variable: &variable,
        read: &read,
    };
    let parameters = match resolve(text, surroundings) {
        Ok(parameters) => parameters,
        Err(problem) => return format!("error: {problem}"),
    };
    let user = user(&parameters, surroundings).unwrap_or_default();
    let host = parameters.get("host").map_or("", String::as_str);
    let password = password(&parameters, host, 5432, &user, surroundings);
    format!(
        "{} / {user}:{}",
        shown(&parameters),
        password.unwrap_or_default()
    )
}

#[test]
fn pairs_are_read_as_libpq_reads_them() {
    for (text, expected) in [
        ("", ""),
        ("host=db  dbname = shop", "dbname=shop | host=db"),
        (
            r"dbname='my shop' user='o\'neil'",
            "dbname=my shop | user=o'neil",
        ),
        (r"dbname=my\ shop", "dbname=my shop"),
        ("password=''", "password="),
        (
            "host",
            "error: missing \"=\" after \"host\" in the connection string",
        ),
        (
            "host='db",
            "error: unterminated quoted value in the connection string",
        ),
    ] {
        assert_eq!(parsed(text), expected, "{text}");
    }
}

#[test]
fn addresses_are_read_as_libpq_reads_them() {
    for (text, expected) in [
        ("postgresql://", ""),
        ("postgres://db", "host=db"),
        (
            "postgresql://ana@db:5433/shop",
            "dbname=shop | host=db | port=5433 | user=ana",
        ),
        (
            "postgresql://ana:s%40x@[::1]:5433/my%20shop?sslmode=require&connect_timeout=3",
            "connect_timeout=3 | dbname=my shop | host=::1 | password=s@x | port=5433 | sslmode=require | user=ana",
        ),
        ("postgresql://a,b:5433/", "host=a,b | port=,5433"),
        ("postgresql://%2Ftmp/shop", "dbname=shop | host=/tmp"),
        ("postgresql:///shop?host=/tmp", "dbname=shop | host=/tmp"),
        (
            "postgresql://a%2/",
            "error: wrong percent encoding in \"a%2\" of the connection string",
        ),
        (
            "postgresql://a%00/",
            "error: wrong percent encoding in \"a%00\" of the connection string",
        ),
    ] {
        assert_eq!(parsed(text), expected, "{text}");
    }
}

#[test]
fn the_string_is_stronger_than_the_service_and_that_than_the_environment() {
    let variables = [
        ("PGHOST", "of-environment"),
        ("PGPORT", "1"),
        ("PGDATABASE", "of-environment"),
        ("PGUSER", "of-environment"),
        ("PGSERVICE", "shop"),
        ("HOME", "/people/ana"),
    ];
    let service = "[other]\nhost=wrong\n[shop]\n# a comment\nhost=of-service\ndbname=of-service\n[last]\nport=9";
    let files = [("/people/ana/.pg_service.conf", service)];
    assert_eq!(
        resolved("dbname=of-string", &variables, &files),
        "dbname=of-string | host=of-service | port=1 | service=shop | user=of-environment / of-environment:"
    );
    assert_eq!(
        resolved("service=none", &variables, &files),
        "error: definition of service \"none\" not found"
    );
}

#[test]
fn the_user_of_the_operating_system_is_the_last_choice() {
    assert_eq!(resolved("", &[("USER", "ana")], &[]), " / ana:");
    assert_eq!(
        resolved("user=bob", &[("USER", "ana")], &[]),
        "user=bob / bob:"
    );
}

#[test]
fn a_password_comes_from_the_file_of_passwords() {
    let lines = "# localhost:*:*:ana:comment\ndb:5433:*:ana:port\ndb:*:shop:ana:a\\:b\\\\c\n*:*:*:*:any:more";
    let files = [("/people/ana/.pgpass", lines)];
    let variables = [("HOME", "/people/ana"), ("USER", "ana")];
    let of = |text: &str| {
        let resolved = resolved(text, &variables, &files);
        resolved.rsplit_once(" / ").unwrap().1.to_owned()
    };
    assert_eq!(of("host=db dbname=shop"), "ana:a:b\\c");
    assert_eq!(of("host=db dbname=other"), "ana:any:more");
    assert_eq!(of("host=db password=own"), "ana:own");
    assert_eq!(of("passfile=/none"), "ana:");
}

#[test]
fn a_parameter_that_would_not_be_obeyed_is_an_error() {
    assert!(
        resolved("sslcrl=x", &[], &[])
            .starts_with("error: unknown connection parameter \"sslcrl\"; there are host,")
    );
    assert!(resolved("gssencmode=disable", &[], &[]).starts_with("gssencmode"));
}
