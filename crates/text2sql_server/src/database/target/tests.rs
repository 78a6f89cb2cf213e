//! Which servers a connection string names, and how they are verified.

use std::path::Path;

use tokio_postgres::config::SslMode;

use super::*;

const CERTIFICATE: &str = include_str!("test_certificate.pem");

fn target(text: &str, files: &[&str]) -> Result<Target, String> {
    let variable = |name: &str| (name == "HOME").then(|| "/people/ana".to_owned());
    let read = |path: &Path| {
        files
            .contains(&path.to_str().unwrap())
            .then(|| CERTIFICATE.to_owned())
    };
    Target::new(
        text,
        Surroundings {
            variable: &variable,
            read: &read,
        },
    )
}

fn mode(text: &str, files: &[&str]) -> Result<SslMode, String> {
    Ok(target(text, files)?.hosts.first().unwrap().ssl_mode)
}

#[test]
fn what_travels_over_a_network_is_encrypted_unless_somebody_says_otherwise() {
    let roots = "sslrootcert=/ca";
    for (text, expected) in [
        ("host=db", SslMode::Require),
        ("host=192.0.2.1", SslMode::Require),
        ("host=localhost", SslMode::Prefer),
        ("host=127.0.0.1", SslMode::Prefer),
        ("host=::1", SslMode::Prefer),
        ("hostaddr=127.0.0.1", SslMode::Prefer),
        ("host=/tmp", SslMode::Disable),
        ("host=/tmp sslmode=verify-full", SslMode::Disable),
        ("", SslMode::Disable),
        ("host=db sslmode=disable", SslMode::Disable),
        ("host=db sslmode=prefer", SslMode::Prefer),
        ("host=localhost sslmode=verify-ca", SslMode::Require),
    ] {
        assert_eq!(
            mode(&format!("{text} {roots}"), &["/ca"]),
            Ok(expected),
            "{text}"
        );
    }
    // A name that looks like the machine itself, and is not.
    assert_eq!(
        mode("host=localhost.example.com sslrootcert=/ca", &["/ca"]),
        Ok(SslMode::Require)
    );
}

#[test]
fn wrong_parameters_are_named() {
    for (text, problem) in [
        ("host=db sslmode=maybe", "invalid sslmode value: \"maybe\""),
        (
            "host=db sslrootcert=/none",
            "sslrootcert: cannot read /none",
        ),
        (
            "host=a,b port=1,2,3",
            "could not match 3 port numbers to 2 hosts",
        ),
        (
            "host=a,b hostaddr=127.0.0.1",
            "could not match 2 host names to 1 hostaddr values",
        ),
        ("host=localhost port=x", "invalid port number: \"x\""),
        (
            "host=localhost sslcert=/ca",
            "sslcert and sslkey go together",
        ),
        (
            "host=localhost connect_timeout=soon",
            "invalid integer value \"soon\" for connection option \"connect_timeout\"",
        ),
        (
            "host=localhost target_session_attrs=x",
            "invalid target_session_attrs value: \"x\"",
        ),
    ] {
        assert_eq!(
            target(text, &["/ca"]).err().as_deref(),
            Some(problem),
            "{text}"
        );
    }
}

#[test]
fn each_host_has_its_port() {
    let target = target("host=localhost,/tmp,127.0.0.1 port=1,,3", &[]).unwrap();
    let ports: Vec<_> = target.hosts.iter().map(|host| host.port).collect();
    assert_eq!(ports, [1, 5432, 3]);
}
