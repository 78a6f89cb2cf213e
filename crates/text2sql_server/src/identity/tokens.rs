//! Tokens (JWT) that stand for a role. Everything that decides is in the configuration, nothing in the token: which
//! algorithms and keys are accepted, who issues them for whom, and which roles there are.

mod keys;
mod signatures;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use serde_json::Value;

use self::keys::Keys;
use super::Identity;
use crate::config::Jwt;

/// Number of seconds by which clocks may differ.
const LEEWAY: u64 = 30;
/// A token is a header of a request; longer ones are not looked at.
const LONGEST: usize = 8192;

/// Why a token is refused. The client is not told which check failed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// Signature, issuer, audience, time or form is wrong: 401.
    #[error("{0}")]
    Invalid(String),
    /// The token is right, and stands for no role of the configuration: 403.
    #[error("{0}")]
    NoRole(String),
}

/// Verifies tokens.
pub struct Tokens {
    settings: Jwt,
    keys: Keys,
}

impl Tokens {
    /// Reads the keys. An error names what is wrong with the configuration.
    pub fn new(settings: Jwt) -> Result<Self, String> {
        if let Some(role) = settings
            .roles
            .iter()
            .find(|role| role.is_empty() || *role == "none" || **role == settings.login_role)
        {
            return Err(format!("jwt.roles must not have \"{role}\""));
        }
        if settings.algorithms.is_empty() {
            return Err("jwt.algorithms has no algorithm".to_owned());
        }
        signatures::install();
        let keys = Keys::read(&settings)?;
        Ok(Self { settings, keys })
    }

    /// The identity that a token stands for.
    pub fn verify(&self, token: &str) -> Result<Identity, TokenFault> {
        let claims = self.claims(token).map_err(TokenFault::Invalid)?;
        let role = self.role(&claims).map_err(TokenFault::NoRole)?;
        Ok(Identity::Taken(Arc::from(role)))
    }

    fn claims(&self, token: &str) -> Result<Value, String> {
        if token.len() > LONGEST {
            return Err("the token is too long".to_owned());
        }
        let header = decode_header(token).map_err(|error| error.to_string())?;
        let algorithm = header.alg;
        if !self.settings.algorithms.contains(&algorithm) {
            return Err(format!("algorithm {algorithm:?} is not accepted"));
        }
        if header.crit.is_some() {
            return Err("the token demands extensions".to_owned());
        }
        let key = self.keys.find(header.kid.as_deref(), algorithm)?;
        let decoded = decode::<Value>(token, &key, &self.validation(algorithm))
            .map_err(|error| error.to_string())?;
        // Lists of issuers are not looked through: a token has one.
        match decoded.claims.get("iss").and_then(Value::as_str) {
            Some(issuer) if issuer == self.settings.issuer => Ok(decoded.claims),
            _ => Err("the issuer is another".to_owned()),
        }
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_audience(&[&self.settings.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation
    }

    fn role(&self, claims: &Value) -> Result<String, String> {
        let path = &self.settings.role_claim;
        let value = path
            .split('.')
            .try_fold(claims, |claims, name| claims.get(name))
            .ok_or_else(|| format!("the token has no claim {path}"))?;
        let value = value
            .as_str()
            .ok_or_else(|| format!("the claim {path} is no text"))?;
        let role = if self.settings.role_map.is_empty() {
            value
        } else {
            self.settings
                .role_map
                .get(value)
                .ok_or_else(|| format!("jwt.role_map has no \"{value}\""))?
        };
        let is_allowed = self.settings.roles.iter().any(|allowed| allowed == role);
        if !is_allowed || role == "none" || role.is_empty() || role == self.settings.login_role {
            return Err(format!("jwt.roles has no \"{role}\""));
        }
        Ok(role.to_owned())
    }
}
