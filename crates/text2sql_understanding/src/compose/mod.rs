//! From linked spans to a meaning.

mod alike;
mod comparisons;
mod edits;
mod events;
mod fewest;
mod forms;
mod lists;
mod looking;
mod lookups;
mod marks;
mod measures;
mod over_rows;
mod patterns;
mod per;
mod ranks;
mod readings;
mod shares;
mod states;
mod units;
mod values;
mod values_compared;
mod verbs;
mod who;

use crate::conditions::{Asked, between, place};
use crate::lexicon::{self, Concept, canonical};
use crate::link::Span;
use crate::money::{self, Figure, day_of, is_sale, sales_table};
use crate::routes::{Misfit, Said};
use crate::said_periods::Period;
use crate::schema::{Name, NameKind, Schema, table_ref};
use crate::table_names::words_of;
use crate::term::TermKind;
use text2sql_domain::schema::TypeCategory;
use text2sql_language::english::verb_root;
use text2sql_language::words::stem;
use text2sql_semantics::{
    Aggregate, Answer, ColumnRef, Condition, DatePart, Dimension, Expression, Function, Literal,
    Measure, Operator, Order, OrderBy, Part, Related, SemanticQuery, Shown, Value,
};

/// Why a question was not understood.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) missing: Vec<String>,
    pub(crate) reason: &'static str,
    /// Questions of which one may be meant.
    pub(crate) readings: Vec<String>,
}

pub(crate) fn stop<T>(reason: &'static str) -> Result<T, Stop> {
    Err(Stop {
        missing: Vec::new(),
        reason,
        readings: Vec::new(),
    })
}

impl From<Misfit> for Stop {
    fn from(misfit: Misfit) -> Self {
        let reason = match misfit {
            Misfit::Unreachable => "the parts are not related",
            Misfit::Ambiguous => "a part has several meanings",
        };
        Self {
            missing: Vec::new(),
            reason,
            readings: Vec::new(),
        }
    }
}

/// What is measured.
#[derive(Debug, Clone, PartialEq)]
enum What {
    Revenue,
    Units,
    /// A column of one of the tables.
    Column(Vec<(usize, usize)>),
    /// What an owner defined.
    Term(usize),
    /// Rows of the table.
    Rows(usize),
    /// Days between the two dates of the table.
    Days(usize, usize, usize),
}

#[derive(Debug, Clone, PartialEq)]
struct Measured {
    function: Function,
    what: What,
}

/// What rows of figures are for.
#[derive(Debug, Clone, PartialEq)]
enum Group {
    Named(usize),
    Part(DatePart),
}

/// How the rows are ranked.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rank {
    at: usize,
    concept: Concept,
    limit: Option<u32>,
}

pub(crate) struct Composer<'a> {
    schema: &'a Schema<'a>,
    spans: Vec<Span>,
    used: Vec<bool>,
    said: Said,
    asked: Vec<Asked>,
    periods: Vec<Period>,
    groups: Vec<Group>,
    measures: Vec<Measured>,
    rank: Option<Rank>,
    /// A condition on the figure of each group.
    having: Option<(Operator, String, Option<String>)>,
    is_sold: bool,
    is_alphabetical: bool,
    /// The day on which what a verb says happened, for groups of days.
    day_of_verb: Option<(usize, usize)>,
    /// Whether rows became something, of which the data do not say when: "were cancelled in 2025".
    is_undated_state: bool,
    /// The span of the column that a list is sorted by, and whether the largest comes first.
    sorted_by: Option<(usize, bool)>,
    /// Whether rows count for which rows of another table speak.
    is_of_related: bool,
    /// Whether rows are related to this value and that one, to both or to one of them.
    is_of_both: bool,
    /// Columns of the things that figures are for.
    beside: Vec<(usize, usize)>,
    /// The column that is asked for in a larger unit, how many of its own are one, and the name of the unit.
    in_unit: Option<((usize, usize), u32, String)>,
    /// Whether "each" stands alone: "departments and the number of employees in each".
    is_for_each: bool,
}

impl<'a> Composer<'a> {
    pub(crate) fn new(schema: &'a Schema<'a>, mut spans: Vec<Span>) -> Self {
        // "two or more", "two hours or more": the comparison stands before its number.
        for at in 1..spans.len() {
            let follows = spans.get(at).is_some_and(|span| {
                let is_bound = span.is(Concept::AtLeast) || span.is(Concept::AtMost);
                is_bound
                    && ["or ", "and "]
                        .iter()
                        .any(|start| span.text.starts_with(start))
            });
            let is_number = |at: usize| spans.get(at).is_some_and(|span| span.number.is_some());
            let is_unit = |at: usize| {
                let concept = spans.get(at).and_then(|span| span.concept);
                matches!(concept, Some(Concept::Unit(_) | Concept::Money))
            };
            let number = match at {
                _ if !follows => None,
                _ if is_number(at - 1) => Some(at - 1),
                2.. if is_unit(at - 1) && is_number(at - 2) => Some(at - 2),
                _ => None,
            };
            if let Some(moved) = number.and_then(|number| spans.get_mut(number..=at)) {
                moved.rotate_right(1);
            }
        }
        count_days(schema, &mut spans);
        let mut used: Vec<bool> = spans.iter().map(Span::is_filler).collect();
        // "Return the names of all stores" is no return.
        for (at, used) in used.iter_mut().enumerate() {
            let before = at.checked_sub(1).and_then(|before| spans.get(before));
            let is_request = before.is_none_or(|before| before.text == ",");
            if is_request
                && spans
                    .get(at)
                    .is_some_and(|span| span.text.eq_ignore_ascii_case("return"))
            {
                *used = true;
            }
        }
        let mut composer = Self {
            schema,
            used,
            spans,
            said: Vec::new(),
            asked: Vec::new(),
            periods: Vec::new(),
            groups: Vec::new(),
            measures: Vec::new(),
            rank: None,
            having: None,
            is_sold: false,
            is_alphabetical: false,
            day_of_verb: None,
            is_undated_state: false,
            sorted_by: None,
            is_of_related: false,
            is_of_both: false,
            beside: Vec::new(),
            is_for_each: false,
            in_unit: None,
        };
        composer.read_only();
        composer.read_counted_condition();
        composer.read_stand_ins();
        composer.read_new();
        composer.read_own_things();
        composer.read_same_nouns();
        composer.read_any_party();
        composer.read_on_offer();
        composer.read_best_by();
        composer.read_best();
        composer.read_who();
        composer.read_total();
        composer.read_amount();
        composer.read_figures_of_columns();
        composer
    }

    /// "countries with only one customer": exactly one, where a noun stands before and behind.
    fn read_only(&mut self) {
        const ONLY: &[&str] = &["only", "just", "nur", "bloß", "lediglich"];
        for at in 1..self.spans.len() {
            let is_only = self
                .span(at)
                .is_some_and(|span| ONLY.contains(&span.text.to_lowercase().as_str()));
            let is_number = self
                .span(at + 1)
                .is_some_and(|span| span.number.is_some() && span.names.is_empty());
            let is_between =
                self.is_noun(at + 2) && (0..at).any(|before| !self.names(before).is_empty());
            if is_only
                && is_number
                && is_between
                && let Some(span) = self.spans.get_mut(at)
            {
                span.concept = Some(Concept::Exactly);
                if let Some(used) = self.used.get_mut(at) {
                    *used = false;
                }
            }
        }
    }

    /// "How many club members": where nothing else is counted, a condition of the glossary names the rows that meet it.
    fn read_counted_condition(&mut self) {
        let is_before = |span: &Span| span.is_filler() || span.is(Concept::Count);
        let Some(at) = self.spans.iter().position(|span| !is_before(span)) else {
            return;
        };
        let Some((term, TermKind::Condition)) = self.term_at(at) else {
            return;
        };
        let has_noun = self
            .names(at + 1)
            .iter()
            .any(|name| matches!(name.kind, NameKind::Table(_)));
        let table = self.schema.terms.get(term).map(|term| term.table);
        let (false, Some(table), Some(span)) = (has_noun, table, self.spans.get_mut(at)) else {
            return;
        };
        span.term = None;
        span.names = vec![Name {
            kind: NameKind::Table(table),
            score: 1.0,
        }];
        self.say_term(term);
        self.asked.push(Asked::Term {
            term,
            is_negated: false,
        });
    }
}

/// "How many days are there?" counts rows where a table is called so.
fn count_days(schema: &Schema<'_>, spans: &mut Vec<Span>) {
    let Some(at) = spans.iter().position(|span| span.is(Concept::AverageDays)) else {
        return;
    };
    let Some(span) = spans.get(at).cloned() else {
        return;
    };
    let Some((how_many, days)) = span.text.rsplit_once(' ') else {
        return;
    };
    let names = schema.named(&stem(&days.to_lowercase()), 0.0);
    let is_table = |name: &Name| matches!(name.kind, NameKind::Table(_)) && name.score >= 1.0;
    if span.words.len() > 1 && names.iter().any(is_table) {
        let middle = span.words.end - 1;
        let count = Span {
            words: span.words.start..middle,
            text: how_many.to_owned(),
            concept: Some(Concept::Count),
            ..span.clone()
        };
        let noun = Span {
            words: middle..span.words.end,
            text: days.to_owned(),
            concept: None,
            names: names.into_iter().filter(is_table).collect(),
            ..span
        };
        spans.splice(at..=at, [count, noun]);
    }
}

fn is_ranked_later(composer: &Composer<'_>, at: usize) -> bool {
    composer.span(at).is_some_and(|span| {
        matches!(
            span.concept,
            Some(
                Concept::Revenue
                    | Concept::Units
                    | Concept::Count
                    | Concept::Sum
                    | Concept::Average
            )
        )
    })
}
