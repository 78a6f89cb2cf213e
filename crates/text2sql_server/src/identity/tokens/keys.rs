//! The keys that verify tokens.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, JwkSet, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use zeroize::Zeroizing;

use crate::config::Jwt;

/// The file of keys is read again when a token names a key that is not in it, but not more often than this.
const READ_AGAIN: Duration = Duration::from_secs(10);
/// As many bytes as the hash of HS256 has: RFC 7518, 3.2.
const SHORTEST_SECRET: usize = 32;

/// The keys that verify tokens.
pub(super) enum Keys {
    Secret(Box<DecodingKey>),
    Public {
        file: PathBuf,
        set: Mutex<(JwkSet, Instant)>,
    },
}

impl Keys {
    pub fn read(settings: &Jwt) -> Result<Self, String> {
        match (&settings.secret_file, &settings.jwks_file) {
            (Some(file), None) => Ok(Self::Secret(Box::new(secret(file)?))),
            (None, Some(file)) => Ok(Self::Public {
                file: file.clone(),
                set: Mutex::new((key_set(file)?, Instant::now())),
            }),
            _ => Err("tokens need either jwt.jwks_file or jwt.secret_file".to_owned()),
        }
    }

    /// The key that a token names. A token that names none is taken where there is only one.
    pub fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Result<DecodingKey, String> {
        match self {
            Self::Secret(key) => Ok(DecodingKey::clone(key)),
            Self::Public { file, set } => {
                let mut set = set.lock().unwrap_or_else(PoisonError::into_inner);
                if id.is_some_and(|id| set.0.find(id).is_none()) && set.1.elapsed() >= READ_AGAIN {
                    match key_set(file) {
                        Ok(keys) => set.0 = keys,
                        Err(problem) => tracing::error!("{problem}"),
                    }
                    set.1 = Instant::now();
                }
                let fitting: Vec<_> = set.0.keys.iter().filter(|key| is_named(key, id)).collect();
                match fitting.as_slice() {
                    [key] => usable(key, algorithm),
                    [] => Err("the key of the token is unknown".to_owned()),
                    _ => Err("the token does not say which of several keys".to_owned()),
                }
            }
        }
    }
}

fn is_named(key: &Jwk, id: Option<&str>) -> bool {
    id.is_none_or(|id| key.common.key_id.as_deref() == Some(id))
}

/// A public key for signatures by this algorithm.
fn usable(key: &Jwk, algorithm: Algorithm) -> Result<DecodingKey, String> {
    let is_for_signatures = key
        .common
        .public_key_use
        .as_ref()
        .is_none_or(|purpose| *purpose == PublicKeyUse::Signature);
    let is_for_algorithm = key
        .common
        .key_algorithm
        .is_none_or(|own| own == KeyAlgorithm::from(algorithm));
    if !is_for_signatures || !is_for_algorithm {
        return Err("the key of the token is for something else".to_owned());
    }
    let decoding = DecodingKey::from_jwk(key).map_err(|error| error.to_string())?;
    if decoding.family() != algorithm.family() {
        return Err("the key of the token is of another kind".to_owned());
    }
    Ok(decoding)
}

fn key_set(file: &Path) -> Result<JwkSet, String> {
    let wrong = |problem: String| format!("{}: {problem}", file.display());
    let text = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    let set: JwkSet = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
    if set.keys.is_empty() {
        return Err(wrong("it has no key".to_owned()));
    }
    // A secret in this file is refused: anyone who can read the file could sign tokens.
    if set
        .keys
        .iter()
        .any(|key| matches!(key.algorithm, AlgorithmParameters::OctetKey(_)))
    {
        return Err(wrong(
            "it has a secret (kty oct); name the file of a secret with jwt.secret_file".to_owned(),
        ));
    }
    Ok(set)
}

fn secret(file: &Path) -> Result<DecodingKey, String> {
    let text = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let text = Zeroizing::new(text);
    let secret = text.trim_ascii_end();
    if secret.len() < SHORTEST_SECRET {
        return Err(format!(
            "{}: the secret has {} bytes, and needs {SHORTEST_SECRET} or more",
            file.display(),
            secret.len()
        ));
    }
    Ok(DecodingKey::from_secret(secret))
}
