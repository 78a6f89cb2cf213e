//! Computes the level of each column of a relation from the rules.

use std::collections::{BTreeSet, HashMap};

use pgrx::pg_sys;

use super::protection_level::Level;
use super::relatives::{self, Behind};
use super::rules::{Explicit, Rules, column_name, column_number};
use crate::pg::access::objects::FIRST_USER_OID;
use crate::pg::access::query_tree::reads::Read;

/// Maximum depth of nested views; deeper ones are hidden. PostgreSQL's own stack limit is far higher.
const MAX_VIEWS: usize = 64;

/// The protection of a relation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RelationLevels {
    /// The table itself: its existence, its system columns, the number of its rows.
    table: Level,
    /// Columns whose level differs from the others.
    columns: HashMap<i16, Level>,
    /// All other columns.
    others: Level,
    /// The columns whose samples the owner consents to show.
    samples: Consent,
}

/// Rules of the level `sample`: those of a view are about nothing, because it has no statistics.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Consent {
    table: bool,
    columns: BTreeSet<i16>,
}

impl RelationLevels {
    fn all(level: Level) -> Self {
        Self {
            table: level,
            others: level,
            ..Self::default()
        }
    }

    /// The level of a column; the table's for the whole row and system columns, whose numbers are below 1.
    pub(crate) fn column(&self, number: i16) -> Level {
        if number < 1 {
            return self.table;
        }
        self.columns.get(&number).copied().unwrap_or(self.others)
    }

    /// Whether the owner consents that frequent values of the column are sent in every prompt: a rule about the column
    /// itself or, if `is_by_table`, one about its table. What is private or hidden for any reason is never sent.
    pub(crate) fn shows_samples(&self, number: i16, is_by_table: bool) -> bool {
        let is_consented =
            self.samples.columns.contains(&number) || (self.samples.table && is_by_table);
        is_consented && self.column(number) == Level::Open
    }

    /// Whether a rule consents to samples of any column.
    pub(crate) fn shows_any_samples(&self) -> bool {
        self.samples.table || !self.samples.columns.is_empty()
    }

    /// The strictest level of any part.
    pub(crate) fn strictest(&self) -> Level {
        let columns = self.columns.values().copied().max().unwrap_or_default();
        self.table.max(self.others).max(columns)
    }

    /// Whether it is invisible to questions: it is hidden, and so is each of its columns.
    pub(crate) fn is_hidden(&self) -> bool {
        self.table == Level::Hidden
            && self.others == Level::Hidden
            && self.columns.values().all(|level| *level == Level::Hidden)
    }

    /// The strictest level of what is read: columns by number, 0 for a whole row, none for rows that are only
    /// counted.
    pub(crate) fn of_read(&self, numbers: &[i32]) -> Level {
        if self.is_hidden() {
            return Level::Hidden;
        }
        let levels = numbers.iter().map(|number| match i16::try_from(*number) {
            Ok(0) | Err(_) => self.strictest(),
            Ok(number) => self.column(number),
        });
        levels.max().unwrap_or(self.table)
    }
}

/// A generated column is as protected as the strictest column in its expression.
fn with_generated(relation: pg_sys::Oid, mut levels: RelationLevels) -> RelationLevels {
    if levels.strictest() == Level::Open {
        return levels;
    }
    for (column, sources) in relatives::generated(relation) {
        let source = sources.iter().map(|source| match source {
            0 => levels.strictest(),
            number => levels.column(*number),
        });
        let level = source.max().unwrap_or_default().max(levels.column(column));
        levels.columns.insert(column, level);
    }
    levels
}

/// Computes the levels of a relation.
pub(super) fn work_out(rules: &Rules, relation: pg_sys::Oid) -> RelationLevels {
    Work {
        rules,
        on_the_way: Vec::new(),
    }
    .levels(relation)
}

struct Work<'a> {
    rules: &'a Rules,
    /// Views being computed: one that reads itself adds nothing.
    on_the_way: Vec<pg_sys::Oid>,
}

impl Work<'_> {
    fn levels(&mut self, relation: pg_sys::Oid) -> RelationLevels {
        // A view of the planner's statistics shows values of protected columns.
        if relatives::holds_statistics(relation) && !self.rules.is_empty() {
            return RelationLevels::all(Level::Hidden);
        }
        if relation.to_u32() < FIRST_USER_OID || self.on_the_way.contains(&relation) {
            return RelationLevels::default();
        }
        if self.on_the_way.len() > MAX_VIEWS {
            return RelationLevels::all(Level::Hidden);
        }
        let explicit = self.rules.about(relation);
        let read = match relatives::behind_view(relation) {
            // What cannot be looked at is hidden; a rule `open` publishes it.
            Behind::Unknown => RelationLevels::all(Level::Hidden),
            Behind::Reads(reads) => {
                self.on_the_way.push(relation);
                let level = reads.iter().map(|read| self.of_read(read)).max();
                self.on_the_way.pop();
                RelationLevels::all(level.unwrap_or_default())
            }
            // Only a table has columns that are generated. A view is not opened for them.
            Behind::Nothing => {
                let read = self.of_family(relation);
                return RelationLevels {
                    samples: Consent::of(&explicit),
                    ..with_generated(relation, together(&explicit, &read))
                };
            }
        };
        RelationLevels {
            samples: Consent::of(&explicit),
            ..together(&explicit, &read)
        }
    }

    fn of_read(&mut self, read: &Read) -> Level {
        self.levels(read.oid()).of_read(read.numbers())
    }

    /// The levels of parents and children, by column name.
    fn of_family(&self, relation: pg_sys::Oid) -> RelationLevels {
        let family: Vec<_> = relatives::family(relation)
            .into_iter()
            .map(|relative| {
                let own = together(&self.rules.about(relative), &RelationLevels::default());
                (relative, own)
            })
            .filter(|(_, own)| own.strictest() > Level::Open)
            .collect();
        let most = |level: &dyn Fn(pg_sys::Oid, &RelationLevels) -> Level| {
            let levels = family.iter().map(|(relative, own)| level(*relative, own));
            levels.max().unwrap_or_default()
        };
        let names: BTreeSet<String> = family
            .iter()
            .flat_map(|(relative, own)| {
                let numbers = own.columns.keys();
                numbers.filter_map(|number| column_name(*relative, *number))
            })
            .collect();
        let columns = names.iter().filter_map(|name| {
            let level = most(&|relative, own| {
                column_number(relative, name).map_or(Level::Open, |number| own.column(number))
            });
            Some((column_number(relation, name)?, level))
        });
        RelationLevels {
            table: most(&|_, own| own.table),
            columns: columns.collect(),
            others: most(&|_, own| own.others),
            ..RelationLevels::default()
        }
    }
}

/// Combines the rules about a relation with the levels of what it reads. `open` publishes the object of the
/// rule; any other level only adds to those of the table, the schema and what is read.
fn together(explicit: &Explicit, read: &RelationLevels) -> RelationLevels {
    let with_table = |read: Level| match explicit.table {
        Some(Level::Open) => Level::Open,
        Some(level) => level.max(explicit.schema).max(read),
        None => explicit.schema.max(read),
    };
    let numbers: BTreeSet<i16> = explicit
        .columns
        .keys()
        .chain(read.columns.keys())
        .copied()
        .collect();
    let columns = numbers.into_iter().map(|number| {
        let level = match explicit.columns.get(&number) {
            Some(Level::Open) => Level::Open,
            Some(level) => with_table(read.column(number)).max(*level),
            None => with_table(read.column(number)),
        };
        (number, level)
    });
    RelationLevels {
        table: with_table(read.table),
        columns: columns.collect(),
        others: with_table(read.others),
        ..RelationLevels::default()
    }
}

impl Consent {
    fn of(explicit: &Explicit) -> Self {
        let columns = explicit.columns.iter();
        Self {
            table: explicit.table == Some(Level::Sample),
            columns: columns
                .filter(|(_, level)| **level == Level::Sample)
                .map(|(number, _)| *number)
                .collect(),
        }
    }
}
