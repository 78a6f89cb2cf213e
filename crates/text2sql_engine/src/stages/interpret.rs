//! Makes the implicit parts of a question explicit: the earlier question it refers to, relative dates,
//! business terms.
//!
//! This uses rules, so the result does not depend on the model. Dates are relative to the transaction's
//! date in its time zone; terms come from the glossary and the synonyms. Each one is a fact in the prompt
//! and an assumption in the answer. What no rule covers ("since Easter") is left to the model.
//!
//! This stage runs after retrieval, because it needs the definitions of the business terms.

use std::rc::Rc;
use std::sync::Arc;
use text2sql_domain::words;

use serde_json::json;

use super::named_periods;
use crate::conversation::{self, Following, Turn};
use text2sql_builtin as builtin;
use text2sql_domain::config::ModelConfig;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_domain::score::Fault;
use text2sql_language::interpretation::Facts;
use text2sql_language::periods::mentioned::MentionedPeriod;
use text2sql_language::understanding::{Understanding, lower_words};
use text2sql_phrases::say_in;
use text2sql_retrieval::Context;

/// Maximum number of business terms explained in one prompt.
const MAX_TERMS: usize = 12;

/// Maximum length of a meaning, in characters.
const MAX_MEANING_CHARS: usize = 200;

/// A question with its implicit parts made explicit.
pub(crate) struct Interpreted {
    pub(crate) understanding: Rc<Understanding>,
    /// Whether it is a follow-up that cannot be resolved.
    pub(crate) is_unresolved: bool,
}

/// Resolves a follow-up into a complete question and adds the implicit facts to the context. A question
/// that is a chosen reading is already complete.
pub(crate) fn interpret(
    cx: &Run<'_>,
    understanding: Rc<Understanding>,
    is_reading: bool,
    turns: &[Turn],
    context: &mut Context,
) -> Result<Interpreted, Error> {
    let stage = cx.stage("interpret");
    let is_builtin = matches!(cx.config.model, ModelConfig::Builtin);
    let following = match is_builtin && !turns.is_empty() && !is_reading {
        true => conversation::follow(turns, &understanding, context),
        false => Following::Alone,
    };
    let is_unresolved = matches!(following, Following::Unresolved);
    let mut standalone = None;
    let whole = match following {
        Following::Whole(whole) => Some(Rc::from(whole)),
        Following::Changed(proposal) => {
            let last = turns.iter().rev().find(|turn| turn.sql.is_some());
            standalone = last.map(|last| builtin::whole(last.whole(), &understanding));
            context.changed = Some(proposal);
            None
        }
        Following::Alone | Following::Unresolved => None,
    };
    if !is_unresolved {
        context.facts = facts(cx, whole.as_deref().unwrap_or(&understanding), context)?;
    }
    let input = json!({"question": understanding.text(), "earlier": turns.len()});
    let is_changed = is_reading || whole.is_some();
    let understanding = whole.unwrap_or(understanding);
    stage.end(
        input,
        json!({"question": understanding.text(), "facts": context.facts.statements()}),
    );
    if is_changed {
        standalone = Some(understanding.text().to_owned());
    }
    if standalone.is_some() {
        cx.trace.borrow_mut().standalone = standalone;
    }
    if !is_builtin {
        context.earlier = conversation::shown(turns, &understanding, cx.egress());
    }
    Ok(Interpreted {
        understanding,
        is_unresolved,
    })
}

/// The implicit facts of a question. The built-in engine resolves terms itself and only gets the periods.
fn facts(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &mut Context,
) -> Result<Facts, Error> {
    if !cx.config.reading.enable_interpretation {
        return Ok(Facts::default());
    }
    let (named, undefined) = named_periods::named(cx, understanding, context)?;
    let mut facts = match cx.config.model {
        ModelConfig::Builtin => Facts {
            periods: understanding.periods().to_vec(),
            ..Facts::default()
        },
        ModelConfig::Endpoint(_) | ModelConfig::Replay(_) => {
            taken_for_granted(understanding, context)
        }
    };
    named_periods::add(cx, understanding, &named, &undefined, &mut facts);
    Ok(facts)
}

/// Finds the implicit facts of a question.
pub fn taken_for_granted(understanding: &Understanding, context: &Context) -> Facts {
    let asked = Searched::of(understanding);
    let mut terms: Vec<String> = context
        .definitions
        .iter()
        .map(|definition| explained(definition, &asked))
        .collect();
    terms.dedup();
    terms.truncate(MAX_TERMS);
    Facts {
        periods: understanding.periods().to_vec(),
        names: names(&asked, &context.tables),
        terms,
        ..Facts::default()
    }
}

/// Adds the facts to the proposal in front of the model's own assumptions, and a note for each period
/// that the query does not use.
pub fn state(facts: &Facts, understanding: &Understanding, proposal: &mut SqlProposal) {
    // Only what the query applies is stated as an assumption; the judge tells the reader of the others.
    let is_other = |check| {
        let score = proposal.score.as_deref();
        score.is_some_and(|score| score.faults().contains(&Fault::Certain(check)))
    };
    let (other_days, other_terms) = (is_other("period"), is_other("definition"));
    let is_applied = |period: &&MentionedPeriod| !other_days && applies(period, &proposal.sql);
    let applied = Facts {
        periods: facts.periods.iter().filter(is_applied).cloned().collect(),
        terms: match other_terms {
            true => Vec::new(),
            false => facts.terms.clone(),
        },
        ..facts.clone()
    };
    let mut links = applied.statements();
    for link in std::mem::take(&mut proposal.links) {
        if !links.contains(&link) {
            links.push(link);
        }
    }
    proposal.links = links;
    // All rows are of the days until today, "so far".
    let is_all = |period: &MentionedPeriod| {
        let before = period.before.as_deref();
        period.from.is_none() && before.is_some_and(|day| day > understanding.today())
    };
    let unapplied = facts
        .periods
        .iter()
        .filter(|period| !applies(period, &proposal.sql) && !is_all(period));
    let language = understanding.language();
    let notes = unapplied.map(|period| {
        say_in!(
            language,
            "the query has no date for '{text}', which is {days}",
            text = period.text,
            days = period.days()
        )
    });
    let notes: Vec<String> = notes.collect();
    proposal.notes.extend(notes);
    proposal.notes.extend(facts.assumed.iter().cloned());
    let undefined = facts.undefined.iter().map(|(_, note)| note.clone());
    proposal.notes.extend(undefined);
}

/// Whether the query may use the period: it reads the clock, or contains one of the period's years.
fn applies(period: &MentionedPeriod, sql: &str) -> bool {
    const CLOCKS: [&str; 8] = *words!(
        "current_date, current_timestamp, localtimestamp, now(, transaction_timestamp, \
         statement_timestamp, 'today', 'yesterday'"
    );
    let sql = sql.to_lowercase();
    let years = [&period.from, &period.before];
    let years = years.into_iter().flatten().filter_map(|day| day.get(..4));
    CLOCKS.iter().any(|clock| sql.contains(clock))
        || years.into_iter().any(|year| sql.contains(year))
}

/// "'AOV' means average order value: sum(total) / count(*)", worded like the built-in engine.
fn explained(definition: &Definition, asked: &Searched<'_>) -> String {
    let words = std::iter::once(&definition.term).chain(&definition.synonyms);
    let spelling = words
        .clone()
        .find_map(|word| asked.spelled(word))
        .unwrap_or_else(|| definition.term.clone());
    let meaning: String = definition.meaning.chars().take(MAX_MEANING_CHARS).collect();
    match (meaning.is_empty(), &definition.sql_expression) {
        (false, Some(expression)) => format!("'{spelling}' means {meaning}: {}", expression.trim()),
        (true, Some(expression)) => format!("'{spelling}' means {}", expression.trim()),
        (_, None) => format!("'{spelling}' means {meaning}"),
    }
}

/// Synonyms in the question that belong to exactly one table or column.
fn names(asked: &Searched<'_>, tables: &[Arc<Table>]) -> Vec<String> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |word: &str, name: String| {
        let Some(spelling) = asked
            .spelled(word)
            .filter(|spelling| !is_name(spelling, &name))
        else {
            return;
        };
        match found.iter_mut().find(|(known, _)| *known == spelling) {
            Some((_, objects)) => objects.push(name),
            None => found.push((spelling, vec![name])),
        }
    };
    for table in tables {
        for word in &table.synonyms {
            add(word, table.sql_name());
        }
        for column in &table.columns {
            for word in &column.synonyms {
                let name = text2sql_domain::schema::quote_identifier(&column.name);
                add(word, format!("{}.{name}", table.sql_name()));
            }
        }
    }
    let certain = found
        .into_iter()
        .filter_map(|(spelling, objects)| match objects.as_slice() {
            [only] => Some(format!("'{spelling}' is {only}")),
            _ => None,
        });
    certain.take(MAX_TERMS).collect()
}

fn is_name(spelling: &str, name: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace(['_', ' ', '"'], "");
    let own = name.rsplit('.').next().unwrap_or(name);
    plain(spelling) == plain(own)
}

/// A question prepared for searching whole words.
struct Searched<'a> {
    understanding: &'a Understanding,
    /// The words, with a space before and after each.
    words: String,
}

impl<'a> Searched<'a> {
    fn of(understanding: &'a Understanding) -> Self {
        Self {
            understanding,
            words: spaced(understanding.words()),
        }
    }

    /// The word as written in the question, or `None` if the question does not contain it.
    fn spelled(&self, word: &str) -> Option<String> {
        let own = lower_words(word);
        let key = spaced(&own);
        if key.trim().chars().count() < 2 || !self.words.contains(&key) {
            return None;
        }
        let mut runs = self.understanding.words().windows(own.len());
        let place = runs.position(|run| run == own);
        Some(place.map_or_else(
            || word.to_owned(),
            |at| self.understanding.as_written(at..at + own.len()),
        ))
    }
}

fn spaced(words: &[String]) -> String {
    format!(" {} ", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema::Column;

    fn question(text: &str) -> Understanding {
        Understanding::of(text, "2026-11-21")
    }

    fn glossary() -> Context {
        let orders = Table {
            oid: 1,
            name: "purchase_orders".into(),
            is_visible: true,
            synonyms: vec!["PO".into(), "purchase orders".into()],
            columns: vec![Column {
                name: "total".into(),
                synonyms: vec!["turnover".into()],
                ..Column::default()
            }],
            ..Table::default()
        };
        let refunds = Table {
            oid: 2,
            name: "refunds".into(),
            is_visible: true,
            synonyms: vec!["RMA".into()],
            ..Table::default()
        };
        let returns = Table {
            oid: 3,
            name: "returns".into(),
            is_visible: true,
            synonyms: vec!["rma".into()],
            ..Table::default()
        };
        Context {
            tables: [orders, refunds, returns].map(Arc::new).to_vec(),
            definitions: vec![Definition {
                term: "average order value".into(),
                synonyms: vec!["AOV".into()],
                meaning: "mean total of an order".into(),
                sql_expression: Some("avg(total)".into()),
                ..Definition::default()
            }],
            ..Context::default()
        }
    }

    #[test]
    fn business_terms_are_explained() {
        let facts = taken_for_granted(
            &question("What is the AOV of each PO, and the turnover, last month?"),
            &glossary(),
        );
        assert_eq!(
            facts.statements(),
            [
                "'last month' is 2026-10-01 up to but without 2026-11-01",
                "'PO' is purchase_orders",
                "'turnover' is purchase_orders.total",
                "'AOV' means mean total of an order: avg(total)",
            ]
        );
    }

    #[test]
    fn ambiguous_synonyms_and_exact_names_are_not_explained() {
        let context = Context {
            definitions: Vec::new(),
            ..glossary()
        };
        let facts = taken_for_granted(&question("purchase orders with an RMA"), &context);
        assert_eq!(facts, Facts::default());
    }

    #[test]
    fn an_unused_period_gives_a_note() {
        let facts = taken_for_granted(&question("orders last month"), &Context::default());
        let notes = |sql: &str| {
            let mut proposal = SqlProposal {
                sql: sql.into(),
                links: vec!["'x' is y".into()],
                ..SqlProposal::default()
            };
            state(&facts, &question("orders last month"), &mut proposal);
            let stated = "'last month' is 2026-10-01 up to but without 2026-11-01";
            let is_applied = proposal.notes.is_empty();
            assert_eq!(proposal.links.contains(&stated.to_owned()), is_applied);
            assert_eq!(proposal.links.last().map(String::as_str), Some("'x' is y"));
            proposal.notes
        };
        assert_eq!(
            notes("SELECT count(*) FROM orders"),
            [
                "the query has no date for 'last month', which is 2026-10-01 up to but without 2026-11-01"
            ]
        );
        for sql in [
            "SELECT 1 FROM orders WHERE d >= '2026-10-01' AND d < '2026-11-01'",
            "SELECT 1 FROM orders WHERE extract(month FROM d) = 10 AND extract(year FROM d) = 2026",
            "SELECT 1 FROM orders WHERE d >= date_trunc('month', CURRENT_DATE) - INTERVAL '1 month'",
        ] {
            assert_eq!(notes(sql), Vec::<String>::new(), "{sql}");
        }
    }
}
