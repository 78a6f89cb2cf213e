//! Which columns may reference which key, by their names.

use std::collections::{HashMap, HashSet};

use super::facts::{ColumnFacts, Kind, Pair, TableFacts};
use super::keys::{Key, Target, stands_for};
use super::names::{Name, Stands, glued, is_short_for};

/// A possible join, judged by names alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its two sides.
    pub pair: Pair,
    /// How sure the names are, 0 to 1.
    pub(super) by_name: f32,
    /// What they say.
    pub(super) reason: Reason,
    /// The kind of the (first) column.
    pub(super) kind: Kind,
    /// Whether the target's key is declared.
    pub(super) is_key_declared: bool,
    /// Whether statistics say that the target is unique.
    pub(super) is_key_distinct: bool,
    /// Whether the target's columns are its primary key.
    pub(super) is_first: bool,
    /// How the referenced table is named by the column, for ties.
    pub(super) stands: Option<Stands>,
}

impl Candidate {
    /// Whether the target is known to be unique, without counting.
    pub fn is_key(&self) -> bool {
        self.is_key_declared || self.is_key_distinct
    }
}

/// What the name of a column says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is the name of the key.
    SameName,
    /// It is the name of the table and its key.
    TableAndKey,
    /// It is the name of the table.
    Table,
    /// It is the key's word alone, `id`: only values can tell.
    KeyWord,
    /// It is short for the table.
    Short,
    /// It is a word for a row of the same table: `parent_id`.
    OwnTable,
    /// It is a word for a person: `manager_id`.
    Person,
    /// All columns of the key have the same names.
    AllOfKey,
}

/// Words for another row of the same table.
const OWN_ROWS: &[&str] = &[
    "parent",
    "superior",
    "boss",
    "manager",
    "mgr",
    "report",
    "supervisor",
    "predecessor",
    "successor",
    "previous",
    "prev",
    "next",
    "original",
    "root",
    "replac",
    "lead",
    "leader",
    "super",
    "ancestor",
    "head",
    "prereq",
    "prerequisit",
    "duplicat",
];

/// Words for people in a role.
const PERSON_ROLES: &[&str] = &[
    "manager",
    "mgr",
    "supervisor",
    "boss",
    "owner",
    "creator",
    "author",
    "editor",
    "reviewer",
    "approver",
    "assigne",
    "agent",
    "advisor",
    "adviser",
    "mentor",
    "head",
    "leader",
    "lead",
    "rep",
    "representativ",
    "salesperson",
    "createdbi",
    "updatedbi",
    "modifiedbi",
    "assignedto",
    "teacher",
    "instructor",
    "professor",
    "prof",
    "doctor",
    "physician",
    "nurs",
    "coach",
    "chair",
    "director",
    "secretari",
    "technician",
    "contact",
    "responsibl",
    "operator",
    "clerk",
    "seller",
    "buyer",
];

/// Tables of people.
const PEOPLE: &[&str] = &[
    "employee",
    "employe",
    "staff",
    "person",
    "user",
    "member",
    "worker",
    "personnel",
    "faculti",
    "human",
];

/// Tables in one schema above which short forms are not looked for: too many would fit.
const MAX_FOR_SHORT: usize = 300;

/// Maximum number of tables that may fit one column: more say that the name means nothing.
const MAX_FITTING: usize = 6;

#[derive(Clone, Copy)]
struct Entry {
    target: usize,
    key: usize,
    reason: Reason,
    stands: Option<Stands>,
    certainty: f32,
}

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
        let schema = Schema::of(tables);
        for source in &schema.targets {
            schema.from(source, &mut found);
        }
    }
    found.sort_by(|one, other| one.pair.cmp(&other.pair));
    found
}

/// The tables of a schema, ready to be referenced.
struct Schema<'a> {
    targets: Vec<Target<'a>>,
    by_spelling: HashMap<String, Vec<Entry>>,
}

impl<'a> Schema<'a> {
    fn of(tables: &[&'a TableFacts]) -> Self {
        // A first word that most tables share says nothing.
        let mut firsts: HashMap<String, usize> = HashMap::new();
        for table in tables {
            if let Some(first) = Name::of(&table.name).words.first() {
                *firsts.entry(first.clone()).or_default() += 1;
            }
        }
        let many = (tables.len() / 2).max(3);
        let targets: Vec<Target<'a>> = tables
            .iter()
            .map(|table| Target::of(table, |word| firsts.get(word).is_some_and(|n| *n > many)))
            .collect();
        let mut by_spelling: HashMap<String, Vec<Entry>> = HashMap::new();
        for (number, target) in targets.iter().enumerate() {
            for (place, key) in target.keys.iter().enumerate() {
                for (spelling, entry) in spelled(number, place, target, key) {
                    let known = by_spelling.entry(spelling).or_default();
                    match known
                        .iter_mut()
                        .find(|e| e.target == number && e.key == place)
                    {
                        Some(known) if known.certainty < entry.certainty => *known = entry,
                        Some(_) => {}
                        None => known.push(entry),
                    }
                }
            }
        }
        Self {
            targets,
            by_spelling,
        }
    }

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
        self.whole_keys(table, found);
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
            for (number, target) in self.targets.iter().enumerate() {
                for (key, known) in target.keys.iter().enumerate() {
                    if known.is_declared && known.name.whole == name.whole {
                        add(
                            Entry {
                                target: number,
                                key,
                                reason: Reason::KeyWord,
                                stands: None,
                                certainty: 0.3,
                            },
                            1.0,
                        );
                    }
                }
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
        let subject = name.subject();
        let words = match name.key_word() {
            Some(_) => name.words.get(..name.words.len() - 1).unwrap_or_default(),
            None => &name.words,
        };
        let is_in = |list: &[&str], word: Option<&String>| {
            word.is_some_and(|word| list.contains(&word.as_str()))
                || list.contains(&subject.as_str())
        };
        let reports = name.whole.starts_with("reportsto") || name.whole.starts_with("reportto");
        let ends = reports
            || name.key_word().is_some_and(|word| word != "name")
            || name.words.last().is_some_and(|last| last == "by");
        // `parent_entry_id`, but `sales_rep_id`.
        let is_own_row = ends && (reports || is_in(OWN_ROWS, words.first()));
        let is_person = reports || is_in(PERSON_ROLES, words.last());
        if !is_own_row && !is_person {
            return;
        }
        for (number, target) in self.targets.iter().enumerate() {
            let is_own = target.table.oid == table.oid;
            let is_people = PEOPLE.iter().any(|word| {
                target
                    .spellings
                    .get(*word)
                    .is_some_and(|stands| *stands <= Stands::Core)
            });
            let (reason, certainty) = match (is_own, is_people) {
                (true, true) if is_own_row => (Reason::OwnTable, 0.86),
                (true, false) if is_own_row => {
                    (Reason::OwnTable, if is_person { 0.5 } else { 0.8 })
                }
                (false, true) if is_person => (Reason::Person, if ends { 0.66 } else { 0.5 }),
                _ => continue,
            };
            for (key, known) in target.keys.iter().enumerate() {
                if known.is_first {
                    add(
                        Entry {
                            target: number,
                            key,
                            reason,
                            stands: None,
                            certainty,
                        },
                        1.0,
                    );
                }
            }
        }
    }

    /// `dept_id` for `departments`, `s_id` for `students`.
    fn short(&self, table: &TableFacts, name: &Name, entries: &mut HashMap<(usize, usize), Entry>) {
        if self.targets.len() > MAX_FOR_SHORT || name.key_word().is_none_or(|word| word == "name") {
            return;
        }
        let before_key = name.words.len().saturating_sub(1);
        let words = name.words.get(..before_key).unwrap_or_default();
        let subject = name.subject();
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
                    let is_same_word = key.name.key_word() == name.key_word();
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
                        certainty: certainty * factor * by_word,
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

    /// Keys of several columns that the table has by the same names.
    fn whole_keys(&self, table: &TableFacts, found: &mut Vec<Candidate>) {
        for target in &self.targets {
            if target.table.oid == table.oid {
                continue;
            }
            for key in target.table.keys.iter().filter(|key| key.len() > 1) {
                let Some(columns) = same_columns(table, target.table, key) else {
                    continue;
                };
                let is_settled = table
                    .settled
                    .iter()
                    .any(|settled| settled.columns == columns);
                // One of them must say that it is of the target: two tables that both reference a student and a
                // course have the same columns, too.
                let is_named = key.iter().any(|number| {
                    target.table.column(*number).is_some_and(|column| {
                        let name = Name::of(&column.name);
                        let by_table = stands_for(&name.subject(), &target.spellings);
                        by_table.is_some() && !name.is_generic()
                    })
                });
                if is_settled || !is_named || table.is_key(&columns) {
                    continue;
                }
                found.push(Candidate {
                    pair: Pair {
                        from: table.oid,
                        columns,
                        to: target.table.oid,
                        target_columns: key.clone(),
                    },
                    by_name: 0.8,
                    reason: Reason::AllOfKey,
                    kind: Kind::Text,
                    is_key_declared: true,
                    is_key_distinct: false,
                    is_first: true,
                    stands: None,
                });
            }
        }
    }
}

/// The columns of `table` that are called like those of a key.
fn same_columns(table: &TableFacts, target: &TableFacts, key: &[i16]) -> Option<Vec<i16>> {
    key.iter()
        .map(|number| {
            let wanted = target.column(*number)?;
            let name = Name::of(&wanted.name).whole;
            table
                .columns
                .iter()
                .find(|own| own.kind == wanted.kind && Name::of(&own.name).whole == name)
                .map(|own| own.number)
        })
        .collect()
}

/// The names that a column referencing the key may have.
fn spelled(
    number: usize,
    place: usize,
    target: &Target<'_>,
    key: &Key<'_>,
) -> Vec<(String, Entry)> {
    let mut all = Vec::new();
    let mut add = |spelling: String, reason, stands, certainty: f32| {
        let entry = Entry {
            target: number,
            key: place,
            reason,
            stands,
            certainty,
        };
        all.push((spelling, entry));
    };
    let word = match key.is_declared || key.is_first {
        true => key.name.glued_key_word(),
        false => key.name.key_word(),
    };
    if !key.name.is_generic() {
        let certainty = match (key.own, word) {
            (Some(Stands::Whole | Stands::Core), Some(_)) => 0.97,
            (Some(_), Some(_)) => 0.94,
            (Some(_), None) if key.is_first => 0.85,
            (Some(Stands::Whole | Stands::Core), None) if key.is_declared => 0.8,
            (None, Some(_)) if key.is_first => 0.85,
            (None, Some(_)) => 0.6,
            _ if key.is_first => 0.6,
            _ => 0.3,
        };
        add(key.name.whole.clone(), Reason::SameName, key.own, certainty);
    }
    let is_generic = key.name.is_generic();
    if !is_generic && !key.is_first {
        return all;
    }
    for (spelling, stands) in &target.spellings {
        let certainty = match (stands, is_generic) {
            (Stands::Whole, _) => 0.96,
            (Stands::Core, _) => 0.93,
            (Stands::Tail, true) => 0.8,
            // Lines of an order are no orders.
            (Stands::Head, true) => 0.45,
            (Stands::Short, true) => 0.6,
            // The key's own name says how the table is called in short.
            (_, false) => continue,
        };
        for form in glued(spelling) {
            // Any of the usual words, the key's own first.
            if let Some(word) = word {
                add(
                    format!("{form}{word}"),
                    Reason::TableAndKey,
                    Some(*stands),
                    certainty,
                );
            }
            if key.is_first {
                for other in ["id", "no", "nr", "num", "number", "key", "code", "fk"] {
                    add(
                        format!("{form}{other}"),
                        Reason::TableAndKey,
                        Some(*stands),
                        certainty * 0.86,
                    );
                }
            }
            let is_code = key.column.kind == Kind::Text;
            if (key.is_first || is_code) && form.chars().count() > 2 && *stands != Stands::Short {
                add(form, Reason::Table, Some(*stands), certainty * 0.74);
            }
        }
    }
    all
}
