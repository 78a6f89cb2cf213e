//! Every key of the configuration, once: its flag, environment variable and line of the file follow from its name.

/// What the value of a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A text.
    Text,
    /// `true` or `false`.
    Switch,
    /// A connection string, or several with names: a table in the file, `name=…` for each elsewhere.
    Databases,
    /// A whole number in this range.
    Number(u64, u64),
    /// The path of a file.
    File,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Several words: a list in the file, separated by commas elsewhere.
    List,
    /// Several `name = value`: a table in the file, `name=value` separated by commas elsewhere.
    Pairs,
}

/// A key of the configuration.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// `section.name` or `name`, as in the file.
    pub name: &'static str,
    pub kind: Kind,
    /// The default as it would be written in an environment variable. Empty means none.
    pub default: &'static str,
    /// What it does, in one line of `--help`.
    pub help: &'static str,
}

impl Key {
    /// The flag without its hyphens: `limits-connections`.
    pub fn flag(&self) -> String {
        self.name.replace(['.', '_'], "-")
    }

    /// The environment variable: `TEXT2SQL_LIMITS_CONNECTIONS`.
    pub fn variable(&self) -> String {
        format!("TEXT2SQL_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// The section of the file and the heading in `--help`.
    pub fn section(&self) -> Option<&'static str> {
        self.name.split_once('.').map(|(section, _)| section)
    }

    /// What stands for the value in `--help`.
    pub fn placeholder(&self) -> &'static str {
        match self.kind {
            Kind::Text => "TEXT",
            Kind::Databases => "[NAME=]TEXT",
            Kind::Switch => "true|false",
            Kind::Number(..) => "NUMBER",
            Kind::File => "FILE",
            Kind::Choice(_) => "WORD",
            Kind::List => "LIST",
            Kind::Pairs => "NAME=VALUE,…",
        }
    }
}

/// `"name": Kind = "default", "help";`
macro_rules! keys {
    ($($name:literal: $kind:ident $(($($of:expr),+))? = $default:expr, $help:literal;)+) => {
        /// All keys, in the order of `--help` and `--check`.
        pub(super) const KEYS: &[Key] = &[
            $(Key {
                name: $name,
                kind: Kind::$kind $(($($of),+))?,
                default: $default,
                help: $help,
            },)+
        ];
    };
}

keys! {
    "listen": Text = "127.0.0.1:8432",
        "Address and port to listen on";
    "public_url": Text = "",
        "The https address at which a proxy offers the server, such as https://ask.example.com";
    "hosts": List = "",
        "Further names that requests may have in their Host header, with the port if it is not that of the scheme";
    "trusted_proxies": List = "",
        "Addresses of proxies whose X-Forwarded-For is believed";
    "passwords_in_clear_text": Switch = "false",
        "Danger: listen on a public address without an https public_url; everybody on the way can read passwords and rows";
    "database": Databases = "",
        "Connection string of the database without user and password, such as 'host=db dbname=shop sslmode=verify-full'; \
        given several times as NAME=TEXT, each is offered at /databases/NAME/";
    "password_login": Switch = "true",
        "People and programs log in with their own name and password of PostgreSQL";
    "page": Switch = "true",
        "Offer the page at /, besides the API";
    "mcp": Switch = "true",
        "Offer the Model Context Protocol at /mcp";
    "a2a": Switch = "false",
        "Offer Agent2Agent at /a2a, and the agent card";
    "openai": Switch = "false",
        "Offer chat completions at /v1, for chat front ends that pass a verified token of their user on";
    "page_directory": File = "",
        "Serve the page from this directory instead of from the program, for those who change it";
    "limits.role_running": Number(1, 1000) = "2",
        "Questions of a role that run at a time";
    "limits.role_waiting": Number(0, 1000) = "4",
        "Questions of a role that wait for their turn; one more is refused with 429";
    "limits.streams": Number(1, 100_000) = "200",
        "Streams that are open at a time";
    "limits.connections": Number(1, 10_000) = "20",
        "Connections to the database";
    "limits.question_seconds": Number(1, 86_400) = "120",
        "Seconds that a statement may take, unless the role has a lower statement_timeout";
    "limits.connection_seconds": Number(1, 600) = "5",
        "Seconds that a request waits for a connection, before it is refused with 503";
    "limits.session_minutes": Number(1, 10_080) = "30",
        "Minutes after which a session that nobody uses is over";
    "limits.session_hours": Number(1, 720) = "12",
        "Hours after which a session is over in any case";
    "limits.login_attempts": Number(1, 10_000) = "5",
        "Failed logins a minute of a user from an address, after which more are refused; of an address or a user alone, ten times as many";
    "limits.file_megabytes": Number(1, 900) = "64",
        "Size of a file that is sent to become a table; a larger one is refused with 413";
    "limits.file_unpacked_megabytes": Number(1, 900) = "512",
        "Size to which a workbook may unpack";
    "limits.file_seconds": Number(1, 3_600) = "60",
        "How long a workbook may take to be read";
    "limits.file_columns": Number(1, 1_600) = "1600",
        "Columns of a file that is sent";
    "limits.file_line_megabytes": Number(1, 900) = "64",
        "Length of a line of a file that is sent";
    "jwt.issuer": Text = "",
        "Accept bearer tokens (JWT) of this issuer, claim iss; without it no token is accepted";
    "jwt.audience": Text = "",
        "Whom a token must be for, claim aud";
    "jwt.algorithms": List = "RS256,ES256",
        "Signatures that are accepted; they must fit the keys";
    "jwt.jwks_file": File = "",
        "Public keys of the issuer, a JSON Web Key Set";
    "jwt.secret_file": File = "",
        "Secret of HS256, HS384 or HS512, of 32 bytes or more, in place of keys";
    "jwt.role_claim": Text = "role",
        "The claim that names the role, a path such as role or app.database.role";
    "jwt.role_map": Pairs = "",
        "Roles for values of that claim; without it the value is the role";
    "jwt.roles": List = "",
        "The roles that a token may stand for; no other is taken on, whoever signed for it";
    "jwt.login_role": Text = "",
        "The role that the server logs in as, to take on those of tokens: NOINHERIT, a member of them, no superuser";
    "jwt.password_file": File = "",
        "File with the password of that role";
    "log.level": Choice(&["error", "warn", "info", "debug"]) = "info",
        "How much is logged, on standard error";
    "log.format": Choice(&["text", "json"]) = "text",
        "The form of a line of the log";
}

/// The key of this name.
pub(super) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}
