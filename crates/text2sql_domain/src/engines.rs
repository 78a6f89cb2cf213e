//! The engines of a question, in the order in which they are asked: the first that is sure answers, and the next one
//! takes over where one declines, fails or must not be asked.

use crate::named_enum;
use std::fmt;

use serde_json::{Value, json};

use crate::confidence::Fit;
use crate::config::{BUILTIN, Config, Egress, ModelConfig, SideModels};
use crate::error::{Error, failure};

/// Maximum number of engines: each may take as long as its endpoint's timeout.
const MAX_ENGINES: usize = 8;

/// Reads names separated by commas. A name in double quotes may contain a comma. The error is a sentence.
pub fn read_list(text: &str) -> Result<Vec<String>, String> {
    let mut names: Vec<String> = Vec::new();
    for part in split(text)? {
        let name = unquoted(part.trim())?;
        if name.is_empty() {
            return Err("A name is missing.".to_owned());
        }
        if names.contains(&name) {
            return Err(format!("\"{name}\" is named twice."));
        }
        names.push(name);
    }
    match names.len() {
        0..=MAX_ENGINES => Ok(names),
        more => Err(format!(
            "It names {more} models, and {MAX_ENGINES} are possible."
        )),
    }
}

/// The names as [`read_list`] reads them.
pub fn write_list(names: &[String]) -> String {
    let needs_quotes = |name: &str| name.contains([',', '"']) || name.trim() != name;
    let quoted = names.iter().map(|name| match needs_quotes(name) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.clone(),
    });
    quoted.collect::<Vec<_>>().join(", ")
}

/// The parts between the commas outside double quotes.
fn split(text: &str) -> Result<Vec<&str>, String> {
    let mut is_quoted = false;
    let parts = text.split(|c: char| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    });
    let parts = parts.collect();
    match is_quoted {
        true => Err("A double quote is missing.".to_owned()),
        false => Ok(parts),
    }
}

fn unquoted(part: &str) -> Result<String, String> {
    let Some(rest) = part.strip_prefix('"') else {
        return match part.contains('"') {
            true => Err(format!("{part} has a double quote inside.")),
            false => Ok(part.to_owned()),
        };
    };
    let inner = rest.strip_suffix('"').unwrap_or_default();
    match inner.replace("\"\"", "").contains('"') {
        true => Err(format!("{part} has a double quote inside.")),
        false => Ok(inner.replace("\"\"", "\"")),
    }
}

/// An engine that is ready to be asked.
#[derive(Debug, Clone)]
pub struct Engine {
    /// What writes the SQL.
    pub model: ModelConfig,
    /// The fitted confidence of its answers; `None` if none was fitted.
    pub confidence: Option<Fit>,
    /// The models of other calls for the question.
    pub side_models: SideModels,
}

/// The engines of a question.
pub trait Engines {
    /// Their names, in order; at least one.
    fn names(&self) -> &[String];

    /// Gets the engine at that place ready: its key, its share of a budget. Called when it is its turn, at most once
    /// for each reading of a question. An error [of the endpoint](Error::is_of_endpoint) hands over to the next one.
    fn start(&self, place: usize) -> Result<Engine, Error>;
}

/// The model of a configuration, as the only engine.
pub struct OnlyEngine {
    name: [String; 1],
    engine: Engine,
}

impl OnlyEngine {
    /// The model of that configuration.
    pub fn of(config: &Config) -> Self {
        Self {
            name: [config.model.name().to_owned()],
            engine: Engine {
                model: config.model.clone(),
                confidence: config.confidence,
                side_models: config.side_models.clone(),
            },
        }
    }
}

impl Engines for OnlyEngine {
    fn names(&self) -> &[String] {
        &self.name
    }

    fn start(&self, _place: usize) -> Result<Engine, Error> {
        Ok(self.engine.clone())
    }
}

/// Engines for a question that a model has written. It may hold what that model was shown, so that those which may be
/// sent less are not asked.
pub struct NotLessTrusted<'a> {
    engines: &'a dyn Engines,
    least: Egress,
}

impl<'a> NotLessTrusted<'a> {
    /// The engines that may be sent everything that the engine which wrote the query may be sent.
    pub fn than(writer: &Engine, engines: &'a dyn Engines) -> Self {
        let least = match &writer.model {
            // It writes names of the catalog, and values only where the caller is to choose.
            ModelConfig::Builtin => Egress::Schema,
            model => model.egress(),
        };
        Self { engines, least }
    }
}

impl Engines for NotLessTrusted<'_> {
    fn names(&self) -> &[String] {
        self.engines.names()
    }

    fn start(&self, place: usize) -> Result<Engine, Error> {
        let engine = self.engines.start(place)?;
        if engine.model.egress() < self.least {
            return Err(failure!(
                Denied,
                "the question was written by a model that may be sent more"
            )
            .of_endpoint());
        }
        Ok(engine)
    }
}

named_enum! {
    /// Why an engine did not answer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Cause {
        /// It cannot answer the question, or is not sure how it is meant.
        Declined = "declined",
        /// Its endpoint failed, or its query was refused or failed after all repairs.
        Failed = "failed",
        /// It could not be asked: a key is missing, a budget is used up, too many questions wait.
        NotAsked = "was not asked",
    }
}

/// An engine that did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GaveUp {
    /// Its name.
    pub engine: String,
    /// Why.
    pub cause: Cause,
    /// The reason in words, without row values; `None` where it is only known to the engine.
    pub reason: Option<String>,
}

impl GaveUp {
    /// Whether the asker should know even if another engine answered. That the built-in engine declines is usual.
    pub fn matters(&self) -> bool {
        self.engine != BUILTIN
    }

    /// The reason, unless it is why a question was declined: that may be said with values of the database, which no
    /// record keeps.
    pub fn recorded_reason(&self) -> Option<&str> {
        let reason = self.reason.as_deref();
        reason.filter(|_| self.cause != Cause::Declined)
    }

    /// The output of the stage `hand_over`.
    pub fn summary(&self) -> Value {
        json!({"cause": self.cause.as_str(), "reason": self.recorded_reason()})
    }
}

/// `gpt failed: the endpoint cannot be reached`
impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.engine, self.cause.as_str())?;
        match &self.reason {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        read_list(text).expect("a list")
    }

    #[test]
    fn names_are_separated_by_commas_and_may_be_quoted() {
        assert_eq!(read("builtin"), ["builtin"]);
        assert_eq!(read(" builtin, gpt ,local"), ["builtin", "gpt", "local"]);
        assert_eq!(read("My Model"), ["My Model"]);
        let quoted = read(r#""a, b", "say ""x""", c"#);
        assert_eq!(quoted, ["a, b", r#"say "x""#, "c"]);
        assert_eq!(read(&write_list(&quoted)), quoted);
        assert_eq!(write_list(&read("builtin,gpt")), "builtin, gpt");
    }

    #[test]
    fn what_is_no_list_is_refused_with_the_reason() {
        for (text, problem) in [
            ("", "A name is missing."),
            ("gpt,", "A name is missing."),
            ("gpt, , local", "A name is missing."),
            ("\"\"", "A name is missing."),
            ("gpt, builtin, gpt", "\"gpt\" is named twice."),
            ("\"gpt", "A double quote is missing."),
            ("g\"p\"t", "g\"p\"t has a double quote inside."),
            (
                "a,b,c,d,e,f,g,h,i",
                "It names 9 models, and 8 are possible.",
            ),
        ] {
            assert_eq!(read_list(text), Err(problem.to_owned()), "{text}");
        }
    }
}
