//! `text2sql.describe(object, …)`: what is known about a schema, table or column: its description, other words for it, the
//! meanings of its values, its priority, and samples that every prompt shows. `forget(kind, object)` takes it away.
//! A star in the name of a table stands for all tables of a family.

use pgrx::prelude::*;
use pgrx::{JsonB, default};
use text2sql_domain::error::{Error, ErrorKind};

use super::array_argument::elements_if_given;
use crate::pg::access::objects::families;
use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::json_argument::JsonbArgument;
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::{annotations, samples};

/// Stores what is given, and leaves the rest as it is. Synonyms are added to those that are there.
#[pg_extern(volatile, parallel_unsafe, name = "describe")]
fn describe_object(
    object: Option<Text<'_>>,
    description: default!(Option<Text<'_>>, "NULL"),
    synonyms: default!(Option<Texts>, "NULL"),
    meanings: default!(Option<JsonbArgument>, "NULL"),
    priority: default!(Option<Text<'_>>, "NULL"),
    samples: default!(Option<JsonbArgument>, "NULL"),
    invented_samples: default!(Option<i32>, "NULL"),
) -> Result<(), ErrorReport> {
    let object = object.as_deref();
    let synonyms = elements_if_given(synonyms, "synonyms")?;
    let is_nothing = description.is_none()
        && synonyms.is_none()
        && meanings.is_none()
        && priority.is_none()
        && samples.is_none()
        && invented_samples.is_none();
    let describe = || {
        if is_nothing {
            return Err(Error::new(ErrorKind::Missing, "nothing is said about the object")
                .with_hint("To take a description away: SELECT text2sql.forget('description', 'shop.orders');"));
        }
        let members = match object {
            None => None,
            Some(name) => families::members(name)?,
        };
        let objects = match members {
            None => vec![object.map(str::to_owned)],
            Some(members) => members.into_iter().map(Some).collect(),
        };
        for object in &objects {
            let object = object.as_deref();
            if let Some(description) = description.as_deref() {
                annotations::describe(object, Some(description))?;
            }
            if let Some(synonyms) = &synonyms {
                annotations::add_synonyms(object, synonyms.clone())?;
            }
            if let Some(JsonbArgument(meanings)) = &meanings {
                annotations::describe_values(object, Some(JsonB(meanings.clone())))?;
            }
            if let Some(priority) = priority.as_deref() {
                annotations::set_priority(object, priority)?;
            }
            if let Some(JsonbArgument(samples)) = &samples {
                samples::add(object, samples.clone())?;
            }
            if let Some(count) = invented_samples {
                samples::invent(object, count)?;
            }
        }
        Ok(())
    };
    describe().map_err(report)
}
