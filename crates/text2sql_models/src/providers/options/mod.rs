//! The options of a model's foreign server and of its user mappings: their names, their values and who may
//! set them. The SQL validator and the code that reads a server share this table.

use std::time::Duration;
use text2sql_domain::words;

use text2sql_domain::config::{
    ConnectionPolicy, Egress, Endpoint, ModelProgram, Profile, Protocol,
};
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::prices::Prices;
use text2sql_domain::secret::Secret;

#[cfg(test)]
mod tests;
mod values;

use Who::{Anyone, FileReader, Superuser};
use values::{
    check_value, read_bool, read_currency, read_egress, read_headers, read_object, read_price,
    read_profile, read_protocol, read_text_egress,
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

/// Who may set an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Every role that may create the object.
    Anyone,
    /// Superusers and members of pg_read_server_files.
    FileReader,
    /// Superusers.
    Superuser,
}

impl Who {
    fn in_words(self) -> &'static str {
        match self {
            FileReader => "a superuser or a member of pg_read_server_files",
            Anyone | Superuser => "a superuser",
        }
    }
}

/// What the role that sets options, or owns a server, may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rights {
    /// Whether it is a superuser.
    pub is_superuser: bool,
    /// Whether it is a member of pg_read_server_files.
    pub reads_files: bool,
}

impl Rights {
    fn may(self, who: Who) -> bool {
        match who {
            Anyone => true,
            FileReader => self.is_superuser || self.reads_files,
            Superuser => self.is_superuser,
        }
    }
}

/// Options of a server, each with who may set it.
///
/// Reserved for superusers are those that read files or the environment of the server, open its network, or
/// weaken the transport: with one of them an ordinary user could send
/// requests from the server.
const SERVER_OPTIONS: &[(&str, Who)] = &[
    ("protocol", Anyone),
    ("base_url", Anyone),
    ("model", Anyone),
    ("model_file", FileReader),
    ("threads", FileReader),
    ("idle_seconds", FileReader),
    ("memory_mb", FileReader),
    ("profile", Anyone),
    ("egress", Anyone),
    ("texts", Anyone),
    ("api_key_file", Superuser),
    ("api_key_env", Superuser),
    ("api_key_header", Anyone),
    ("timeout_ms", Anyone),
    ("temperature", Anyone),
    ("seed", Anyone),
    ("max_output_tokens", Anyone),
    ("context_length", Anyone),
    ("structured_output", Anyone),
    ("least_similarity", Anyone),
    ("price_input", Anyone),
    ("price_output", Anyone),
    ("price_cached_input", Anyone),
    ("currency", Anyone),
    ("extra_headers", Anyone),
    ("extra_body", Anyone),
    ("allow_private", Superuser),
    ("allow_http", Superuser),
    ("ca_file", Superuser),
    ("proxy", Superuser),
];

/// Options of a user mapping. Endpoint, proxy and CA are not among them: with one of those a user
/// could redirect the requests of others to another host.
const MAPPING_OPTIONS: &[(&str, Who)] = &[
    ("api_key", Anyone),
    ("api_key_file", Superuser),
    ("api_key_env", Superuser),
];

/// Bytes of the value of an option.
const MAX_VALUE_BYTES: usize = 16_384;

/// The protocol of a model file.
const LOCAL: &str = "local";

/// Options that need a network, and those that need a file.
const NOT_LOCAL: &[&str] = words!(
    "base_url, api_key_file, api_key_env, api_key_header, extra_headers, extra_body, \
     allow_private, allow_http, ca_file, proxy"
);
const ONLY_LOCAL: &[&str] = &["model_file", "threads", "idle_seconds", "memory_mb"];

/// The host in requests to a model file, which no resolver is asked for.
const LOCAL_URL: &str = "http://localhost/v1";

/// Defaults of a model file: 16,384 tokens take 470 MB with a model of 1.5 billion weights.
const LOCAL_TIMEOUT: Duration = Duration::from_secs(600);
const LOCAL_CONTEXT: u32 = 16_384;
const LOCAL_REPLY: u32 = 400;
const LOCAL_IDLE_SECONDS: u32 = 600;
const LOCAL_MEMORY_MB: u32 = 1_536;

/// Default time for one request with its retries. Slow reasoning models need almost a minute.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// Checks the options of one object as `CREATE` or `ALTER` hands them over.
pub fn check(
    place: OptionPlace,
    options: &[(String, String)],
    rights: Rights,
) -> Result<(), Error> {
    let known: &[(&str, Who)] = match place {
        OptionPlace::Wrapper => &[],
        OptionPlace::Server => SERVER_OPTIONS,
        OptionPlace::UserMapping => MAPPING_OPTIONS,
    };
    for (name, value) in options {
        let Some((_, who)) = known.iter().find(|(known, _)| known == name) else {
            return Err(unknown_option(place, name, known));
        };
        if !rights.may(*who) {
            return Err(
                failure!(Denied, "only {} can set option \"{name}\"", who.in_words())
                    .with_hint("Ask a superuser, or omit the option."),
            );
        }
        // Everybody who lists the models reads them all.
        if value.len() > MAX_VALUE_BYTES {
            return Err(failure!(
                Limit,
                "option \"{name}\" has {} bytes, and may have {MAX_VALUE_BYTES}",
                value.len()
            ));
        }
        check_value(name, value, rights.is_superuser)?;
    }
    if place == OptionPlace::Server {
        check_whole(options)?;
    }
    let keys = options
        .iter()
        .filter(|(name, _)| matches!(name.as_str(), "api_key" | "api_key_file" | "api_key_env"));
    if keys.count() > 1 {
        return Err(
            failure!(Setting, "there is more than one source of the API key")
                .with_hint("Use one of api_key, api_key_file and api_key_env."),
        );
    }
    Ok(())
}

/// A model file needs no address, and an address no file.
fn check_whole(options: &[(String, String)]) -> Result<(), Error> {
    let has = |wanted: &str| options.iter().any(|(name, _)| name == wanted);
    let is_local = options
        .iter()
        .any(|(name, value)| name == "protocol" && value == LOCAL);
    let (required, foreign, example) = match is_local {
        true => (
            &["model_file"][..],
            NOT_LOCAL,
            "SELECT text2sql.add_model('local', 'local', model_file => '/path/model.gguf')",
        ),
        false => (
            &["protocol", "base_url", "model"][..],
            ONLY_LOCAL,
            "CREATE SERVER … FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'https://host/v1', model '…')",
        ),
    };
    if let Some(missing) = required.iter().find(|required| !has(required)) {
        return Err(failure!(Setting, "option \"{missing}\" is missing").with_hint(example));
    }
    if let Some(foreign) = foreign.iter().find(|foreign| has(foreign)) {
        let message = match is_local {
            true => format!("option \"{foreign}\" is not one of a model file"),
            false => format!("option \"{foreign}\" is one of protocol 'local' only"),
        };
        return Err(Error::new(ErrorKind::Setting, message).with_hint("Omit the option."));
    }
    Ok(())
}

fn unknown_option(place: OptionPlace, name: &str, known: &[(&str, Who)]) -> Error {
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
        get(wanted).ok_or_else(|| failure!(Setup, "server \"{name}\" has no option \"{wanted}\""))
    };
    let protocol = read_protocol(require("protocol")?)
        .ok_or_else(|| failure!(Setup, "server \"{name}\" has an unknown protocol"))?;
    let is_on = |wanted: &str| get(wanted).and_then(read_bool).unwrap_or(false);
    let number = |wanted: &str| get(wanted).and_then(|value| value.parse().ok());
    let program = match protocol {
        Protocol::Local => Some(ModelProgram {
            file: require("model_file")?.into(),
            threads: number("threads").unwrap_or(0),
            context: number("context_length").unwrap_or(LOCAL_CONTEXT),
            idle_seconds: number("idle_seconds").unwrap_or(LOCAL_IDLE_SECONDS),
            memory_mb: number("memory_mb").unwrap_or(LOCAL_MEMORY_MB),
        }),
        _ => None,
    };
    let is_local = program.is_some();
    let stem = |program: &ModelProgram| Some(program.file.file_stem()?.to_string_lossy().into());
    let model = match (get("model"), &program) {
        (Some(model), _) => model.to_owned(),
        (None, Some(program)) => stem(program).unwrap_or_default(),
        (None, None) => require("model")?.to_owned(),
    };
    let profile = get("profile").and_then(read_profile);
    Ok(Endpoint {
        name: name.to_owned(),
        protocol,
        base_url: match is_local {
            true => LOCAL_URL.to_owned(),
            false => require("base_url")?.to_owned(),
        },
        profile: profile.unwrap_or_else(|| usual_profile(&model, is_local)),
        model,
        api_key,
        api_key_header: get("api_key_header").map(str::to_ascii_lowercase),
        egress: get("egress")
            .and_then(read_egress)
            .unwrap_or(match is_local {
                // Nothing leaves the server, as with the built-in engine.
                true => Egress::Rows,
                false => Egress::Schema,
            }),
        texts: get("texts").and_then(read_text_egress).unwrap_or_default(),
        connection: ConnectionPolicy {
            allow_private: is_on("allow_private"),
            allow_http: is_local || is_on("allow_http"),
            proxy: get("proxy").map(str::to_owned),
            ca_pem,
            program,
        },
        timeout: get("timeout_ms")
            .and_then(|value| value.parse().ok())
            .map_or(
                match is_local {
                    true => LOCAL_TIMEOUT,
                    false => DEFAULT_TIMEOUT,
                },
                Duration::from_millis,
            ),
        temperature: get("temperature").and_then(|value| value.parse().ok()),
        seed: get("seed").and_then(|value| value.parse().ok()),
        max_output_tokens: number("max_output_tokens").or(is_local.then_some(LOCAL_REPLY)),
        context_length: number("context_length").or(is_local.then_some(LOCAL_CONTEXT)),
        completion_tokens: false,
        structured_output: match get("structured_output").and_then(read_bool) {
            Some(is_on) => is_on,
            None => !is_local,
        },
        least_similarity: get("least_similarity").and_then(|value| value.parse().ok()),
        prices: prices(&get),
        extra_headers: get("extra_headers")
            .and_then(read_headers)
            .unwrap_or_default(),
        extra_body: get("extra_body").and_then(read_object).unwrap_or_default(),
    })
}

/// The profile of a model whose options name none: small models are those whose names say so, and files on the server's
/// own disk that say nothing.
fn usual_profile(model: &str, is_local: bool) -> Profile {
    match billions(model) {
        Some(billions) if billions < SMALL_BILLIONS => Profile::Compact,
        None if is_local => Profile::Compact,
        _ => Profile::Full,
    }
}

/// Models below this size read a short prompt better than a long one.
const SMALL_BILLIONS: f64 = 10.0;

/// The number of weights that a model's name tells: `qwen2.5-coder:1.5b`, `Llama-3.2-3B-Instruct`.
fn billions(model: &str) -> Option<f64> {
    let lower = model.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let mut sizes = words.filter_map(|word| word.strip_suffix('b')?.parse::<f64>().ok());
    sizes.find(|size| *size > 0.0)
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

/// The option that the owner of the server may not set, if there is one, and who may. It is checked again when the
/// server is used, because the owner can change after the options were set.
pub fn not_of_owner(options: &[(String, String)], owner: Rights) -> Option<(&str, &'static str)> {
    options.iter().find_map(|(name, _)| {
        let (name, who) = SERVER_OPTIONS.iter().find(|(known, _)| known == name)?;
        (!owner.may(*who)).then(|| (*name, who.in_words()))
    })
}
