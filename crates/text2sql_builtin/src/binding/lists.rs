//! Lists: rows of a table, their columns, and their order.

use crate::binding::binder::Binder;
use crate::binding::select::{Named, Select};
use crate::linking::column_types::{is_date, is_number, is_text_of_numbers};
use crate::linking::mention::ColumnId;
use crate::linking::names;
use crate::linking::readable_names::readable;
use crate::linking::readable_names::singular;
use crate::no_answer::Stop;
use crate::parsing::comparatives::also_measured;
use crate::parsing::request::{ConditionKind, OrderBy, RankBy, Target};
use text2sql_domain::schema::{Column, quote_identifier};
use text2sql_language::english::lexicon;
use text2sql_language::words::Token;

/// Maximum number of columns offered for an adjective.
const MAX_READINGS: usize = 4;

/// Last words, as stems, of names of columns that measure how long something takes.
const UNITS_OF_TIME: &[&str] = &[
    "millisecond",
    "ms",
    "second",
    "minute",
    "min",
    "hour",
    "runtime",
];

/// Whether it is the date of birth.
fn is_birth_date(column: &Column) -> bool {
    let name = column.name.to_lowercase();
    is_date(column) && (name.contains("birth") || name == "dob")
}

impl Binder<'_> {
    pub(crate) fn select_list(&mut self) -> Result<Select, Stop> {
        let mut outputs: Vec<ColumnId> = Vec::new();
        let mut only_entity = None;
        let mut labels: Vec<ColumnId> = Vec::new();
        for target in &self.request.targets {
            match target {
                Target::Entity(table) => {
                    self.refuse_same_named_column(*table)?;
                    only_entity = (self.request.targets.len() == 1).then_some(*table);
                    outputs.extend(self.label(*table)?);
                }
                Target::All(table) => {
                    let count = self.table(*table)?.columns.len();
                    outputs.extend((0..count).map(|column| ColumnId {
                        table: *table,
                        column,
                    }));
                }
                Target::Named { mention, owner } => {
                    let named = self.named(mention, *owner)?;
                    self.refuse_number_for_name(&named)?;
                    if let Named::Table(table) = named {
                        self.refuse_same_named_column(table)?;
                    }
                    if let (Named::Table(table), 1) = (&named, self.request.targets.len()) {
                        only_entity = Some(*table);
                    }
                    let columns = self.columns_of(&named)?;
                    if let (Named::Table(_), [label]) = (&named, columns.as_slice()) {
                        labels.push(*label);
                    }
                    outputs.extend(columns);
                }
                _ => {}
            }
        }
        let Some(first) = outputs.first().copied() else {
            return Err(Stop::Unanswerable(
                "the question does not say what to show".to_owned(),
            ));
        };
        let root = self.request.subject.or(only_entity).unwrap_or(first.table);
        let mut select = Select {
            scope: self.new_scope(root)?,
            is_distinct: self.request.is_distinct,
            ..Select::default()
        };
        for id in &outputs {
            self.reach(&mut select.scope, root, id.table)?;
            let expression = self.column_sql(&select.scope, *id)?;
            if !select.has(&expression) {
                let name = &self.column(*id)?.name;
                let is_plain = matches!(name.as_str(), "name" | "title")
                    && labels.contains(id)
                    && id.table != root;
                if is_plain {
                    let table = singular(&self.table(id.table)?.name);
                    select.push(expression, &table);
                } else {
                    select.push(expression, name);
                }
            }
        }
        let says_owner = only_entity.is_some()
            || self.request.targets.iter().any(|target| {
                matches!(
                    target,
                    Target::Entity(_) | Target::All(_) | Target::Named { owner: Some(_), .. }
                )
            });
        if !says_owner && !select.is_distinct && !outputs.iter().any(|id| self.is_unique(*id)) {
            self.refuse_bare_measure(&outputs)?;
            select.is_distinct = true;
        }
        let mut conditions = self.conditions();
        if select.scope.multiplies {
            conditions.retain(|condition| !matches!(&condition.kind, ConditionKind::Related { table } if select.scope.alias(*table).is_some()));
        }
        self.lists.set(true);
        self.apply(&mut select.scope, root, &conditions)?;
        self.lists.set(false);
        self.order_list(&mut select, root, &outputs)?;
        Ok(select)
    }

    /// "Revenue of the last week": a measure in the singular usually means the sum, not a list of amounts.
    fn refuse_bare_measure(&self, outputs: &[ColumnId]) -> Result<(), Stop> {
        let ([Target::Named { mention, .. }], [id]) = (self.request.targets.as_slice(), outputs)
        else {
            return Ok(());
        };
        let column = self.column(*id)?;
        let table = self.table(id.table)?;
        let is_key = table.primary_key.contains(&column.name)
            || table
                .foreign_keys
                .iter()
                .any(|key| key.columns.contains(&column.name));
        let last = self.tokens.get(mention.end.wrapping_sub(1));
        let is_plural =
            last.is_some_and(|token| token.lower != token.stem && token.lower.ends_with('s'));
        if self.request.rank.is_some() || is_key || is_plural || !is_number(column) {
            return Ok(());
        }
        let phrase = self.surface_text(mention);
        // "What is the different revenue?" is not English.
        let is_singular = (0..mention.start).any(|at| {
            let token = self.tokens.get(at);
            token.is_some_and(|token| matches!(token.lower.as_str(), "is" | "was" | "much"))
        });
        let (question, words): (String, &[&str]) = match is_singular {
            true => (
                format!("is the sum of {phrase} meant, or its average?"),
                &["total", "average"],
            ),
            false => (
                format!("is the sum of {phrase} meant, its average, or each different value?"),
                &["total", "average", "different"],
            ),
        };
        Err(Stop::Ambiguous {
            question,
            start: mention.start,
            end: mention.end,
            replacements: words
                .iter()
                .map(|word| format!("{word} {phrase}"))
                .collect(),
        })
    }

    pub(crate) fn order_list(
        &mut self,
        select: &mut Select,
        root: usize,
        outputs: &[ColumnId],
    ) -> Result<(), Stop> {
        if let Some(rank) = &self.request.rank {
            let id = match &rank.by {
                RankBy::Column { mention, .. } => self.rank_column(mention)?,
                RankBy::Dimension(nouns) => self.dimension(root, nouns)?,
                RankBy::Count(_) | RankBy::Defined(_) => {
                    return Err(Stop::Unanswerable(
                        "rows cannot be ranked by that".to_owned(),
                    ));
                }
            };
            self.reach(&mut select.scope, root, id.table)?;
            if select.scope.multiplies {
                return Err(Stop::Unanswerable(
                    "the rank would count rows twice".to_owned(),
                ));
            }
            let column = self.column(id)?;
            if !is_number(column) && !is_date(column) && !is_text_of_numbers(column) {
                return Err(Stop::Unanswerable(format!(
                    "{} has no order of size",
                    readable(&column.name)
                )));
            }
            let expression = self.measure_sql(&select.scope, id)?;
            if select.is_distinct && !select.has(&expression) {
                return Err(Stop::Unanswerable(
                    "different values cannot be ordered by another column".to_owned(),
                ));
            }
            if self.request.limit.is_some_and(|limit| limit > 1)
                && matches!(self.request.targets.as_slice(), [Target::Entity(_)])
                && !select.has(&expression)
            {
                select.push(expression.clone(), &column.name);
            }
            let term = select.order_term(&expression);
            // The oldest person has the earliest date of birth.
            let is_reversed = matches!(&rank.by, RankBy::Dimension(nouns)
                if *nouns == lexicon::AGE && is_birth_date(column));
            let is_descending = rank.is_descending != is_reversed;
            let last = if column.not_null || !is_descending {
                ""
            } else {
                " NULLS LAST"
            };
            let direction = format!("{}{last}", if is_descending { " DESC" } else { "" });
            select.order_by.push(format!("{term}{direction}"));
            select.is_ranked = true;
        }
        for order in &self.request.order {
            let terms: Vec<ColumnId> = match &order.by {
                OrderBy::Column(mention) => self.columns_of(&self.named(mention, None)?)?,
                OrderBy::Label => outputs.to_vec(),
                OrderBy::Count => return Err(Stop::Unanswerable("nothing is counted".to_owned())),
            };
            for id in terms {
                self.reach(&mut select.scope, root, id.table)?;
                let expression = self.column_sql(&select.scope, id)?;
                if select.is_distinct && !select.has(&expression) {
                    return Err(Stop::Unanswerable(
                        "different values cannot be ordered by another column".to_owned(),
                    ));
                }
                let term = select.order_term(&expression);
                select.order_by.push(format!(
                    "{term}{}",
                    if order.is_descending { " DESC" } else { "" }
                ));
            }
        }
        self.break_ties(select, root)?;
        Ok(())
    }

    /// Breaks ties in the order, so that the answer is deterministic.
    pub(crate) fn break_ties(&mut self, select: &mut Select, root: usize) -> Result<(), Stop> {
        let table = self.table(root)?;
        let known = select.order_by.concat();
        if select.is_distinct
            || table.primary_key.is_empty()
            || !select.order_by.is_empty() && self.request.limit.is_none()
        {
            for (_, name) in select.columns.iter().take(3) {
                let name = quote_identifier(name);
                if !known.contains(&name) && select.order_by.is_empty() {
                    select.order_by.push(name);
                }
            }
            return Ok(());
        }
        for key in &table.primary_key {
            if let Some(column) = table.columns.iter().position(|column| column.name == *key) {
                let expression = self.column_sql(
                    &select.scope,
                    ColumnId {
                        table: root,
                        column,
                    },
                )?;
                let term = select.order_term(&expression);
                if !select.order_by.iter().any(|known| known.starts_with(&term)) {
                    select.order_by.push(term);
                }
            }
        }
        Ok(())
    }

    /// The column that an adjective measures: the one with exactly the name of the measure, else the only
    /// one whose name ends with it. If there are several, the user is asked: the most expensive film may be
    /// the one that costs most to rent or to replace.
    pub(crate) fn dimension(&self, table: usize, nouns: &[&str]) -> Result<ColumnId, Stop> {
        let columns = &self.table(table)?.columns;
        let numbers = || {
            let columns = columns.iter().enumerate();
            columns.filter(|(_, column)| is_number(column))
        };
        let ends_in = |nouns: &[&str]| -> Vec<ColumnId> {
            let ends = |words: &[String]| {
                let last = words.last();
                last.is_some_and(|word| nouns.contains(&word.as_str()))
            };
            numbers()
                .filter(|(_, column)| ends(&names::words_of(&column.name)))
                .map(|(column, _)| ColumnId { table, column })
                .collect()
        };
        let is_bare = |id: &&ColumnId| {
            let column = columns.get(id.column);
            column.is_some_and(|column| names::words_of(&column.name).len() == 1)
        };
        let found = ends_in(nouns);
        let mut bare = found.iter().filter(is_bare);
        let also = ends_in(also_measured(nouns));
        let chosen = match (bare.next(), bare.next(), found.as_slice()) {
            (Some(only), None, _) => Some(*only),
            (None, _, [only]) if also.is_empty() => Some(*only),
            _ => None,
        };
        if let Some(id) = chosen {
            self.note_dimension(nouns, id)?;
            return Ok(id);
        }
        let name = &self.table(table)?.name;
        if let (true, Some(id)) = (found.is_empty(), self.stand_in(table, nouns)) {
            self.note_dimension(nouns, id)?;
            return Ok(id);
        }
        match found.is_empty() {
            true => Err(Stop::Unanswerable(format!(
                "no single column of {name} is its {}",
                nouns.join(" or ")
            ))),
            false => {
                let ids: Vec<ColumnId> = found.into_iter().chain(also).collect();
                Err(self.which_dimension(table, nouns, &ids))
            }
        }
    }

    /// The only column that has the measure without its name: a length in milliseconds, an age by a date of birth.
    fn stand_in(&self, table: usize, nouns: &[&str]) -> Option<ColumnId> {
        let columns = &self.tables.get(table)?.columns;
        let is_measured = |column: &Column| {
            let words = names::words_of(&column.name);
            let last = words.last().map_or("", String::as_str);
            (nouns == lexicon::LENGTH && is_number(column) && UNITS_OF_TIME.contains(&last))
                || (nouns == lexicon::AGE && is_birth_date(column))
        };
        let mut found = (0..columns.len()).filter(|&i| columns.get(i).is_some_and(is_measured));
        let column = found.next()?;
        found.next().is_none().then_some(ColumnId { table, column })
    }

    /// Where the question has an adjective of these nouns, with "most" or "least" before it.
    fn adjective_at(&self, nouns: &[&str]) -> Option<(usize, usize)> {
        let is_adjective = |token: &Token| {
            lexicon::adjective(&token.lower).is_some_and(|(_, known)| known == nouns)
        };
        let at = self.tokens.iter().position(is_adjective)?;
        let before = at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let says_most =
            before.is_some_and(|token| matches!(token.lower.as_str(), "most" | "least"));
        Some((at - usize::from(says_most), at + 1))
    }

    /// Notes which column was used for an adjective.
    fn note_dimension(&self, nouns: &[&str], id: ColumnId) -> Result<(), Stop> {
        if let Some((start, end)) = self.adjective_at(nouns) {
            let phrase: Vec<&str> = self
                .tokens
                .get(start..end)
                .unwrap_or_default()
                .iter()
                .map(|token| token.surface.as_str())
                .filter(|phrase| !phrase.is_empty())
                .collect();
            let (table, column) = (self.table(id.table)?, self.column(id)?);
            self.note(format!(
                "'{}' is {}.{}",
                phrase.join(" "),
                table.name,
                column.name
            ));
        }
        Ok(())
    }

    /// Asks which of several columns an adjective measures.
    fn which_dimension(&self, table: usize, nouns: &[&str], ids: &[ColumnId]) -> Stop {
        let unclear = |name: &str| {
            Stop::Unanswerable(format!(
                "no single column of {name} is its {}",
                nouns.join(" or ")
            ))
        };
        let Ok(definition) = self.table(table) else {
            return unclear("the table");
        };
        let Some((start, end)) = self.adjective_at(nouns) else {
            return unclear(&definition.name);
        };
        let is_descending = self
            .request
            .rank
            .as_ref()
            .is_none_or(|rank| rank.is_descending);
        let end_word = if is_descending { "highest" } else { "lowest" };
        let text = |range: std::ops::Range<usize>| -> String {
            let tokens = self.tokens.get(range).unwrap_or_default();
            let phrase = tokens.iter().map(|token| token.surface.as_str());
            phrase
                .filter(|phrase| !phrase.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let verb = start
            .checked_sub(2)
            .and_then(|at| self.tokens.get(at..start))
            .filter(|words| {
                matches!(words, [verb, article]
                    if matches!(verb.lower.as_str(), "is" | "are" | "was" | "were") && article.lower == "the")
            });
        // "the most expensive film" is "the film with the highest …", "is the most expensive" is "has the …".
        let row = self.words_for(table, end);
        let (start, end, front) = match (row, verb) {
            (Some(row_end), _) => (start, row_end, format!("{} with", text(end..row_end))),
            (None, Some([verb, _])) => {
                let has = match verb.lower.as_str() {
                    "are" | "were" => "have",
                    _ => "has",
                };
                (start - 2, end, has.to_owned())
            }
            (None, _) => return unclear(&definition.name),
        };
        let named = |id: &ColumnId| {
            let column = definition.columns.get(id.column)?;
            Some(format!("{front} the {end_word} {}", readable(&column.name)))
        };
        Stop::Ambiguous {
            question: format!(
                "the table {} has several numbers for '{}': which one is meant?",
                definition.name,
                text(self.adjective_at(nouns).map_or(0..0, |(from, to)| from..to))
            ),
            start,
            end,
            replacements: ids.iter().filter_map(named).take(MAX_READINGS).collect(),
        }
    }

    /// The end of the words that name the table from this position.
    fn words_for(&self, table: usize, start: usize) -> Option<usize> {
        let words = names::words_of(&self.table(table).ok()?.name);
        let longest = start + words.len();
        let key = words.concat();
        (start + 1..=longest).find(|end| {
            let tokens = self.tokens.get(start..*end).unwrap_or_default();
            tokens
                .iter()
                .map(|token| token.stem.as_str())
                .collect::<String>()
                == key
        })
    }
}
