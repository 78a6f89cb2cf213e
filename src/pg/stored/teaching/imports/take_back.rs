//! Takes back what a source gave.

use std::collections::HashSet;

use text2sql_domain::error::{Error, failure};

use super::provenance::{Before, forget};
use crate::pg::stored::teaching::{definitions, examples, required};

/// What became of a definition or example of the source.
pub(crate) struct TakenBack {
    pub(crate) entry: String,
    pub(crate) subject: String,
    /// `dropped` or `left`.
    pub(crate) outcome: &'static str,
    pub(crate) reason: Option<String>,
}

/// Drops the definitions and examples that a source gave, except those that were changed since, and verified examples
/// unless they are included.
pub(crate) fn take_back(
    source: Option<&str>,
    includes_verified: bool,
) -> Result<Vec<TakenBack>, Error> {
    let source = required(source, "source")?;
    definitions::take_all_turns();
    let before = Before::read(source)?;
    if before.lines.is_empty() {
        return Err(failure!(
            Undefined,
            "nothing was imported from the source \"{source}\""
        )
        .with_hint("List the imports: SELECT source, kind, taken FROM text2sql.imports;"));
    }
    let present = definitions::existing(&listed(&before.definitions))?;
    let known = examples::existing(&listed(&before.examples))?;
    let mut taken_back = Vec::new();
    let (mut drop_definitions, mut drop_examples) = (Vec::new(), Vec::new());
    for line in before.lines.iter().filter(|line| line.is_own) {
        pgrx::check_for_interrupts!();
        let (Some(entry), Some(id)) = (line.entry.clone(), line.entry_id) else {
            continue;
        };
        let left = if entry == "definition" {
            match present.contains(&id) {
                true => {
                    drop_definitions.push(id);
                    None
                }
                false => Some("it was defined anew or dropped since".to_owned()),
            }
        } else {
            match known.get(&id) {
                None => Some("it was dropped before".to_owned()),
                Some(Some(role)) if !includes_verified => Some(format!(
                    "{role} verified it; include_verified => true drops it too"
                )),
                Some(_) => {
                    drop_examples.push(id);
                    None
                }
            }
        };
        taken_back.push(TakenBack {
            entry,
            subject: line.subject.clone(),
            outcome: if left.is_some() { "left" } else { "dropped" },
            reason: left,
        });
    }
    definitions::drop_all(&drop_definitions)?;
    examples::drop_all(&drop_examples)?;
    forget(source)?;
    Ok(taken_back)
}

fn listed(ids: &HashSet<i64>) -> Vec<i64> {
    ids.iter().copied().collect()
}
