//! Binds mentions to columns: decides which of several matching columns the question means.

use crate::linking::column_types::is_date;
use crate::linking::readable_names::readable;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::joins::paths::Joins;
use crate::joins::paths::is_key;
use crate::linking::business_terms::Term;
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names;
use crate::linking::readable_names::singular;
use crate::no_answer::Stop;
use crate::parsing::request::{ConditionKind, Request};
use text2sql_domain::schema::{Column, Table};
use text2sql_language::words::Token;

/// The state of binding: the schema with its join paths, the request, and notes for the answer.
pub(crate) struct Binder<'a> {
    pub(crate) tables: &'a [Arc<Table>],
    pub(crate) joins: Joins<'a>,
    pub(crate) request: &'a Request,
    pub(crate) aliases: Vec<String>,
    pub(crate) notes: RefCell<Vec<String>>,
    pub(crate) tokens: &'a [Token],
    /// The business terms that the question uses.
    pub(crate) terms: &'a [Term],
    /// The statement lists rows.
    pub(crate) lists: Cell<bool>,
    /// How many sub-queries deep the binder is.
    pub(crate) depth: Cell<usize>,
}

impl<'a> Binder<'a> {
    pub(crate) fn new(
        tokens: &'a [Token],
        tables: &'a [Arc<Table>],
        terms: &'a [Term],
        request: &'a Request,
    ) -> Self {
        Self {
            tables,
            joins: Joins::of(tables),
            request,
            aliases: Vec::new(),
            notes: RefCell::new(Vec::new()),
            tokens,
            terms,
            lists: Cell::new(false),
            depth: Cell::new(0),
        }
    }

    pub(crate) fn table(&self, index: usize) -> Result<&'a Table, Stop> {
        self.tables
            .get(index)
            .map(Arc::as_ref)
            .ok_or_else(|| Stop::Unanswerable("a table is out of reach".to_owned()))
    }

    pub(crate) fn column(&self, id: ColumnId) -> Result<&'a Column, Stop> {
        let column = self.table(id.table)?.columns.get(id.column);
        column.ok_or_else(|| Stop::Unanswerable("a column is out of reach".to_owned()))
    }

    pub(crate) fn note(&self, note: String) {
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// The columns that the mention means as a property of `owner`: its own, else one of the question's
    /// other tables, else one of a table that it references.
    pub(crate) fn resolve(
        &self,
        mention: &Mention,
        owner: Option<usize>,
    ) -> Result<ColumnId, Stop> {
        if let Some(owner) = owner {
            if let Some(found) = self.best_in(mention, &[owner], names::SPELLED_OUT)? {
                return Ok(found);
            }
            if let Some(label) = self.label_for(mention, owner)? {
                return Ok(label);
            }
            if let Some(found) = self.best_in(mention, &[owner], names::HEAD)? {
                return Ok(found);
            }
            let parents: Vec<usize> = self.joins.parents(owner).map(|step| step.to).collect();
            let named: Vec<usize> = self
                .request
                .tables
                .iter()
                .copied()
                .filter(|table| *table != owner)
                .collect();
            if let Some(found) = self.best_in(mention, &named, names::SPELLED_OUT)? {
                return Ok(found);
            }
            let inherited = self.best_in(mention, &parents, names::SPELLED_OUT)?;
            if let Some(found) = inherited.filter(|_| self.is_specific_name(mention)) {
                return Ok(found);
            }
            if self.is_specific_name(mention)
                && let Some(found) = self.only_near(mention, owner)
            {
                self.note_column(mention, found);
                return Ok(found);
            }
            if mention.is_derived()
                && let Some(found) = self.best_in(mention, &[owner], names::DERIVED)?
            {
                return Ok(found);
            }
            return Err(self.missing_column(mention, Some(owner)));
        }
        let all: Vec<usize> = if self.request.tables.is_empty() {
            (0..self.tables.len()).collect()
        } else {
            self.request.tables.clone()
        };
        if let Some(found) = self.best_in(mention, &all, names::SPELLED_OUT)? {
            return Ok(found);
        }
        let is_long = mention.end > mention.start + 1;
        if is_long && let Some(found) = self.best_in(mention, &all, names::WITHOUT_KIND)? {
            return Ok(found);
        }
        self.ask_which_of_several(mention)?;
        Err(self.missing_column(mention, None))
    }

    /// "the average price", if products have a unit price and workshops a list price: asks which.
    fn ask_which_of_several(&self, mention: &Mention) -> Result<(), Stop> {
        const MAX_READINGS: usize = 4;
        let ends_in = |(id, tier): &&(ColumnId, u8)| *tier == names::HEAD && !self.is_foreign(*id);
        let ids: Vec<ColumnId> = mention
            .columns
            .iter()
            .filter(ends_in)
            .map(|(id, _)| *id)
            .collect();
        let is_named = !mention.best_tables().is_empty() || mention.is_name_word;
        match (2..=MAX_READINGS).contains(&ids.len()) && !is_named {
            true => Err(self.ambiguous_column(mention, &ids)),
            false => Ok(()),
        }
    }

    /// The only column of that name reachable from the owner.
    fn only_near(&self, mention: &Mention, owner: usize) -> Option<ColumnId> {
        let mut near = mention
            .columns
            .iter()
            .filter(|(id, tier)| {
                *tier <= names::WITHOUT_KIND
                    && !self.is_foreign(*id)
                    && self
                        .column(*id)
                        .is_ok_and(|column| names::words_of(&column.name).len() > 1)
            })
            .map(|(id, _)| *id);
        let found = near.next()?;
        let is_only = near.next().is_none();
        (is_only && self.joins.path(owner, found.table).is_ok()).then_some(found)
    }

    /// A generic name such as "name" or "id" is never taken from a neighbouring table.
    fn is_specific_name(&self, mention: &Mention) -> bool {
        let says_table = mention.end > mention.start + 1
            && mention.columns.iter().any(|(id, tier)| {
                *tier == names::WITH_TABLE
                    || self.column(*id).is_ok_and(|column| {
                        table_prefixed(
                            &names::words_of(&column.name),
                            self.tables.get(id.table).map(Arc::as_ref),
                        )
                    })
            });
        says_table
            || mention.columns.iter().any(|(id, _)| {
                self.column(*id).is_ok_and(|column| {
                    let words = names::words_of(&column.name);
                    words.len() > 1
                        && !table_prefixed(&words, self.tables.get(id.table).map(Arc::as_ref))
                })
            })
    }

    fn best_in(
        &self,
        mention: &Mention,
        tables: &[usize],
        worst: u8,
    ) -> Result<Option<ColumnId>, Stop> {
        let candidates: Vec<(u8, ColumnId)> = mention
            .columns
            .iter()
            .filter(|(id, tier)| {
                tables.contains(&id.table)
                    && *tier <= worst
                    && (*tier < names::HEAD || !self.is_foreign(*id))
            })
            .map(|(id, tier)| (*tier, *id))
            .collect();
        let Some(best) = candidates.iter().map(|(tier, _)| *tier).min() else {
            return Ok(None);
        };
        let best: Vec<ColumnId> = candidates
            .iter()
            .filter(|(tier, _)| *tier == best)
            .map(|(_, id)| *id)
            .collect();
        match best.as_slice() {
            [only] => {
                self.note_column(mention, *only);
                Ok(Some(*only))
            }
            several => match self.of_named_row(several) {
                Some(id) => {
                    self.note(format!(
                        "'{}' is {}.{}",
                        self.surface_text(mention),
                        self.table(id.table)?.name,
                        self.column(id)?.name
                    ));
                    Ok(Some(id))
                }
                None => Err(self.ambiguous_column(mention, several)),
            },
        }
    }

    /// The only one of several columns in whose table the named rows are: the e-mail of Mary Smith is that of a
    /// customer if only customers have both names.
    fn of_named_row(&self, ids: &[ColumnId]) -> Option<ColumnId> {
        if self.request.subject.is_some() {
            return None;
        }
        let named = self.request.conditions.iter().filter_map(|condition| {
            match (&condition.kind, condition.owner, condition.is_negated) {
                (ConditionKind::Value { alternatives }, None, false) => alternatives.first(),
                _ => None,
            }
        });
        let named: Vec<&Mention> = named.collect();
        let holds = |id: &&ColumnId| {
            named.iter().all(|value| {
                let mut links = value.values.iter();
                links.any(|link| link.column.table == id.table && self.is_label(link.column))
            })
        };
        let mut holding = ids.iter().filter(holds);
        let only = holding.next().filter(|_| !named.is_empty())?;
        holding.next().is_none().then_some(*only)
    }

    /// Notes which column was used, if its name is not the word itself.
    fn note_column(&self, mention: &Mention, id: ColumnId) {
        let tier = mention
            .columns
            .iter()
            .find(|(known, _)| *known == id)
            .map(|(_, tier)| *tier);
        let surface = self.surface_text(mention);
        if let (Ok(table), Ok(column), Some(tier)) = (self.table(id.table), self.column(id), tier)
            && tier > names::WITH_TABLE
            && !surface.is_empty()
        {
            self.note(format!("'{surface}' is {}.{}", table.name, column.name));
        }
    }

    /// The words of the mention in the question.
    pub(crate) fn surface_text(&self, mention: &Mention) -> String {
        let words = self.tokens.get(mention.start..mention.end);
        let words = words.unwrap_or_default().iter();
        let words: Vec<&str> = words.map(|token| token.surface.as_str()).collect();
        words.join(" ")
    }

    /// Whether the column refers to another table.
    pub(crate) fn is_foreign(&self, id: ColumnId) -> bool {
        self.table(id.table).is_ok_and(|table| {
            let name = table.columns.get(id.column).map(|column| &column.name);
            table
                .foreign_keys
                .iter()
                .any(|key| name.is_some_and(|name| key.columns.contains(name)))
        })
    }

    /// Whether no two rows have the same value, by a key or by the planner's statistics.
    pub(crate) fn is_unique(&self, id: ColumnId) -> bool {
        let (Ok(table), Ok(column)) = (self.table(id.table), self.column(id)) else {
            return false;
        };
        if is_key(table, std::slice::from_ref(&column.name)) {
            return true;
        }
        let distinct = column
            .statistics
            .as_ref()
            .and_then(|statistics| statistics.distinct_values);
        match (distinct, table.row_estimate) {
            (Some(share), _) if share < 0.0 => share <= -0.999,
            (Some(count), Some(rows)) if rows > 0.0 => count >= rows * 0.999,
            _ => false,
        }
    }

    /// "name" of a table whose label is another column, such as a title.
    fn label_for(&self, mention: &Mention, owner: usize) -> Result<Option<ColumnId>, Stop> {
        let is_name_word = mention.columns.iter().any(|(id, tier)| {
            *tier <= names::WITHOUT_TABLE
                && self.column(*id).is_ok_and(|column| {
                    names::words_of(&column.name)
                        .last()
                        .is_some_and(|word| word == "name")
                })
        }) && mention.end == mention.start + 1;
        if !is_name_word && !mention.is_name_word {
            return Ok(None);
        }
        match names::label_columns(self.table(owner)?).as_slice() {
            [only] => Ok(Some(ColumnId {
                table: owner,
                column: *only,
            })),
            _ => Ok(None),
        }
    }

    pub(crate) fn missing_column(&self, mention: &Mention, owner: Option<usize>) -> Stop {
        let place = owner
            .and_then(|owner| self.tables.get(owner))
            .map_or(String::new(), |table| format!(" in {}", table.name));
        let Some((id, tier)) = mention.columns.first() else {
            return Stop::Unplaced(mention.start);
        };
        let wanted = match self.column(*id) {
            Ok(column) if *tier <= names::WITHOUT_TABLE => column.name.clone(),
            // The column is called otherwise, so it may well be there.
            _ => self.surface_text(mention),
        };
        Stop::Unanswerable(format!("there is no column such as {wanted}{place}"))
    }

    pub(crate) fn ambiguous_column(&self, mention: &Mention, ids: &[ColumnId]) -> Stop {
        let mut replacements: Vec<String> = Vec::new();
        for id in ids.iter().take(4) {
            if let (Ok(table), Ok(column)) = (self.table(id.table), self.column(*id)) {
                let words = readable(&column.name);
                let same_table = ids.iter().all(|other| other.table == id.table);
                let row = readable(&singular(&table.name));
                let says_table = words
                    .strip_prefix(&row)
                    .is_some_and(|rest| rest.starts_with(' '));
                replacements.push(if same_table || says_table {
                    words
                } else {
                    format!("{row} {words}")
                });
            }
        }
        Stop::Ambiguous {
            question: format!("which column is meant: {}?", replacements.join(" or ")),
            start: mention.start,
            end: mention.end,
            replacements,
        }
    }

    /// Whether other tables lie on the path between the rows asked for and the table.
    fn has_intermediate_tables(&self, table: usize) -> bool {
        self.request.subject.is_some_and(|subject| {
            let path = self.joins.path(subject, table);
            subject != table && path.is_ok_and(|path| path.len() > 1)
        })
    }

    /// The date column that a period is about.
    pub(crate) fn date_column(&self, owner: usize, at: usize) -> Result<ColumnId, Stop> {
        let table = self.table(owner)?;
        let dates: Vec<usize> = (0..table.columns.len())
            .filter(|&i| table.columns.get(i).is_some_and(is_date))
            .collect();
        let is_kept_by_hand = |at: &usize| {
            let column = table.columns.get(*at);
            column.is_some_and(|column| !is_audit_column(&column.name))
        };
        match dates.as_slice() {
            // The date of the last change does not describe the row, and its creation date does not
            // describe rows of other tables.
            [only]
                if !is_kept_by_hand(only)
                    && (records_change(table, *only) || self.has_intermediate_tables(owner)) =>
            {
                Err(Stop::Unanswerable(format!(
                    "{} has no date column for the period",
                    table.name
                )))
            }
            [only] => Ok(ColumnId {
                table: owner,
                column: *only,
            }),
            [] => Err(Stop::Unanswerable(format!(
                "{} has no date column for the period",
                table.name
            ))),
            several => {
                let word = table.primary_key.is_empty();
                let own: Vec<usize> = several
                    .iter()
                    .copied()
                    .filter(|&i| {
                        let key = names::words_of(&table.name);
                        table.columns.get(i).is_some_and(|column| {
                            let words = names::words_of(&column.name);
                            key.last().is_some_and(|last| {
                                words.iter().any(|word| word.starts_with(last.as_str()))
                            })
                        })
                    })
                    .collect();
                if let ([only], false) = (own.as_slice(), word)
                    && is_kept_by_hand(only)
                {
                    return Ok(ColumnId {
                        table: owner,
                        column: *only,
                    });
                }
                let replacements = several
                    .iter()
                    .take(4)
                    .filter_map(|&i| table.columns.get(i))
                    .map(|column| format!("with {}", readable(&column.name)))
                    .collect();
                Err(Stop::Ambiguous {
                    question: format!("{} has several dates: which one is meant?", table.name),
                    start: at,
                    end: at,
                    replacements,
                })
            }
        }
    }
}

/// Words in names of columns with the date of the last change.
const CHANGE_WORDS: &[&str] = &[
    "update",
    "updated",
    "modified",
    "modification",
    "changed",
    "synced",
];

/// Words in names of columns with the creation date.
const CREATION_WORDS: &[&str] = &[
    "created", "create", "creation", "inserted", "loaded", "imported",
];

/// Whether the column records when the row itself was created or changed: `last_update`, `modified_on`,
/// `created_at`.
pub(crate) fn is_audit_column(name: &str) -> bool {
    let words = readable(name);
    let mut words = words.split(' ');
    words.any(|word| CHANGE_WORDS.contains(&word) || CREATION_WORDS.contains(&word))
}

fn records_change(table: &Table, column: usize) -> bool {
    table.columns.get(column).is_some_and(|column| {
        let words = readable(&column.name);
        words.split(' ').any(|word| CHANGE_WORDS.contains(&word))
    })
}

fn table_prefixed(words: &[String], table: Option<&Table>) -> bool {
    table.is_some_and(|table| names::words_of(&table.name).last() == words.first())
        && words.len() == 2
}
