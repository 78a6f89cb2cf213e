//! Which columns may reference which key, by their names.

use std::collections::{HashMap, HashSet};

use super::candidate::{Candidate, Reason};
use super::facts::{ColumnFacts, Kind, Pair, TableFacts};
use super::keys::Target;
use super::names::{Name, Stands, is_short_for};
use super::people::RowWords;
use super::schema::{Entry, Schema};
use super::unglued::unglued;

/// Tables in one schema above which short forms are not looked for: too many would fit.
const MAX_FOR_SHORT: usize = 300;

/// Maximum number of tables that may fit one column: more say that the name means nothing.
const MAX_FITTING: usize = 6;

/// Letters of what a word such as `id` is glued to, where that may be short for a table, and how sure it is: only values
/// can tell.
const LEAST_GLUED: usize = 3;
const GLUED: f32 = 0.9;

/// Where a name has more words than those that name the key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It has none.
    None,
    /// Before them: `billing_customer_id`.
    Before,
    /// After them: `customer_id_2`.
    After,
}

/// All possible joins of the tables. Tables are looked for in the schema of the column only: names repeat in
/// every schema.
pub fn candidates(tables: &[TableFacts]) -> Vec<Candidate> {
    let mut by_schema: HashMap<&str, Vec<&TableFacts>> = HashMap::new();
    for table in tables {
        by_schema.entry(&table.schema).or_default().push(table);
    }
    let mut found = Vec::new();
    for tables in by_schema.values() {
        let tables = unglued(tables);
        let schema = Schema::of(&tables.iter().collect::<Vec<_>>());
        for source in &schema.targets {
            schema.from(source, &mut found);
        }
    }
    found.sort_by(|one, other| one.pair.cmp(&other.pair));
    found
}

impl<'a> Schema<'a> {
    /// Adds what the columns of one table may reference.
    fn from(&self, source: &Target<'a>, found: &mut Vec<Candidate>) {
        let table = source.table;
        for column in &table.columns {
            let is_settled = table
                .settled
                .iter()
                .any(|settled| !settled.is_rejected && settled.columns.contains(&column.number));
            if column.kind == Kind::Other || is_settled {
                continue;
            }
            let name = Name::of(&column.name);
            let mut entries = match source.is_own_key(column, &name) {
                // The same key of another table, which that table may be the better home of.
                true => self.same_key(table, &name),
                false => self.fitting(table, column, &name),
            };
            let tables: HashSet<usize> = entries.iter().map(|entry| entry.target).collect();
            if tables.len() > MAX_FITTING {
                entries.retain(|entry| entry.stands == Some(Stands::Whole));
            }
            for entry in entries {
                if let Some(candidate) = self.candidate(table, column, entry) {
                    found.push(candidate);
                }
            }
        }
        self.whole_keys.referenced_by(source, found);
    }

    fn same_key(&self, table: &TableFacts, name: &Name) -> Vec<Entry> {
        let same = self.by_spelling.get(&name.whole).into_iter().flatten();
        let others = same.filter(|entry| {
            let target = self.targets.get(entry.target);
            entry.reason == Reason::SameName
                && entry.stands == Some(Stands::Whole)
                && target.is_some_and(|target| target.table.oid != table.oid)
        });
        others.copied().collect()
    }

    fn fitting(&self, table: &TableFacts, column: &ColumnFacts, name: &Name) -> Vec<Entry> {
        let mut entries: HashMap<(usize, usize), Entry> = HashMap::new();
        let mut add = |entry: Entry, factor: f32| {
            let entry = Entry {
                certainty: entry.certainty * factor,
                ..entry
            };
            let known = entries.entry((entry.target, entry.key)).or_insert(entry);
            if known.certainty < entry.certainty {
                *known = entry;
            }
        };
        let mut look_up = |spelling: &str, factor: f32, role: Role| {
            for entry in self.by_spelling.get(spelling).into_iter().flatten() {
                let Some(target) = self.targets.get(entry.target) else {
                    continue;
                };
                let is_own = target.table.oid == table.oid;
                let is_first = target.keys.get(entry.key).is_some_and(|key| key.is_first);
                // A row references another row of its table in a role only: `parent_team_id`, not `team_id_old`.
                if is_own && !(role == Role::Before && is_first) {
                    continue;
                }
                if role == Role::After && entry.reason == Reason::Table {
                    continue;
                }
                // A table's name in the plural counts its rows.
                if entry.reason == Reason::Table && name.is_plural {
                    continue;
                }
                add(*entry, factor);
            }
        };
        if !name.is_generic() {
            look_up(&name.whole, 1.0, Role::None);
            for at in 1..name.words.len() {
                if let Some((before, after)) = name.words.split_at_checked(at) {
                    look_up(&after.concat(), 0.94, Role::Before);
                    look_up(&before.concat(), 0.88, Role::After);
                }
            }
            if name.words.len() == 1 {
                // Glued: a role may come before.
                for (at, _) in name.whole.char_indices().skip(3) {
                    let end = name.whole.get(at..).unwrap_or_default();
                    if end.chars().count() >= 5 {
                        look_up(end, 0.88, Role::Before);
                    }
                }
            }
        }
        let is_key_of_own = table.is_key(&[column.number]);
        // A part of the key that is no key alone: `id` of `takes`, of a student.
        let is_text = matches!(column.kind, Kind::Text | Kind::Uuid);
        if name.is_generic() && is_text && !table.keys.is_empty() && !is_key_of_own {
            let same = self.generic.get(&name.whole).into_iter().flatten();
            for (target, key) in same.take(MAX_FITTING + 1) {
                let entry = Entry {
                    target: *target,
                    key: *key,
                    reason: Reason::KeyWord,
                    stands: None,
                    certainty: 0.3,
                };
                add(entry, 1.0);
            }
        }
        if !is_key_of_own {
            self.roles(table, name, &mut add);
        }
        if entries.is_empty() && !is_key_of_own {
            self.short(table, name, &mut entries);
        }
        entries.into_values().collect()
    }

    /// `parent_id`, `manager_id`, `reports_to`.
    fn roles(&self, table: &TableFacts, name: &Name, add: &mut impl FnMut(Entry, f32)) {
        let words = RowWords::of(name);
        if !words.is_own_row && !words.is_person {
            return;
        }
        let own = self.places.get(&table.oid).copied();
        let others = self
            .people
            .iter()
            .copied()
            .filter(|place| Some(*place) != own)
            // With more, none of them is kept.
            .take(MAX_FITTING + 1);
        for number in own.into_iter().chain(others) {
            let is_people = self.people.contains(&number);
            let (reason, certainty) = match (Some(number) == own, is_people) {
                (true, true) if words.is_own_row => (Reason::OwnTable, 0.86),
                (true, false) if words.is_own_row && words.is_person => (Reason::OwnTable, 0.5),
                (true, false) if words.is_own_row => (Reason::OwnTable, 0.8),
                (false, _) if words.is_person && words.identifies => (Reason::Person, 0.66),
                (false, _) if words.is_person => (Reason::Person, 0.5),
                _ => continue,
            };
            let keys = self.targets.get(number).map(|target| &target.keys);
            for (key, known) in keys.into_iter().flatten().enumerate() {
                if known.is_first {
                    let entry = Entry {
                        target: number,
                        key,
                        reason,
                        stands: None,
                        certainty,
                    };
                    add(entry, 1.0);
                }
            }
        }
    }

    /// `dept_id` for `departments`, `s_id` for `students`, `trckid` for `tracks`.
    fn short(&self, table: &TableFacts, name: &Name, entries: &mut HashMap<(usize, usize), Entry>) {
        let is_glued = name.key_word().is_none() && name.words.len() == 1;
        let (key_word, subject) = match is_glued {
            true => (name.glued_key_word(), name.glued_subject()),
            false => (name.key_word(), name.subject()),
        };
        // A word that merely ends so, `paid`; and what names the rows of its own table, `invoiceid` beside `invoiceline`.
        let own = self
            .places
            .get(&table.oid)
            .and_then(|own| self.targets.get(*own));
        let names_own = || own.is_some_and(|own| own.spellings.contains_key(&subject));
        let says_nothing = is_glued && (subject.chars().count() < LEAST_GLUED || names_own());
        let is_key = key_word.is_some_and(|word| word != "name");
        if self.targets.len() > MAX_FOR_SHORT || !is_key || says_nothing {
            return;
        }
        let by_form = if is_glued { GLUED } else { 1.0 };
        let before_key = name.words.len().saturating_sub(1);
        let words = name.words.get(..before_key).unwrap_or_default();
        let mut forms = vec![(subject.as_str(), 1.0)];
        if let [_, .., last] = words {
            forms.push((last.as_str(), 0.9));
        }
        for (form, factor) in forms {
            let is_letter = form.chars().count() == 1;
            for (number, target) in self.targets.iter().enumerate() {
                if target.table.oid == table.oid {
                    continue;
                }
                let fits = target
                    .spellings
                    .iter()
                    .any(|(spelling, stands)| match is_letter {
                        true => *stands <= Stands::Core && spelling.starts_with(form),
                        false => *stands <= Stands::Head && is_short_for(form, spelling),
                    });
                if !fits {
                    continue;
                }
                for (place, key) in target.keys.iter().enumerate() {
                    let is_same_word = key.name.key_word() == key_word
                        || is_glued && key.name.glued_key_word() == key_word;
                    if !key.is_first && !is_same_word {
                        continue;
                    }
                    let certainty = if is_letter { 0.35 } else { 0.72 };
                    let by_word = if is_same_word { 1.0 } else { 0.85 };
                    entries.entry((number, place)).or_insert(Entry {
                        target: number,
                        key: place,
                        reason: Reason::Short,
                        stands: Some(Stands::Short),
                        certainty: certainty * factor * by_word * by_form,
                    });
                }
            }
        }
    }

    fn candidate(
        &self,
        table: &TableFacts,
        column: &ColumnFacts,
        entry: Entry,
    ) -> Option<Candidate> {
        let target = self.targets.get(entry.target)?;
        let key = target.keys.get(entry.key)?;
        let is_itself = target.table.oid == table.oid && key.column.number == column.number;
        let is_settled = table.settled.iter().any(|settled| {
            settled.target == target.table.oid
                && (settled.columns == [column.number] || !settled.is_rejected && !key.is_first)
        });
        if is_itself || is_settled || key.column.kind != column.kind {
            return None;
        }
        Some(Candidate {
            pair: Pair {
                from: table.oid,
                columns: vec![column.number],
                to: target.table.oid,
                target_columns: vec![key.column.number],
            },
            by_name: entry.certainty,
            reason: entry.reason,
            kind: column.kind,
            is_key_declared: key.is_declared,
            is_key_distinct: key.column.is_distinct,
            is_first: key.is_first,
            stands: entry.stands,
        })
    }
}
