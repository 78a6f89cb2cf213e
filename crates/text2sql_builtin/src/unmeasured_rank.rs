//! "How did our top customers perform last quarter?": by what the top is measured is not said.

use std::sync::Arc;

use crate::linking::derived_tables;
use crate::linking::links::Links;
use crate::linking::readable_names::{plural, readable};
use crate::linking::sql_names::addressed;
use crate::proposal::propose_within;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_domain::words;
use text2sql_language::understanding::Understanding;
use text2sql_language::words::{Token, TokenKind};
use text2sql_phrases::say_in;

/// Words for the first of an order that do not say which.
const RANKED: &[&str] = words!(
    "top, best, leading, foremost, beste, besten, führende, führenden, wichtigste, wichtigsten"
);

/// Words that say nothing by which things could be measured.
const FILLERS: &[&str] = words!(
    "how, did, do, does, have, has, had, our, my, your, the, perform, performed, performing, doing, do, sell, selling, \
     what, which, who, are, is, were, was, show, list, give, me, us, tell, about, please, and, for, in, of, over, all, \
     wie, haben, hat, unsere, unseren, unser, meine, die, der, den, das, sich, entwickelt, abgeschnitten, waren, sind, \
     wer, welche, welches, zeige, zeig, mir, uns, nenne, liste, bitte, im, in, verkaufen, verkauft"
);

/// Maximum number of readings.
const MAX_READINGS: usize = 4;

/// The question back, with the measures that have an answer; `None` where it says one, or there are not several.
pub(crate) fn ask_back(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<(String, Vec<String>)> {
    let language = understanding.language();
    let surface = |token: &Token| token.surface.to_lowercase();
    let is_ranked = |token: &Token| RANKED.contains(&surface(token).as_str());
    if !understanding.tokens().iter().any(is_ranked) {
        return None;
    }
    let tokens = addressed(understanding.tokens().to_vec(), tables);
    let at = tokens.iter().position(is_ranked)?;
    let beneath = derived_tables::base_tables(&tokens, tables, definitions);
    let base = beneath.as_deref().unwrap_or(tables);
    let links = Links::find(&tokens, base, definitions);
    let is_number = |at: usize| tokens.get(at).is_some_and(|token| token.number.is_some());
    let noun = links.name_at(if is_number(at + 1) { at + 2 } else { at + 1 })?;
    let [ranked] = noun.best_tables()[..] else {
        return None;
    };
    let period = understanding
        .periods()
        .first()
        .map(|period| period.text.as_str());
    let of_period: Vec<String> = period
        .into_iter()
        .flat_map(|text| text.split_whitespace().map(str::to_lowercase))
        .collect();
    let says_more = tokens.iter().enumerate().any(|(place, token)| {
        let is_known = place >= at && place < noun.end
            || token.kind == TokenKind::Stop
            || FILLERS.contains(&surface(token).as_str())
            || of_period.contains(&surface(token));
        !is_known
    });
    if says_more {
        return None;
    }
    let words: Vec<&str> = tokens
        .get(at + 1..noun.end)?
        .iter()
        .map(|token| token.surface.as_str())
        .collect();
    let thing = words.join(" ");
    let period = period.map(|text| format!(" {text}")).unwrap_or_default();
    let mut readings = Vec::new();
    for measure in measures(understanding, base, ranked) {
        let reading = match understanding.is_german() {
            true => format!("Top {thing} nach {measure}{period}"),
            false => format!("top {thing} by {measure}{period}"),
        };
        let asked = Understanding::of(&reading, understanding.today());
        let is_answered = matches!(
            propose_within(&asked, tables, definitions, 1),
            Proposal::Sql(_)
        );
        if is_answered && readings.len() < MAX_READINGS {
            readings.push(reading);
        }
    }
    let word = &tokens.get(at)?.surface;
    (readings.len() > 1).then(|| {
        let question = say_in!(language, "by what is \"{word}\" measured?", word);
        (question, readings)
    })
}

/// By what things of a table may be measured: revenue, and how many rows refer to them, also through the lines of a sale.
fn measures(understanding: &Understanding, tables: &[Arc<Table>], ranked: usize) -> Vec<String> {
    let is_german = understanding.is_german();
    let mut found = vec![if is_german { "Umsatz" } else { "revenue" }.to_owned()];
    let Some(thing) = tables.get(ranked) else {
        return found;
    };
    let refers = |table: &Table, to: u32| table.foreign_keys.iter().any(|key| key.target == to);
    let near = tables.iter().filter(|table| refers(table, thing.oid));
    let far = tables.iter().filter(|table| {
        let mut between = tables.iter().filter(|one| refers(one, thing.oid));
        between.any(|one| refers(table, one.oid) && one.oid != thing.oid)
    });
    let is_other = |table: &&Arc<Table>| table.derived_by.is_none() && table.oid != thing.oid;
    for table in near.chain(far).filter(is_other) {
        let rows = plural(&readable(&table.name));
        let measure = match is_german {
            true => format!("Anzahl {rows}"),
            false => format!("number of {rows}"),
        };
        if !found.contains(&measure) {
            found.push(measure);
        }
    }
    found
}
