//! `GET /openapi.json`: the OpenAPI description of the API, a file that the program contains, packed with gzip
//! (`build.rs`). A test compares it with the routes.

use bytes::Bytes;
use serde_json::Value;

use crate::page::unpack;
use crate::problem::Problem;

/// Where the routes are.
pub const PREFIX: &str = "/api/v1";

const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// Where it names the cookie of a session.
const COOKIE: &str = "/components/securitySchemes/session/name";

/// The description, with the name that the cookie of a session has at this server.
pub fn description(cookie: &str) -> Result<Bytes, Problem> {
    let mut description = read().map_err(|error| {
        Problem::unavailable(format!("cannot read the description of the API: {error}"))
    })?;
    if let Some(name) = description.pointer_mut(COOKIE) {
        *name = cookie.into();
    }
    Ok(description.to_string().into())
}

fn read() -> std::io::Result<Value> {
    Ok(serde_json::from_slice(&unpack(PACKED)?)?)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{COOKIE, description};

    #[test]
    fn the_description_is_that_of_the_file_but_for_the_cookie() {
        let mut file: Value = serde_json::from_str(include_str!("../../openapi.json")).unwrap();
        *file.pointer_mut(COOKIE).unwrap() = "__Host-text2sql".into();
        assert_eq!(description("__Host-text2sql").unwrap(), file.to_string());
    }
}
