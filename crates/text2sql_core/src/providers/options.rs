//! The options of a model's foreign server and of its user mappings: which there are, what they
//! may hold, and who may set them. The SQL validator and the reader of a server share this table.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::config::{Egress, Endpoint, Protocol};
use crate::error::{Error, ErrorKind};
use crate::ports::ConnectionPolicy;
use crate::secret::Secret;

/// Where an option stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionPlace {
    /// `CREATE FOREIGN DATA WRAPPER`.
    Wrapper,
    /// `CREATE SERVER`.
    Server,
    /// `CREATE USER MAPPING`.
    UserMapping,
}

/// Options of a server, each with whether only a superuser may set it.
///
/// A superuser's are those that read files or the environment of the server, open its network, or
/// weaken the transport: with one of them an ordinary user could make the server fetch for him.
const SERVER_OPTIONS: &[(&str, bool)] = &[
    ("protocol", false),
    ("base_url", false),
    ("model", false),
    ("egress", false),
    ("api_key_file", true),
    ("api_key_env", true),
    ("api_key_header", false),
    ("timeout_ms", false),
    ("temperature", false),
    ("seed", false),
    ("max_output_tokens", false),
    ("structured_output", false),
    ("extra_headers", false),
    ("extra_body", false),
    ("allow_private", true),
    ("allow_http", true),
    ("ca_file", true),
    ("proxy", true),
];

/// Options of a user mapping. Endpoint, proxy and CA are not among them: with one of those any
/// user could have another's request sent to a host of his own.
const MAPPING_OPTIONS: &[(&str, bool)] = &[
    ("api_key", false),
    ("api_key_file", true),
    ("api_key_env", true),
];

/// Default time for one request with its retries. Slow reasoning models need most of a minute.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// Checks the options of one object as `CREATE` or `ALTER` hands them over.
pub fn check(
    place: OptionPlace,
    options: &[(String, String)],
    is_superuser: bool,
) -> Result<(), Error> {
    let known: &[(&str, bool)] = match place {
        OptionPlace::Wrapper => &[],
        OptionPlace::Server => SERVER_OPTIONS,
        OptionPlace::UserMapping => MAPPING_OPTIONS,
    };
    for (name, value) in options {
        let Some((_, superuser_only)) = known.iter().find(|(known, _)| known == name) else {
            return Err(unknown_option(place, name, known));
        };
        if *superuser_only && !is_superuser {
            return Err(Error::new(
                ErrorKind::Denied,
                format!("only a superuser may set option \"{name}\""),
            )
            .with_hint("ask a superuser, or leave the option out"));
        }
        check_value(name, value, is_superuser)?;
    }
    if place == OptionPlace::Server {
        for required in ["protocol", "base_url", "model"] {
            if !options.iter().any(|(name, _)| name == required) {
                return Err(Error::new(ErrorKind::Setting, format!("option \"{required}\" is missing"))
                    .with_hint("CREATE SERVER … FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'https://host/v1', model '…')"));
            }
        }
    }
    let keys = options
        .iter()
        .filter(|(name, _)| matches!(name.as_str(), "api_key" | "api_key_file" | "api_key_env"));
    if keys.count() > 1 {
        return Err(Error::new(
            ErrorKind::Setting,
            "there is more than one source of the API key",
        )
        .with_hint("give one of api_key, api_key_file and api_key_env"));
    }
    Ok(())
}

fn unknown_option(place: OptionPlace, name: &str, known: &[(&str, bool)]) -> Error {
    let is_server_option = SERVER_OPTIONS.iter().any(|(known, _)| *known == name);
    let message = match place {
        OptionPlace::UserMapping if is_server_option => {
            format!("option \"{name}\" belongs to the server, not to a user mapping")
        }
        OptionPlace::Server if name == "api_key" => {
            "option \"api_key\" is not allowed on a server, whose options everybody may read"
                .to_owned()
        }
        _ => format!("unknown option \"{name}\""),
    };
    let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
    let hint = match place {
        OptionPlace::Server if name == "api_key" => {
            "CREATE USER MAPPING FOR … SERVER … OPTIONS (api_key '…'), or option api_key_file of the server".to_owned()
        }
        _ if names.is_empty() => "the foreign-data wrapper text2sql takes no options".to_owned(),
        _ => format!("valid options are: {}", names.join(", ")),
    };
    Error::new(ErrorKind::Setting, message).with_hint(hint)
}

fn check_value(name: &str, value: &str, is_superuser: bool) -> Result<(), Error> {
    let bad = |hint: &str| {
        Err(Error::new(
            ErrorKind::Setting,
            format!("option \"{name}\" has a value that cannot be used"),
        )
        .with_hint(hint.to_owned()))
    };
    match name {
        "protocol" if read_protocol(value).is_none() => bad("protocol is 'openai' or 'anthropic'"),
        "egress" if read_egress(value).is_none() => bad("egress is 'schema', 'values' or 'rows'"),
        "base_url" => check_base_url(value, is_superuser),
        "model" if value.trim().is_empty() => bad("model is the model's name at the endpoint"),
        "timeout_ms" if !matches!(value.parse(), Ok(100..=3_600_000u64)) => {
            bad("timeout_ms is a whole number from 100 to 3600000")
        }
        "temperature" if !matches!(value.parse::<f64>(), Ok(t) if (0.0..=2.0).contains(&t)) => {
            bad("temperature is a number from 0 to 2")
        }
        "seed" if value.parse::<i64>().is_err() => bad("seed is a whole number"),
        "max_output_tokens" if !matches!(value.parse(), Ok(1..=1_000_000u32)) => {
            bad("max_output_tokens is a whole number from 1 to 1000000")
        }
        "structured_output" | "allow_private" | "allow_http" if read_bool(value).is_none() => {
            bad("the value is 'true' or 'false'")
        }
        "extra_body" if read_object(value).is_none() => {
            bad("extra_body is a JSON object, such as '{\"top_p\": 0.9}'")
        }
        "extra_headers" => match read_headers(value) {
            None => {
                bad("extra_headers is a JSON object of texts, such as '{\"x-title\": \"shop\"}'")
            }
            Some(headers) if headers.iter().any(|(name, _)| is_secret_header(name)) => bad(
                "server options are readable by everybody: a key belongs into a user mapping or api_key_file, its header's name into api_key_header",
            ),
            Some(_) => Ok(()),
        },
        "api_key_env" if !is_key_variable(value) => {
            bad("the variable's name ends in _API_KEY or begins with TEXT2SQL_")
        }
        "api_key_header" if !is_header_name(value) => {
            bad("api_key_header is a header's name, such as 'api-key'")
        }
        "api_key" | "api_key_file" | "ca_file" | "proxy" if value.trim().is_empty() => {
            bad("the value is empty")
        }
        _ => Ok(()),
    }
}

/// A base URL is `http(s)://host[:port][/path]` and nothing more: no user, query or fragment.
fn check_base_url(url: &str, is_superuser: bool) -> Result<(), Error> {
    let bad = |why: &str| {
        Err(Error::new(
            ErrorKind::Setting,
            "option \"base_url\" has a value that cannot be used",
        )
        .with_detail(why.to_owned())
        .with_hint("a base_url looks like 'https://host/v1'"))
    };
    let Some(rest) = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))
    else {
        return bad("it does not begin with https://");
    };
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return bad("it holds white space");
    }
    let authority = rest.split('/').next().unwrap_or_default();
    if rest.contains(['?', '#']) {
        return bad("it has a query or a fragment");
    }
    if authority.contains('@') {
        return bad("it holds a user name; a key belongs into a user mapping or api_key_file");
    }
    let after_host = authority
        .rsplit_once(']')
        .map_or(authority, |(_, rest)| rest);
    let port = after_host.split_once(':').map(|(_, port)| port);
    if authority.is_empty() || authority.starts_with(':') {
        return bad("it names no host");
    }
    match port.map(str::parse::<u16>) {
        Some(Err(_)) => bad("its port is not a number"),
        Some(Ok(port)) if !is_superuser && !matches!(port, 80 | 443) => {
            bad("only a superuser may name a port other than 80 and 443")
        }
        _ => Ok(()),
    }
}

/// Puts together the endpoint that a server's checked options describe.
pub fn endpoint(
    name: &str,
    options: &[(String, String)],
    api_key: Option<Secret>,
    ca_pem: Option<String>,
) -> Result<Endpoint, Error> {
    let get = |wanted: &str| {
        options
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value.as_str())
    };
    let require = |wanted: &str| {
        get(wanted).ok_or_else(|| {
            Error::new(
                ErrorKind::Setup,
                format!("server \"{name}\" has no option \"{wanted}\""),
            )
        })
    };
    let protocol = read_protocol(require("protocol")?).ok_or_else(|| {
        Error::new(
            ErrorKind::Setup,
            format!("server \"{name}\" has an unknown protocol"),
        )
    })?;
    let is_on = |wanted: &str| get(wanted).and_then(read_bool).unwrap_or(false);
    Ok(Endpoint {
        name: name.to_owned(),
        protocol,
        base_url: require("base_url")?.to_owned(),
        model: require("model")?.to_owned(),
        api_key,
        api_key_header: get("api_key_header").map(str::to_ascii_lowercase),
        egress: get("egress")
            .and_then(read_egress)
            .unwrap_or(Egress::Schema),
        connection: ConnectionPolicy {
            allow_private: is_on("allow_private"),
            allow_http: is_on("allow_http"),
            proxy: get("proxy").map(str::to_owned),
            ca_pem,
        },
        timeout: get("timeout_ms")
            .and_then(|value| value.parse().ok())
            .map_or(DEFAULT_TIMEOUT, Duration::from_millis),
        temperature: get("temperature").and_then(|value| value.parse().ok()),
        seed: get("seed").and_then(|value| value.parse().ok()),
        max_output_tokens: get("max_output_tokens").and_then(|value| value.parse().ok()),
        structured_output: get("structured_output").and_then(read_bool).unwrap_or(true),
        extra_headers: get("extra_headers")
            .and_then(read_headers)
            .unwrap_or_default(),
        extra_body: get("extra_body").and_then(read_object).unwrap_or_default(),
    })
}

/// Whether the server's options need an owner who is a superuser: asked again when the server is
/// used, because ownership can change after the options were set.
pub fn needs_superuser_owner(options: &[(String, String)]) -> Option<&str> {
    let is_reserved = |name: &str| {
        SERVER_OPTIONS
            .iter()
            .any(|(known, only)| *known == name && *only)
    };
    options
        .iter()
        .map(|(name, _)| name.as_str())
        .find(|name| is_reserved(name))
}

/// Whether an environment variable may hold a key: nothing else of the server's environment can be
/// sent anywhere.
pub fn is_key_variable(name: &str) -> bool {
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_word && (name.ends_with("_API_KEY") || name.starts_with("TEXT2SQL_"))
}

/// The host of a checked base URL, without port and brackets.
pub fn host(base_url: &str) -> &str {
    let rest = base_url
        .split_once("://")
        .map_or(base_url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

fn read_protocol(value: &str) -> Option<Protocol> {
    match value {
        "openai" => Some(Protocol::OpenAi),
        "anthropic" => Some(Protocol::Anthropic),
        _ => None,
    }
}

fn read_egress(value: &str) -> Option<Egress> {
    match value {
        "schema" => Some(Egress::Schema),
        "values" => Some(Egress::Values),
        "rows" => Some(Egress::Rows),
        _ => None,
    }
}

fn read_bool(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Some(true),
        "false" | "off" | "no" | "0" => Some(false),
        _ => None,
    }
}

fn read_object(value: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(value).ok()
}

fn read_headers(value: &str) -> Option<Vec<(String, String)>> {
    let object = read_object(value)?;
    object
        .iter()
        .map(|(name, value)| {
            let value = value.as_str()?;
            let is_clean = value.chars().all(|c| (' '..='~').contains(&c));
            (is_header_name(name) && is_clean)
                .then(|| (name.to_ascii_lowercase(), value.to_owned()))
        })
        .collect()
}

fn is_header_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

fn is_secret_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [
        "authorization",
        "api-key",
        "apikey",
        "token",
        "secret",
        "cookie",
    ]
    .iter()
    .any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    const GOOD: [(&str, &str); 3] = [
        ("protocol", "openai"),
        ("base_url", "https://host/v1"),
        ("model", "m"),
    ];

    fn check_server(extra: &[(&str, &str)], is_superuser: bool) -> Result<(), String> {
        let mut all = GOOD.to_vec();
        all.retain(|(name, _)| !extra.iter().any(|(other, _)| other == name));
        all.extend(extra);
        check(OptionPlace::Server, &options(&all), is_superuser).map_err(|e| e.message().to_owned())
    }

    #[test]
    fn accepts_what_the_documentation_shows() {
        assert_eq!(
            check_server(
                &[("egress", "schema"), ("temperature", "0"), ("seed", "7")],
                false
            ),
            Ok(())
        );
        assert_eq!(
            check_server(
                &[
                    ("base_url", "http://127.0.0.1:11434/v1"),
                    ("allow_private", "true"),
                    ("allow_http", "on")
                ],
                true
            ),
            Ok(())
        );
        assert_eq!(
            check_server(&[("base_url", "https://[::1]:8443/v1")], true),
            Ok(())
        );
        assert_eq!(
            check_server(
                &[
                    ("extra_headers", r#"{"x-title": "shop"}"#),
                    ("extra_body", r#"{"top_p": 1}"#)
                ],
                false
            ),
            Ok(())
        );
    }

    #[test]
    fn keeps_files_network_and_transport_to_superusers() {
        for name in [
            "api_key_file",
            "api_key_env",
            "allow_private",
            "allow_http",
            "ca_file",
            "proxy",
        ] {
            let error = check_server(&[(name, "true")], false).unwrap_err();
            assert_eq!(error, format!("only a superuser may set option \"{name}\""));
        }
        assert!(check_server(&[("base_url", "https://host:8080/v1")], false).is_err());
    }

    #[test]
    fn a_mapping_holds_a_key_and_nothing_else() {
        let mapping = |pairs: &[(&str, &str)]| {
            check(OptionPlace::UserMapping, &options(pairs), false)
                .map_err(|e| e.message().to_owned())
        };
        assert_eq!(mapping(&[("api_key", "k")]), Ok(()));
        assert_eq!(
            mapping(&[("base_url", "https://evil/v1")]).unwrap_err(),
            "option \"base_url\" belongs to the server, not to a user mapping"
        );
        assert!(mapping(&[("proxy", "http://evil")]).is_err());
        assert!(mapping(&[("api_key_file", "/etc/shadow")]).is_err());
    }

    #[test]
    fn a_key_never_stands_where_everybody_reads() {
        assert!(
            check_server(&[("api_key", "k")], true)
                .unwrap_err()
                .contains("everybody may read")
        );
        assert!(
            check_server(
                &[("extra_headers", r#"{"Authorization": "Bearer k"}"#)],
                true
            )
            .is_err()
        );
        assert!(check_server(&[("base_url", "https://user:pass@host/v1")], true).is_err());
        assert!(check_server(&[("base_url", "https://host/v1?key=k")], true).is_err());
        assert!(check_server(&[("api_key_env", "PATH")], true).is_err());
        let error = check(
            OptionPlace::Server,
            &options(&[
                ("api_key_env", "X_API_KEY"),
                ("api_key_file", "f"),
                GOOD[0],
                GOOD[1],
                GOOD[2],
            ]),
            true,
        );
        assert!(error.is_err());
    }

    #[test]
    fn names_what_is_wrong_without_repeating_the_value() {
        for (name, value) in [
            ("protocol", "soap"),
            ("egress", "all"),
            ("timeout_ms", "1"),
            ("temperature", "9"),
            ("seed", "x"),
            ("max_output_tokens", "0"),
            ("structured_output", "maybe"),
            ("extra_body", "[]"),
            ("extra_headers", "{\"a\": 1}"),
            ("base_url", "ftp://host"),
            ("base_url", "https://"),
            ("model", " "),
        ] {
            let error = check_server(&[(name, value)], true).unwrap_err();
            assert_eq!(
                error,
                format!("option \"{name}\" has a value that cannot be used")
            );
        }
        assert_eq!(
            check_server(&[("colour", "red")], true).unwrap_err(),
            "unknown option \"colour\""
        );
        let error = check(OptionPlace::Server, &options(&GOOD[..2]), true).unwrap_err();
        assert_eq!(error.message(), "option \"model\" is missing");
    }

    #[test]
    fn finds_the_host_of_a_url() {
        for (url, expect) in [
            ("https://host/v1", "host"),
            ("http://127.0.0.1:11434/v1", "127.0.0.1"),
            ("https://[::1]:1/v1", "::1"),
            ("https://h", "h"),
        ] {
            assert_eq!(host(url), expect);
        }
    }

    #[test]
    fn builds_the_endpoint() {
        let all = options(&[
            GOOD[0],
            GOOD[1],
            GOOD[2],
            ("timeout_ms", "500"),
            ("egress", "values"),
            ("extra_headers", "{\"X-A\": \"b\"}"),
        ]);
        let endpoint = endpoint("gpt", &all, Some(Secret::new("k")), None).unwrap();
        assert_eq!(
            (endpoint.timeout, endpoint.egress),
            (Duration::from_millis(500), Egress::Values)
        );
        assert_eq!(endpoint.extra_headers, [("x-a".to_owned(), "b".to_owned())]);
        assert!(endpoint.structured_output && !endpoint.connection.allow_http);
        assert!(!format!("{endpoint:?}").contains("\"k\""));
    }
}
