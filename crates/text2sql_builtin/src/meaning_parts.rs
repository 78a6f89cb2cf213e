//! What an answer means, as parts that a person reads and changes one by one; and the answer to a meaning that was changed
//! so.
//!
//! A choice is what the meaning has instead of its own members: who sends it back needs to know nothing of the form.

use std::sync::Arc;

use crate::families;
use crate::follow_up::group_questions;
use crate::meaning_words::{Part, Wording, edited_text, in_words, parts, top_text};
use serde_json::{Map, Value, json};
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::understanding::Understanding;
use text2sql_phrases::retold;
use text2sql_semantics::{Answer, Edit, OrderBy, SemanticQuery};
use text2sql_understanding::{compiled, follow, read_short, sums_a_rate};

/// Maximum number of other values that are offered for a part.
const MAX_CHOICES: usize = 4;

/// How many rows are offered.
const LIMITS: [u32; 3] = [3, 5, 10];

/// The statement of a meaning that the caller wrote or changed; the error is a sentence.
pub fn of_meaning(
    meaning: &Value,
    asked: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Result<SqlProposal, String> {
    let query = SemanticQuery::read(meaning).map_err(|wrong| wrong.problem)?;
    // What owners define is theirs: no expression of a caller is taken for it.
    let known = |expression: &str| {
        let mut own = definitions
            .iter()
            .filter_map(|one| one.sql_expression.as_deref());
        own.any(|own| own == expression)
    };
    if let Some(unknown) = expressions(meaning).into_iter().find(|one| !known(one)) {
        return Err(format!("no definition has the expression {unknown}"));
    }
    let tables = families::united(asked.text(), tables, definitions);
    let mut proposal = compiled(&query, &tables).map_err(|refusal| refusal.to_string())?;
    let language = asked.language();
    families::note(&mut proposal, &tables, language);
    let said = proposal.links.iter_mut().chain(&mut proposal.notes);
    said.for_each(|note| *note = retold(language, "reason", note));
    proposal.corrected_question = Some(in_words(
        &query,
        Wording {
            language,
            definitions,
        },
    ));
    Ok(proposal)
}

/// The statement of a meaning in the short form that a model writes; the error is a sentence.
pub fn of_short_meaning(meaning: &Value, tables: &[Arc<Table>]) -> Result<SqlProposal, String> {
    let tables = families::united("", tables, &[]);
    let query = read_short(meaning, &tables)?;
    compiled(&query, &tables).map_err(|refusal| refusal.to_string())
}

/// The expressions of definitions in it.
fn expressions(meaning: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    let own = meaning.get("expression").and_then(Value::as_str);
    found.extend(own);
    let inner: Box<dyn Iterator<Item = &Value>> = match meaning {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => return found,
    };
    found.extend(inner.flat_map(expressions));
    found
}

/// The parts, each with its text, what it may be instead, and the meaning without it.
pub fn meaning_parts(
    meaning: &Value,
    asked: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Vec<Value> {
    let Ok(query) = SemanticQuery::read(meaning) else {
        return Vec::new();
    };
    let tables = &*families::united(asked.text(), tables, definitions);
    let wording = Wording {
        language: asked.language(),
        definitions,
    };
    let changed = |edited: &SemanticQuery| {
        if sums_a_rate(edited) && !sums_a_rate(&query) {
            return None;
        }
        compiled(edited, tables).ok()?;
        changes(meaning, edited)
    };
    let by_words = |text: &str| {
        let question = Understanding::of(text, asked.today());
        let followed = follow(&query, &question, text, tables, definitions)?;
        let meaning = followed.proposal.meaning?;
        changed(&SemanticQuery::read(&meaning).ok()?)
    };
    let mut all = Vec::new();
    let mut own = parts(&query, wording);
    if let Answer::Figures { dimensions, .. } = &query.answer {
        // What could be there and is not: it has no text.
        let empty = |kind| Part {
            kind,
            text: String::new(),
            at: 0,
            edits: Vec::new(),
        };
        match dimensions.is_empty() {
            true => own.push(empty("by")),
            false if query.order.is_none() => own.push(empty("top")),
            false => {}
        }
    }
    for part in &own {
        let mut choices: Vec<(String, Value)> = Vec::new();
        let mut add = |text: String, set: Option<Value>| {
            let is_new = text != part.text && choices.iter().all(|(known, _)| *known != text);
            if let Some(set) = set.filter(|_| is_new && choices.len() < MAX_CHOICES) {
                choices.push((text, set));
            }
        };
        for edit in &part.edits {
            if let Ok(edited) = query.edited(edit) {
                add(edited_text(&edited, part, wording), changed(&edited));
            }
        }
        match part.kind {
            "by" => {
                for text in group_questions(&query, wording.language, tables) {
                    add(text.clone(), by_words(&text));
                }
            }
            "top" => {
                for limit in LIMITS {
                    let edit = Edit::First {
                        limit,
                        is_ascending: false,
                    };
                    let edited = query.edited(&edit).ok();
                    let text = edited.as_ref().and_then(|edited| top_text(edited, wording));
                    add(text.unwrap_or_default(), edited.as_ref().and_then(changed));
                }
            }
            _ => {}
        }
        let without = without(&query, part).and_then(|edited| changed(&edited));
        if part.text.is_empty() && choices.is_empty() {
            continue;
        }
        let choices: Vec<Value> = choices
            .into_iter()
            .map(|(text, set)| json!({"text": text, "set": set}))
            .collect();
        all.push(json!({
            "part": part.kind, "text": part.text, "without": without, "choices": choices,
        }));
    }
    all
}

/// The members of the meaning that are others in the edited one.
fn changes(meaning: &Value, edited: &SemanticQuery) -> Option<Value> {
    let edited = serde_json::to_value(edited).ok()?;
    let mut set = Map::new();
    for (name, value) in edited.as_object()? {
        // What was read from words is told again by those words.
        if name != "parts" && meaning.get(name) != Some(value) {
            set.insert(name.clone(), value.clone());
        }
    }
    (!set.is_empty()).then_some(Value::Object(set))
}

fn without(query: &SemanticQuery, part: &Part) -> Option<SemanticQuery> {
    let mut edited = query.clone();
    match (part.kind, &mut edited.answer) {
        ("measure", Answer::Figures { measures, .. }) if measures.len() > 1 => {
            measures.remove(part.at);
            edited.order = None;
        }
        ("by", Answer::Figures { dimensions, .. }) if dimensions.len() > 1 => {
            dimensions.remove(part.at);
            edited.order = edited
                .order
                .filter(|order| matches!(order.by, OrderBy::Measure(_)));
        }
        ("by", _) if !part.text.is_empty() => edited = query.edited(&Edit::InTotal).ok()?,
        ("only" | "period", _) => {
            edited.conditions.remove(part.at);
        }
        ("top", _) => edited.order = None,
        _ => return None,
    }
    Some(edited)
}
