//! `[jwt]`: how tokens are verified, and which roles they may stand for.

use std::collections::HashMap;
use std::path::PathBuf;

use super::sources::Settings;
use jsonwebtoken::Algorithm;

/// How tokens are verified, and which roles they may stand for. Without this section there are no tokens.
#[derive(Debug, Clone)]
pub struct Jwt {
    /// The role that the server logs in as, to take on those of tokens. It is `NOINHERIT` and no superuser.
    pub login_role: String,
    /// A file with its password. Without it a password is looked for where libpq looks.
    pub password_file: Option<PathBuf>,
    /// The required issuer of a token (`iss`).
    pub issuer: String,
    /// The required audience of a token (`aud`).
    pub audience: String,
    /// Which algorithms are accepted. They must fit the keys.
    pub algorithms: Vec<Algorithm>,
    /// A file with the public keys of the issuer, a JSON Web Key Set.
    pub jwks_file: Option<PathBuf>,
    /// A file with the secret of HS256, HS384 or HS512, of 32 bytes or more.
    pub secret_file: Option<PathBuf>,
    /// The claim that names the role, a path such as `role` or `app.database.role`.
    pub role_claim: String,
    /// Roles for values of that claim. Where it is empty, the claim is the name of the role.
    pub role_map: HashMap<String, String>,
    /// The roles that a token may stand for. No other role is taken on, whoever signed for it.
    pub roles: Vec<String>,
}

impl Jwt {
    /// All keys of the section that are needed, or none: then there are no tokens.
    pub(super) fn of(settings: &Settings) -> Result<Option<Self>, String> {
        let Some(issuer) = settings.optional_text("jwt.issuer") else {
            return Ok(None);
        };
        let needed = |name: &str| {
            settings
                .optional_text(name)
                .ok_or_else(|| format!("jwt.issuer is set, and {name} is not"))
        };
        let roles = settings.list("jwt.roles");
        if roles.is_empty() {
            return Err("jwt.issuer is set, and jwt.roles is not".to_owned());
        }
        let file = |name: &str| settings.optional_text(name).map(PathBuf::from);
        let (jwks_file, secret_file) = (file("jwt.jwks_file"), file("jwt.secret_file"));
        if jwks_file.is_some() == secret_file.is_some() {
            return Err(
                "jwt.issuer is set, and needs either jwt.jwks_file or jwt.secret_file".to_owned(),
            );
        }
        let algorithms = settings
            .list("jwt.algorithms")
            .iter()
            .map(|name| algorithm(name))
            .collect::<Result<Vec<_>, _>>()?;
        // A public key is no secret: whoever has it could sign with it.
        let is_of_secrets = |algorithm: &Algorithm| {
            matches!(
                algorithm,
                Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512
            )
        };
        if !algorithms
            .iter()
            .all(|algorithm| is_of_secrets(algorithm) == secret_file.is_some())
        {
            return Err("jwt.algorithms must be HS256, HS384 or HS512 with jwt.secret_file, and none of them with \
                jwt.jwks_file".to_owned());
        }
        Ok(Some(Self {
            login_role: needed("jwt.login_role")?,
            password_file: file("jwt.password_file"),
            issuer,
            audience: needed("jwt.audience")?,
            algorithms,
            jwks_file,
            secret_file,
            role_claim: settings.text("jwt.role_claim"),
            role_map: settings.pairs("jwt.role_map").into_iter().collect(),
            roles,
        }))
    }
}

fn algorithm(name: &str) -> Result<Algorithm, String> {
    name.parse()
        .map_err(|_| format!("jwt.algorithms has \"{name}\", which is no signature of a token"))
}
