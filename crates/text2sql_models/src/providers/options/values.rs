//! The values of options: how each is read, and the hint for an invalid one.

use serde_json::{Map, Value};
use text2sql_domain::words;

use text2sql_domain::config::{Egress, Profile, Protocol, TextEgress};
use text2sql_domain::error::{Error, failure};

/// Checks the value of a known option.
pub(super) fn check_value(name: &str, value: &str, is_superuser: bool) -> Result<(), Error> {
    let bad = |hint: &str| {
        Err(failure!(Setting, "option \"{name}\" has an invalid value").with_hint(hint.to_owned()))
    };
    match name {
        "protocol" if read_protocol(value).is_none() => {
            bad("The protocols are 'local', 'openai', 'anthropic', 'embeddings' and 'rerank'.")
        }
        "egress" if read_egress(value).is_none() => bad("Use 'schema', 'values' or 'rows'."),
        "texts" if read_text_egress(value).is_none() => bad("Use 'none' or 'passages'."),
        "profile" if read_profile(value).is_none() => bad("Use 'full' or 'compact'."),
        // The program reads its arguments one a line.
        "model_file" if !value.starts_with('/') || value.contains(char::is_control) => {
            bad("Use an absolute path, such as '/var/lib/models/model.gguf'.")
        }
        "threads" if !matches!(value.parse(), Ok(1..=256u32)) => bad("Use a number from 1 to 256."),
        "idle_seconds" if !matches!(value.parse(), Ok(1..=86_400u32)) => {
            bad("Use a number of seconds from 1 to 86400.")
        }
        "memory_mb" if !matches!(value.parse(), Ok(64..=1_000_000u32)) => {
            bad("Use a number of megabytes from 64 to 1000000.")
        }
        "base_url" => check_base_url(value, is_superuser),
        "model" if value.trim().is_empty() => bad("Use the name of the model at the endpoint."),
        "timeout_ms" if !matches!(value.parse(), Ok(100..=3_600_000u64)) => {
            bad("Use a whole number from 100 to 3600000.")
        }
        "temperature" if !matches!(value.parse::<f64>(), Ok(t) if (0.0..=2.0).contains(&t)) => {
            bad("Use a number from 0 to 2.")
        }
        "seed" if value.parse::<i64>().is_err() => bad("Use a whole number."),
        "max_output_tokens" if !matches!(value.parse(), Ok(1..=1_000_000u32)) => {
            bad("Use a whole number from 1 to 1000000.")
        }
        "context_length" if !matches!(value.parse(), Ok(1_000..=100_000_000u32)) => {
            bad("Use a number of tokens from 1000 to 100000000.")
        }
        "least_similarity" if !matches!(value.parse::<f32>(), Ok(least) if (0.0..=1.0).contains(&least)) => {
            bad("Use a number from 0 to 1.")
        }
        "price_input" | "price_output" | "price_cached_input" if read_price(value).is_none() => {
            bad("Use the price of a million tokens, a number from 0 to 1000000, such as '2.50'.")
        }
        "currency" if read_currency(value).is_none() => {
            bad("Use the three letters of ISO 4217, such as 'USD'.")
        }
        "structured_output" | "allow_private" | "allow_http" if read_bool(value).is_none() => {
            bad("Use 'true' or 'false'.")
        }
        "extra_body" if read_object(value).is_none() => {
            bad("Use a JSON object, such as '{\"top_p\": 0.9}'.")
        }
        "extra_headers" => match read_headers(value) {
            None => bad("Use a JSON object with text values, such as '{\"x-title\": \"shop\"}'."),
            Some(headers)
                if headers
                    .iter()
                    .any(|(name, _)| FRAMING_HEADERS.contains(&name.as_str())) =>
            {
                bad("Remove this header, which the connection sets itself.")
            }
            Some(headers) if headers.iter().any(|(name, _)| is_secret_header(name)) => bad(
                "Server options are readable by all users: set the key in a user mapping or api_key_file, and the name of its header in api_key_header.",
            ),
            Some(_) => Ok(()),
        },
        "api_key_env" if !is_key_variable(value) => {
            bad("Use a variable whose name ends in _API_KEY or begins with TEXT2SQL_.")
        }
        "api_key_header" if !is_header_name(value) => {
            bad("Use the name of a header, such as 'api-key'.")
        }
        "api_key" if value.chars().any(|c| !c.is_ascii_graphic()) => {
            bad("Remove white space and control characters from the key.")
        }
        "api_key" | "api_key_file" | "ca_file" | "proxy" if value.trim().is_empty() => {
            bad("Use a value that is not empty.")
        }
        _ => Ok(()),
    }
}

/// A base URL is `http(s)://host[:port][/path]` and nothing more: no user, query or fragment.
fn check_base_url(url: &str, is_superuser: bool) -> Result<(), Error> {
    let bad = |why: &str| {
        Err(
            failure!(Setting, "option \"base_url\" has an invalid value")
                .with_detail(why.to_owned())
                .with_hint("Write it as 'https://host/v1'."),
        )
    };
    let Some(rest) = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))
    else {
        return bad("It does not begin with https://.");
    };
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return bad("It contains white space.");
    }
    let authority = rest.split('/').next().unwrap_or_default();
    if rest.contains(['?', '#']) {
        return bad("It has a query or a fragment.");
    }
    if authority.contains('@') {
        return bad("It contains a user name. Keys are set in a user mapping or api_key_file.");
    }
    let after_host = authority
        .rsplit_once(']')
        .map_or(authority, |(_, rest)| rest);
    let port = after_host.split_once(':').map(|(_, port)| port);
    if authority.is_empty() || authority.starts_with(':') {
        return bad("It has no host.");
    }
    match port.map(str::parse::<u16>) {
        Some(Err(_)) => bad("Its port is not a number."),
        Some(Ok(port)) if !is_superuser && !matches!(port, 80 | 443) => {
            bad("Only a superuser can use a port other than 80 and 443.")
        }
        _ => Ok(()),
    }
}

/// Whether an environment variable can contain a key: no other variable of the server is ever sent.
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

pub(super) fn read_protocol(value: &str) -> Option<Protocol> {
    match value {
        "local" => Some(Protocol::Local),
        "openai" => Some(Protocol::OpenAi),
        "anthropic" => Some(Protocol::Anthropic),
        "embeddings" => Some(Protocol::Embeddings),
        "rerank" => Some(Protocol::Rerank),
        _ => None,
    }
}

/// A price for a million tokens.
pub(super) fn read_price(value: &str) -> Option<f64> {
    const MAX_PRICE: f64 = 1_000_000.0;
    let price: f64 = value.trim().parse().ok()?;
    (0.0..=MAX_PRICE).contains(&price).then_some(price)
}

/// The code of a currency, in capital letters.
pub(super) fn read_currency(value: &str) -> Option<String> {
    let is_code = value.len() == 3 && value.chars().all(|c| c.is_ascii_alphabetic());
    is_code.then(|| value.to_ascii_uppercase())
}

pub(super) fn read_egress(value: &str) -> Option<Egress> {
    match value {
        "schema" => Some(Egress::Schema),
        "values" => Some(Egress::Values),
        "rows" => Some(Egress::Rows),
        _ => None,
    }
}

pub(super) fn read_profile(value: &str) -> Option<Profile> {
    match value {
        "full" => Some(Profile::Full),
        "compact" => Some(Profile::Compact),
        _ => None,
    }
}

pub(super) fn read_text_egress(value: &str) -> Option<TextEgress> {
    match value {
        "none" => Some(TextEgress::None),
        "passages" => Some(TextEgress::Passages),
        _ => None,
    }
}

pub(super) fn read_bool(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Some(true),
        "false" | "off" | "no" | "0" => Some(false),
        _ => None,
    }
}

pub(super) fn read_object(value: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(value).ok()
}

pub(super) fn read_headers(value: &str) -> Option<Vec<(String, String)>> {
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

/// Headers that say where a request goes and how it is framed.
const FRAMING_HEADERS: &[&str] =
    words!("host, content-length, transfer-encoding, connection, upgrade, te, trailer");

fn is_secret_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    words!("authorization, api-key, apikey, token, secret, cookie")
        .iter()
        .any(|word| name.contains(word))
}
