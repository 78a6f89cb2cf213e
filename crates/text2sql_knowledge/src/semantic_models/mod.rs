//! Semantic models of other programs: Cube and LookML, and those of MetricFlow as YAML.
//!
//! Whether tables exist and expressions are valid is checked when the definitions are stored.

mod cube;
pub mod export;
mod looker;
mod lookml;
#[cfg(test)]
mod tests;
mod views;
mod yaml;

use super::dbt::{self, Manifest};
use text2sql_domain::error::{Error, failure};

/// The formats that are read.
pub const FORMATS: [&str; 3] = ["metricflow", "cube", "lookml"];

/// Maximum length of a model.
const MAX_BYTES: usize = 20_000_000;

/// Reads a model in one of [`FORMATS`].
pub fn read(content: &str, format: &str) -> Result<Manifest, Error> {
    if content.len() > MAX_BYTES {
        return Err(failure!(
            Limit,
            "the model has {} bytes, more than {MAX_BYTES}",
            content.len()
        ));
    }
    let refused = |why: String| failure!(Setting, "this is no model of {format}: {why}");
    match format {
        "metricflow" => dbt::read(&yaml::read(content).map_err(refused)?),
        "cube" => {
            let document = yaml::read(content).map_err(refused)?;
            cube::read(&document)
                .map(views::Project::lessons)
                .map_err(refused)
        }
        "lookml" => looker::read(content)
            .map(views::Project::lessons)
            .map_err(refused),
        other => Err(
            failure!(Setting, "unknown format \"{other}\"").with_hint(format!(
                "Use one of {}: format => 'cube'.",
                FORMATS.join(", ")
            )),
        ),
    }
}
