//! Where a change that somebody asks for would have to be made, as a script of the statements that make these objects.

use serde_json::{Value, json};
use text2sql_analysis::revision::places::{Definition, has_text_constant, places};
use text2sql_domain::config::{Egress, ModelConfig};
use text2sql_domain::error::Error;

use crate::pg::server::session::user_oid;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::spi::role::{effective_role, with_role};
use crate::pg::server::spi::{self};
use crate::pg::stored::models;

const DEFINITIONS: &str = include_str!("../../sql/queries/definitions_to_change.sql");

/// The places of a change.
pub(crate) struct Found {
    /// The statements that may be sent, one after another.
    pub(crate) script: String,
    /// Each place: what it is, why it is one, and why it is not among the statements.
    pub(crate) places: Vec<Value>,
}

/// Finds them among what the caller may read and execute. `near` are names of tables that mean what is asked.
pub(crate) fn found(request: &str, near: &[String], overrides: &Overrides) -> Result<Found, Error> {
    let role = effective_role(settings::run_as().as_deref())?;
    let caller = user_oid();
    let definitions: Vec<Definition> =
        with_role(&role, || spi::read_json(DEFINITIONS, &[caller.into()]))?;
    let shows_values = shows_values(overrides)?;
    let (mut statements, mut listed) = (Vec::new(), Vec::new());
    for place in places(request, near, &definitions) {
        let Some(definition) = definitions.get(place.at) else {
            continue;
        };
        // Its constants may be values of rows, which the caller did not send.
        let stays = !shows_values && has_text_constant(&definition.statement);
        if !stays {
            statements.push(format!("{};", definition.statement));
        }
        listed.push(json!({
            "object": definition.object,
            "kind": definition.kind,
            "why": place.why,
            "not_sent": stays.then_some("it has constants, and the model may not see values (egress)"),
        }));
    }
    Ok(Found {
        script: statements.join("\n\n"),
        places: listed,
    })
}

/// Whether each of the models that may be asked may see values.
fn shows_values(overrides: &Overrides) -> Result<bool, Error> {
    for name in settings::models(overrides)? {
        if let ModelConfig::Endpoint(endpoint) = models::model_without_key(&name)?
            && endpoint.egress < Egress::Values
        {
            return Ok(false);
        }
    }
    Ok(true)
}
