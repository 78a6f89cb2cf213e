//! Binds stored values to columns; the question must distinguish between columns that hold the same value.

use crate::binding::binder::Binder;
use crate::binding::key_names::connects_only;
use crate::binding::scope::Scope;
use crate::joins::step::{NoPath, Step};
use crate::linking::mention::{ColumnId, Mention, ValueLink};
use crate::linking::names;
use crate::linking::readable_names::readable;
use crate::linking::readable_names::singular;
use crate::no_answer::Stop;
use crate::parsing::request::{Comparison, Condition, ConditionKind, Literal};
use text2sql_domain::schema::quote_literal;

/// How the question attaches a value to a noun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attachment {
    /// "in Germany", "with shipped", "at Berlin".
    Place,
    /// "by Queen".
    Maker,
    /// "does Queen have".
    Owner,
    /// "category Tents", "the Tents category".
    Noun,
    Other,
}

impl Binder<'_> {
    fn attachment(&self, mention: &Mention, owner: usize) -> Attachment {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.lower.as_str());
        let names_owner = |word: &str| {
            let stem = text2sql_language::words::stem(word);
            let names = self.table(owner).map(|table| names::words_of(&table.name));
            names.is_ok_and(|names| {
                names.last().is_some_and(|last| {
                    *last == stem || text2sql_language::words::stem(last) == stem
                })
            })
        };
        let mut before = mention.start;
        while before > 0 && matches!(word(before - 1), "the" | "a" | "an" | "all" | "not" | "or") {
            before -= 1;
        }
        let previous = before.checked_sub(1).map_or("", word);
        let next = word(mention.end);
        if names_owner(previous) || (names_owner(next) && !next.ends_with('s')) {
            return Attachment::Noun;
        }
        match previous {
            "in" | "at" | "with" => Attachment::Place,
            "by" => Attachment::Maker,
            "do" | "does" | "did" => Attachment::Owner,
            _ => Attachment::Other,
        }
    }

    pub(crate) fn is_label(&self, id: ColumnId) -> bool {
        self.table(id.table)
            .is_ok_and(|table| names::label_columns(table).contains(&id.column))
    }

    /// The column of a stored value that qualifies rows of `owner`.
    fn resolve_value(&self, mention: &Mention, owner: usize) -> Result<ValueLink, Stop> {
        let any_exact = mention.values.iter().any(|link| link.is_exact);
        let mut links: Vec<&ValueLink> = Vec::new();
        for link in mention
            .values
            .iter()
            .filter(|link| link.is_exact || !any_exact)
        {
            let is_reachable = link.column.table == owner
                || match self.joins.path(owner, link.column.table) {
                    Ok(path) => {
                        mention.is_marked
                            || path.iter().all(|step| step.is_to_one)
                            || self.names_connected_row(&path, link.column)
                    }
                    Err(NoPath::Several) => mention.is_marked,
                    Err(NoPath::Unconnected) => false,
                };
            if is_reachable && !links.iter().any(|known| known.column == link.column) {
                links.push(link);
            }
        }
        links.sort_by_key(|link| (link.column.table != owner, link.column));
        let all = links.clone();
        links.retain(|link| {
            !all.iter().any(|other| {
                let is_same = self.refers_to(link.column, other.column)
                    || self.refers_to(other.column, link.column);
                // The owner's own column first, then the one that the others refer to.
                let rank = |id: ColumnId| (id.table != owner, self.is_foreign(id));
                is_same && rank(other.column) < rank(link.column)
            })
        });
        let Some(first) = links.first().copied() else {
            return Err(Stop::Unanswerable(
                "a value of the question belongs to a table that is not connected".to_owned(),
            ));
        };
        let attachment = self.attachment(mention, owner);
        let own: Vec<&ValueLink> = links
            .iter()
            .copied()
            .filter(|link| link.column.table == owner)
            .collect();
        if own.is_empty() && self.has_same_named_column(owner, first.column) {
            return Err(Stop::Unanswerable(format!(
                "'{}' is not a known value here",
                first.text
            )));
        }
        let elsewhere_label = links
            .iter()
            .any(|link| link.column.table != owner && self.is_label(link.column));
        let named: Vec<&ValueLink> = links
            .iter()
            .copied()
            .filter(|link| self.request.tables.contains(&link.column.table))
            .collect();
        let chosen = match (own.as_slice(), links.as_slice(), named.as_slice()) {
            (_, [only], _) => Some(*only),
            ([only], _, _) => {
                let fits = match attachment {
                    Attachment::Noun => true,
                    Attachment::Place => !self.is_label(only.column),
                    Attachment::Other => !self.is_label(only.column) && !elsewhere_label,
                    Attachment::Maker | Attachment::Owner => false,
                };
                fits.then_some(*only)
            }
            ([], _, [only]) => Some(*only),
            _ => None,
        };
        let Some(chosen) = chosen else {
            return Err(self.ambiguous_value(mention, &links));
        };
        let is_said = self.request.tables.contains(&chosen.column.table);
        let path = match chosen.column.table == owner {
            true => Vec::new(),
            false => self.path(owner, chosen.column.table)?,
        };
        if !is_said
            && path.iter().any(|step| !step.is_to_one)
            && !self.names_connected_row(&path, chosen.column)
        {
            return Err(Stop::Unanswerable(format!(
                "it is not clear how '{}' belongs to {}",
                chosen.text,
                readable(&self.table(owner)?.name)
            )));
        }
        let makes = matches!(attachment, Attachment::Maker | Attachment::Owner);
        let own_label = chosen.column.table == owner && self.is_label(chosen.column);
        if makes && (own_label || !self.is_label(chosen.column)) {
            return Err(Stop::Unanswerable(format!(
                "it is not clear what '{}' names here",
                chosen.text
            )));
        }
        Ok(chosen.clone())
    }

    /// Whether the column alone names rows that a table only connects with the owner's: films have categories in no
    /// other way than through `film_category`.
    fn names_connected_row(&self, path: &[Step], id: ColumnId) -> bool {
        let [down, up] = path else {
            return false;
        };
        let names_row = self
            .table(id.table)
            .is_ok_and(|table| names::label_columns(table) == [id.column]);
        names_row && !down.is_to_one && up.is_to_one && self.table(down.to).is_ok_and(connects_only)
    }

    /// Whether the column is a foreign key to the other.
    fn refers_to(&self, from: ColumnId, to: ColumnId) -> bool {
        let (Ok(table), Ok(target)) = (self.table(from.table), self.table(to.table)) else {
            return false;
        };
        let (Ok(own), Ok(other)) = (self.column(from), self.column(to)) else {
            return false;
        };
        table.foreign_keys.iter().any(|key| {
            key.target == target.oid
                && key.columns == [own.name.clone()]
                && key.target_columns == [other.name.clone()]
        })
    }

    pub(crate) fn ambiguous_value(&self, mention: &Mention, links: &[&ValueLink]) -> Stop {
        // The surface form: a reading may go to a model, which need not learn the stored value.
        let phrase = self.surface_text(mention);
        let phrase = phrase.trim();
        let replacements = links
            .iter()
            .take(4)
            .filter_map(|link| {
                let table = self.table(link.column.table).ok()?;
                let column = self.column(link.column).ok()?;
                Some(format!(
                    "{} {} '{phrase}'",
                    readable(&singular(&table.name)),
                    readable(&column.name),
                ))
            })
            .collect();
        Stop::Ambiguous {
            question: format!("'{phrase}' is a value of several columns: which one is meant?"),
            start: mention.start,
            end: mention.end,
            replacements,
        }
    }

    /// The owner has a column of the same name, and its values are not known.
    pub(crate) fn has_same_named_column(&self, owner: usize, id: ColumnId) -> bool {
        let (Ok(table), Ok(column)) = (self.table(owner), self.column(id)) else {
            return false;
        };
        let words = names::words_of(&column.name);
        let label = names::label_columns(table);
        (0..table.columns.len()).any(|i| {
            !label.contains(&i)
                && !self.is_foreign(ColumnId {
                    table: owner,
                    column: i,
                })
                && table
                    .columns
                    .get(i)
                    .is_some_and(|column| names::words_of(&column.name) == words)
        })
    }

    pub(crate) fn apply_value(
        &mut self,
        scope: &mut Scope,
        owner: usize,
        alternatives: &[Mention],
        condition: &Condition,
    ) -> Result<(), Stop> {
        let mut links = Vec::new();
        for mention in alternatives {
            links.push(self.resolve_value(mention, owner)?);
        }
        let Some(column) = links.first().map(|link| link.column) else {
            return Ok(());
        };
        if links.iter().any(|link| link.column != column) {
            return Err(Stop::Unanswerable(
                "the alternatives are values of different columns".to_owned(),
            ));
        }
        self.refuse_own_column(alternatives, owner, column)?;
        let literals: Vec<Literal> = links
            .into_iter()
            .map(|link| Literal {
                text: link.text.clone(),
                is_number: false,
                links: vec![link],
            })
            .collect();
        let (table, name) = (
            self.table(column.table)?.name.clone(),
            self.column(column)?.name.clone(),
        );
        for literal in &literals {
            self.note(format!("'{}' is {table}.{name}", literal.text));
        }
        let is_several = scope.alias(column.table).is_none()
            && column.table != owner
            && self
                .path(owner, column.table)?
                .iter()
                .any(|step| !step.is_to_one);
        if is_several {
            // Inside, the column is known; looking it up again from its own table might find another one.
            let inner = Condition {
                owner: Some(column.table),
                is_negated: false,
                kind: ConditionKind::Compare {
                    column: Mention {
                        columns: vec![(column, names::EXACT)],
                        ..Mention::default()
                    },
                    comparison: Comparison::Equal,
                    literals,
                },
            };
            return self.exists(scope, owner, column.table, condition.is_negated, &[inner]);
        }
        let place = self.place(scope, owner, column)?;
        let predicate = self.compare(
            &place,
            column,
            Comparison::Equal,
            &literals,
            condition.is_negated,
        )?;
        scope.wheres.push(predicate);
        Ok(())
    }

    /// A word that is a value of an unnamed table and the name of a column of the named ones: "delivered"
    /// is a status of orders, and shipments have a delivery date.
    fn refuse_own_column(
        &self,
        alternatives: &[Mention],
        owner: usize,
        column: ColumnId,
    ) -> Result<(), Stop> {
        let is_named = |table: usize| table == owner || self.request.tables.contains(&table);
        let twofold = alternatives.iter().find(|mention| {
            !mention.is_marked
                && mention
                    .columns
                    .iter()
                    .any(|(id, tier)| is_named(id.table) && *tier <= names::WITHOUT_KIND)
        });
        match twofold {
            Some(mention) if !is_named(column.table) => {
                let phrase = self.surface_text(mention);
                Err(Stop::Unanswerable(format!(
                    "it is not clear what '{phrase}' names here"
                )))
            }
            _ => Ok(()),
        }
    }

    /// The literal in the stored spelling, if exactly one spelling is known.
    pub(crate) fn stored_text(
        &self,
        id: ColumnId,
        literal: &Literal,
    ) -> Result<Option<String>, Stop> {
        let column = self.column(id)?;
        let lower = literal.text.to_lowercase();
        let mut spellings: Vec<&str> = column
            .enum_labels
            .iter()
            .chain(
                column
                    .statistics
                    .iter()
                    .flat_map(|statistics| &statistics.most_common_values),
            )
            .map(String::as_str)
            .filter(|value| value.to_lowercase() == lower)
            .collect();
        spellings.dedup();
        Ok(match spellings.as_slice() {
            [] => literal
                .links
                .iter()
                .find(|link| link.column == id)
                .map(|link| link.text.clone()),
            [only] => Some((*only).to_owned()),
            _ => None,
        })
    }

    /// The columns that name a row of `owner` have the text.
    pub(crate) fn is_named(
        &self,
        scope: &Scope,
        owner: usize,
        text: &str,
        negated: bool,
    ) -> Result<String, Stop> {
        let table = self.table(owner)?;
        let columns = names::label_columns(table);
        let literal = Literal::text(text.to_owned());
        let mut tests = Vec::new();
        for column in &columns {
            let id = ColumnId {
                table: owner,
                column: *column,
            };
            let place = self.column_sql(scope, id)?;
            self.note(format!(
                "'{text}' is {}.{}",
                table.name,
                self.column(id)?.name
            ));
            tests.push((
                place.clone(),
                self.compare(
                    &place,
                    id,
                    Comparison::Equal,
                    std::slice::from_ref(&literal),
                    negated,
                )?,
            ));
        }
        match tests.as_slice() {
            [(_, only)] => Ok(only.clone()),
            [(first, one), (last, other)] if !negated => Ok(if text.contains(' ') {
                format!(
                    "lower({first} || ' ' || {last}) = lower({})",
                    quote_literal(text)
                )
            } else {
                format!("({one} OR {other})")
            }),
            _ => Err(Stop::Unanswerable(format!(
                "no column of {} is its name",
                table.name
            ))),
        }
    }
}
