//! Words of a question that stand for days by a definition: facts for a model, days in the question for the built-in
//! engine.
//!
//! A word that the schema knows is no period: "the current price" of a column `current`, "recent" as a value of a
//! status.

use std::sync::Arc;

use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::ModelConfig;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::schema::{Column, Table};
use text2sql_language::interpretation::Facts;
use text2sql_language::named_periods::{
    NamedPeriod, PeriodTerm, Undefined, are_same, defaults, find, undefined, with_days,
};
use text2sql_language::periods::mentioned::MentionedPeriod;
use text2sql_language::terms::split as words_of_name;
use text2sql_language::understanding::{Understanding, lower_words};
use text2sql_retrieval::Context;

/// The terms of the question that stand for days, and words for days that nobody defined. The definitions leave the
/// context: they are facts then.
pub(crate) fn named(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &mut Context,
) -> Result<(Vec<NamedPeriod>, Vec<Undefined>), Error> {
    let mut terms = Vec::new();
    if cx.config.retrieval.definitions {
        for definition in cx.catalog.period_definitions()? {
            let said = definition.period.as_deref().unwrap_or_default();
            terms.extend(PeriodTerm::defined(
                &definition.term,
                &definition.synonyms,
                said,
            ));
        }
    }
    terms.extend(defaults(&terms));
    context
        .definitions
        .retain(|definition| definition.period.is_none());
    context
        .related
        .retain(|definition| definition.period.is_none());
    let found = find(understanding, &terms, &|| nouns(&context.tables));
    let of_schema = |period: &NamedPeriod| {
        let term = terms.iter().find(|term| term.term == period.term);
        let mut names = term.into_iter().flat_map(|term| &term.names);
        names.any(|name| {
            let in_text = format!(" {} ", lower_words(&period.text).join(" "));
            let is_used = lower_words(&period.text)
                .iter()
                .any(|word| are_same(word, name))
                || in_text.contains(&format!(" {} ", lower_words(name).join(" ")));
            is_used && is_of_schema(name, context)
        })
    };
    let found = found.into_iter().filter(|period| !of_schema(period));
    let mut undefined = undefined(understanding, &terms);
    undefined.retain(|words| !is_of_schema(&words.text, context));
    Ok((found.collect(), undefined))
}

/// The answer of an engine that needs days which nobody defined, with a hint how to define them.
pub(crate) fn with_hint(mut answer: Answer, facts: &Facts) -> Answer {
    if answer.status == Status::Unanswerable
        && let Some((_, note)) = facts.undefined.first()
    {
        answer.hint = Some(match answer.hint.take() {
            Some(hint) => format!("{note}; {hint}"),
            None => note.clone(),
        });
    }
    answer
}

/// The names of the tables as words: what "recent" belongs to.
fn nouns(tables: &[Arc<Table>]) -> Vec<Vec<String>> {
    let names = tables.iter().flat_map(|table| {
        let synonyms = table.synonyms.iter().map(|word| lower_words(word));
        std::iter::once(words_of_name(&table.name)).chain(synonyms)
    });
    names.filter(|words| !words.is_empty()).collect()
}

/// Whether a table, a column, a synonym of one, or a value has the name.
fn is_of_schema(name: &str, context: &Context) -> bool {
    let is_name = |own: &str| {
        let words = words_of_name(own);
        let words = match words.split_first() {
            Some((first, rest)) if matches!(first.as_str(), "is" | "has") => rest,
            _ => words.as_slice(),
        };
        are_same(&words.join(" "), name)
    };
    let is_said = |own: &str| are_same(own, name);
    let is_value = |column: &Column| {
        let statistics = column.statistics.iter();
        let mut common = statistics.flat_map(|facts| &facts.most_common_values);
        common.any(|value| is_said(value))
            || column.enum_labels.iter().any(|label| is_said(label))
            || column
                .value_meanings
                .iter()
                .any(|(_, meaning)| is_said(meaning))
    };
    let is_column = |column: &Column| {
        is_name(&column.name)
            || column.synonyms.iter().any(|word| is_said(word))
            || is_value(column)
    };
    context.values.iter().any(|(phrase, _)| is_said(phrase))
        || context.tables.iter().any(|table| {
            is_name(&table.name)
                || table.synonyms.iter().any(|word| is_said(word))
                || table.columns.iter().any(is_column)
        })
}

/// Adds the terms to the facts.
pub(crate) fn add(
    cx: &Run<'_>,
    understanding: &Understanding,
    named: &[NamedPeriod],
    undefined: &[Undefined],
    facts: &mut Facts,
) {
    let language = understanding.language();
    let mut known = None;
    let mut may_define = || *known.get_or_insert_with(|| cx.session.may_define());
    for words in undefined {
        let note = words.note(language, may_define());
        facts.undefined.push((words.text.clone(), note));
    }
    if named.is_empty() {
        return;
    }
    for period in named {
        match period.days {
            Some(days) => {
                let mut fact = MentionedPeriod::of(&period.text, days, language);
                fact.means = (!period.is_default).then(|| period.said.clone());
                if !facts.periods.contains(&fact) {
                    facts.periods.push(fact);
                }
            }
            None => {
                facts
                    .names
                    .push(format!("'{}' means {}", period.text, period.said));
                facts
                    .groups
                    .push((period.text.clone(), period.said.clone()));
            }
        }
        if period.is_default {
            let assumption = period.assumption(language, may_define());
            facts.assumed.extend(assumption);
        }
    }
    if matches!(cx.config.model, ModelConfig::Builtin) {
        facts.in_days = with_days(understanding, named);
    }
}
