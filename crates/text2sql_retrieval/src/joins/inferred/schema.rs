//! The tables of a schema, ready to be looked up by the names that a column may have.

use std::collections::HashMap;

use super::candidate::Reason;
use super::facts::{Kind, TableFacts};
use super::keys::{Key, Target};
use super::names::{Name, Stands, glued};
use super::people::are_people;
use super::whole_keys::WholeKeys;

/// Keys of one spelling above which only those of tables that it names are kept: it says nothing about the others.
const MAX_ALIKE: usize = 50;

/// A key that a spelling may mean.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// Places of the target and of its key.
    pub(super) target: usize,
    pub(super) key: usize,
    pub(super) reason: Reason,
    pub(super) stands: Option<Stands>,
    /// How sure the name is, if the key is one.
    pub(super) certainty: f32,
}

/// The tables of a schema.
pub(super) struct Schema<'a> {
    pub(super) targets: Vec<Target<'a>>,
    /// Places of the tables by OID.
    pub(super) places: HashMap<u32, usize>,
    /// Places of the tables of people.
    pub(super) people: Vec<usize>,
    pub(super) by_spelling: HashMap<String, Vec<Entry>>,
    /// Declared keys that are called only `id` or the like.
    pub(super) generic: HashMap<String, Vec<(usize, usize)>>,
    pub(super) whole_keys: WholeKeys<'a>,
}

impl<'a> Schema<'a> {
    pub(super) fn of(tables: &[&'a TableFacts]) -> Self {
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
        let mut generic: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (number, target) in targets.iter().enumerate() {
            for (place, key) in target.keys.iter().enumerate() {
                if key.is_declared && key.name.is_generic() {
                    let same = generic.entry(key.name.whole.clone()).or_default();
                    same.push((number, place));
                }
                for (spelling, entry) in spelled(number, place, target, key) {
                    let known = by_spelling.entry(spelling).or_default();
                    let mut of_table = known.iter_mut().rev().take_while(|e| e.target == number);
                    match of_table.find(|e| e.key == place) {
                        Some(known) if known.certainty < entry.certainty => *known = entry,
                        Some(_) => {}
                        None => known.push(entry),
                    }
                }
            }
        }
        for entries in by_spelling.values_mut().filter(|e| e.len() > MAX_ALIKE) {
            entries.retain(|entry| entry.stands.is_some_and(|stands| stands <= Stands::Core));
        }
        let people = targets.iter().enumerate();
        let people = people.filter(|(_, target)| are_people(target));
        Self {
            people: people.map(|(place, _)| place).collect(),
            places: (targets.iter().map(|target| target.table.oid))
                .zip(0..)
                .collect(),
            whole_keys: WholeKeys::of(&targets),
            targets,
            by_spelling,
            generic,
        }
    }
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
    let is_initial = key.own.is_none() && !key.name.is_generic();
    let word = match key.is_declared || key.is_first || is_initial {
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
