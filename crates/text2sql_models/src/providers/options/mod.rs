//! The options of a model's foreign server and of its user mappings: their names, their values and who may
//! set them. The SQL validator and the code that reads a server share this table.

use std::time::Duration;

use text2sql_domain::config::{ConnectionPolicy, Egress, Endpoint};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::prices::Prices;
use text2sql_domain::secret::Secret;

#[cfg(test)]
mod tests;
mod values;

use values::{
    check_value, read_bool, read_currency, read_egress, read_headers, read_object, read_price,
    read_protocol, read_text_egress,
};
pub use values::{host, is_key_variable};

/// The statement that an option belongs to.
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
/// Reserved for superusers are those that read files or the environment of the server, open its network, or
/// weaken the transport: with one of them an ordinary user could send
/// requests from the server.
const SERVER_OPTIONS: &[(&str, bool)] = &[
    ("protocol", false),
    ("base_url", false),
    ("model", false),
    ("egress", false),
    ("texts", false),
    ("api_key_file", true),
    ("api_key_env", true),
    ("api_key_header", false),
    ("timeout_ms", false),
    ("temperature", false),
    ("seed", false),
    ("max_output_tokens", false),
    ("context_length", false),
    ("structured_output", false),
    ("least_similarity", false),
    ("price_input", false),
    ("price_output", false),
    ("price_cached_input", false),
    ("currency", false),
    ("extra_headers", false),
    ("extra_body", false),
    ("allow_private", true),
    ("allow_http", true),
    ("ca_file", true),
    ("proxy", true),
];

/// Options of a user mapping. Endpoint, proxy and CA are not among them: with one of those a user
/// could redirect the requests of others to another host.
const MAPPING_OPTIONS: &[(&str, bool)] = &[
    ("api_key", false),
    ("api_key_file", true),
    ("api_key_env", true),
];

/// Default time for one request with its retries. Slow reasoning models need almost a minute.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

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
                format!("only a superuser can set option \"{name}\""),
            )
            .with_hint("Ask a superuser, or omit the option."));
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
        .with_hint("Use one of api_key, api_key_file and api_key_env."));
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
            "option \"api_key\" is not allowed on a server, whose options are readable by all users"
                .to_owned()
        }
        _ => format!("unknown option \"{name}\""),
    };
    let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
    let hint = match place {
        OptionPlace::Server if name == "api_key" => {
            "CREATE USER MAPPING FOR … SERVER … OPTIONS (api_key '…'), or use option api_key_file of the server.".to_owned()
        }
        _ if names.is_empty() => "The foreign-data wrapper text2sql has no options.".to_owned(),
        _ => format!("Valid options are: {}.", names.join(", ")),
    };
    Error::new(ErrorKind::Setting, message).with_hint(hint)
}

/// The endpoint that the checked options of a server describe.
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
        texts: get("texts").and_then(read_text_egress).unwrap_or_default(),
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
        context_length: get("context_length").and_then(|value| value.parse().ok()),
        completion_tokens: false,
        structured_output: get("structured_output").and_then(read_bool).unwrap_or(true),
        least_similarity: get("least_similarity").and_then(|value| value.parse().ok()),
        prices: prices(&get),
        extra_headers: get("extra_headers")
            .and_then(read_headers)
            .unwrap_or_default(),
        extra_body: get("extra_body").and_then(read_object).unwrap_or_default(),
    })
}

/// The prices among the options of a server; `None` where it has none. What is not given costs nothing, except
/// cached input, which costs what other input costs.
fn prices<'o>(get: &impl Fn(&str) -> Option<&'o str>) -> Option<Prices> {
    let price = |name: &str| get(name).and_then(read_price);
    let (input, output) = (price("price_input"), price("price_output"));
    let cached = price("price_cached_input");
    input.or(output).or(cached)?;
    let currency = get("currency").and_then(read_currency);
    Some(Prices {
        input: input.unwrap_or(0.0),
        output: output.unwrap_or(0.0),
        cached_input: cached.or(input).unwrap_or(0.0),
        currency: currency.unwrap_or_else(|| Prices::DEFAULT_CURRENCY.to_owned()),
    })
}

/// The option that needs a superuser as owner of the server, if there is one. It is checked again when the
/// server is used, because the owner can change after the options were set.
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
