//! Tokens that stand for roles, and whoever signs them.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use postgres::Client;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256};
use serde_json::{Value, json};

use super::people::{PASSWORD, person, stranger};
use super::program::Server;
use crate::TestDatabase;

/// The issuer of the tokens.
pub const ISSUER: &str = "https://idp.example.com";
/// Their audience.
pub const AUDIENCE: &str = "text2sql";

/// An issuer of tokens for two people of a database, and the role that logs in for them.
pub struct Issuer {
    /// The database.
    pub database: TestDatabase,
    /// What signs.
    pub key: KeyPair,
    /// Where the files of the configuration are.
    pub folder: PathBuf,
    /// A role that tokens may stand for.
    pub ana: String,
    /// Another one.
    pub bob: String,
    /// The role that takes them on.
    pub door: String,
}

impl Issuer {
    /// Makes all of them. `test` is the name of the database.
    pub fn new(test: &str) -> Self {
        let database = TestDatabase::new(test);
        let (ana, bob) = (person(&database, "ana"), person(&database, "bob"));
        let door = stranger(&database, "door");
        let mut admin = database.superuser();
        admin
            .batch_execute(&format!(
                "ALTER ROLE {door} NOINHERIT;
                 ALTER ROLE {door} SET session_preload_libraries = 'pg_text2sql'"
            ))
            .expect("a login role");
        grant(&mut admin, &ana, &door);
        grant(&mut admin, &bob, &door);
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).expect("a key");
        let name = format!("{}_{}", database.name(), std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("password"), PASSWORD).expect("a file");
        let point = key.public_key_raw();
        let keys = json!({"keys": [{
            "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "of-today",
            "x": URL_SAFE_NO_PAD.encode(&point[1..33]), "y": URL_SAFE_NO_PAD.encode(&point[33..65]),
        }]});
        std::fs::write(folder.join("keys.json"), keys.to_string()).expect("a file");
        Self {
            database,
            key,
            folder,
            ana,
            bob,
            door,
        }
    }

    /// Starts the server that accepts tokens for these roles, separated by commas.
    pub fn start(&self, roles: &str, more: &[&str]) -> Server {
        let file = |name: &str| self.folder.join(name).to_string_lossy().into_owned();
        let (password, keys) = (file("password"), file("keys.json"));
        let options = [
            ["--jwt-issuer", ISSUER],
            ["--jwt-audience", AUDIENCE],
            ["--jwt-algorithms", "ES256"],
            ["--jwt-jwks-file", &keys],
            ["--jwt-login-role", &self.door],
            ["--jwt-password-file", &password],
            ["--jwt-roles", roles],
        ];
        Server::start(&self.database, &[options.as_flattened(), more].concat())
    }

    /// The claims of a good token for a role.
    pub fn claims(&self, role: impl serde::Serialize) -> Value {
        json!({"iss": ISSUER, "aud": AUDIENCE, "exp": now() + 600, "sub": "somebody", "role": role})
    }

    /// The header of a good token.
    pub fn header(&self) -> Header {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some("of-today".to_owned());
        header
    }

    /// Signs whatever it is.
    pub fn signed(&self, header: &Header, claims: &Value) -> String {
        let key = EncodingKey::from_ec_pem(self.key.serialize_pem().as_bytes()).expect("a key");
        encode(header, claims, &key).expect("a token")
    }

    /// A good token for a role.
    pub fn token(&self, role: &str) -> String {
        self.signed(&self.header(), &self.claims(role))
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Lets `door` take `role` on, and inherit nothing of it.
pub fn grant(admin: &mut Client, role: &str, door: &str) {
    let version = "SELECT current_setting('server_version_num')::int >= 160000";
    let has_options: bool = admin.query_one(version, &[]).expect("a version").get(0);
    let option = if has_options {
        "WITH INHERIT FALSE"
    } else {
        ""
    };
    let statement = format!("GRANT {role} TO {door} {option}");
    admin.batch_execute(&statement).expect("a grant");
}
