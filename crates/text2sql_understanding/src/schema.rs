//! What the tables are: how they are named, which columns show, date and pay for a row, and how tables are reached.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use text2sql_domain::words;

use crate::lexicon::canonical;
pub(crate) use crate::references::{Edge, table_ref};
use crate::references::{assumed, assumed_above};
use crate::table_names::{Own, TableNames, words_of, written_words};
use crate::term::Term;
use text2sql_domain::schema::{Column, Table, TableKind, TypeCategory};
use text2sql_language::english::verb_root;
use text2sql_language::words::stem;
use text2sql_semantics::{ColumnRef, Key, Step};

/// What a span of a question names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Name {
    pub(crate) kind: NameKind,
    /// 1 for the name itself, less for what only means it.
    pub(crate) score: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NameKind {
    Table(usize),
    Column(usize, usize),
    Value(usize, usize, String),
}

/// The tables as the questions see them.
pub(crate) struct Schema<'t> {
    pub(crate) tables: &'t [Arc<Table>],
    edges: Vec<Vec<Edge>>,
    /// What owners defined.
    pub(crate) terms: Vec<Term>,
    /// What the name of a table of pairs means that is called by the two that it pairs: "film categories" are categories.
    pub(crate) meant_by_pairs: HashMap<usize, usize>,
    /// The days on which rows happened, of tables where they were looked for.
    pub(crate) main_dates: RefCell<HashMap<usize, Option<usize>>>,
    /// Paths that were looked for.
    reached: RefCell<HashMap<(usize, usize), Option<Reached>>>,
}

/// A path from a table to one row of another, with what it costs.
#[derive(Debug, Clone)]
pub(crate) struct Reached {
    pub(crate) path: Vec<Step>,
    pub(crate) cost: usize,
    /// Whether another path is as good.
    pub(crate) is_tied: bool,
    /// The owner that is meant by custom, where others have one as well: the customer's country; the reference that is called by nothing
    /// else, `language_id`, where there is another one.
    pub(crate) party: Option<String>,
}

impl Reached {
    /// The same, meant by the key of its one step.
    fn by_key(self) -> Self {
        let key = self.path.first().and_then(|step| step.key.first());
        Self {
            party: key.map(|pair| pair.own.clone()),
            ..self
        }
    }
}

/// A step the other way round.
pub(crate) fn turned(step: &Step) -> Vec<Key> {
    let pairs = step.key.iter().map(|pair| Key {
        own: pair.other.clone(),
        other: pair.own.clone(),
    });
    pairs.collect()
}

/// How sure a join that nobody declared has to be.
const SURE: u8 = 90;

/// How much longer a path may be that is about as good: it may miss a row.
const CLOSE: usize = 2;

/// Maximum number of steps of a path.
const MAX_STEPS: usize = 5;

impl<'t> Schema<'t> {
    pub(crate) fn of(tables: &'t [Arc<Table>]) -> Self {
        let place: HashMap<u32, usize> = tables
            .iter()
            .enumerate()
            .map(|(at, table)| (table.oid, at))
            .collect();
        let edges = tables.iter().enumerate().map(|(at, table)| {
            let likely = table
                .likely_joins
                .iter()
                .filter(|join| join.percent >= SURE)
                .map(|join| &join.key);
            let keys = table
                .foreign_keys
                .iter()
                .chain(likely)
                .filter(|key| !key.columns.is_empty());
            let edges = keys.filter_map(|key| {
                let to = *place.get(&key.target)?;
                let target = tables.get(to)?;
                if to == at {
                    return None;
                }
                let pairs = key.columns.iter().zip(&key.target_columns);
                let may_miss = key
                    .columns
                    .iter()
                    .any(|own| table.column(own).is_none_or(|column| !column.not_null));
                let step = Step {
                    to: table_ref(target),
                    key: pairs
                        .map(|(own, other)| Key {
                            own: own.clone(),
                            other: other.clone(),
                        })
                        .collect(),
                    fans_out: false,
                };
                Some(Edge { to, step, may_miss })
            });
            edges.chain(assumed(tables, at, table)).collect()
        });
        let mut schema = Self {
            edges: edges.collect(),
            terms: Vec::new(),
            tables,
            meant_by_pairs: HashMap::new(),
            main_dates: RefCell::default(),
            reached: RefCell::default(),
        };
        schema.meant_by_pairs = schema.named_by_their_ends().collect();
        schema
    }

    /// The path to a table that rows are paired with by a table of pairs: from a film to its categories.
    pub(crate) fn fan(&self, from: usize, to: usize) -> Option<Reached> {
        let mut best: Option<Reached> = None;
        for (pairs, near, far) in self.pairs() {
            if far.to != to {
                continue;
            }
            let Some(start) = self.reach(from, near.to).filter(|start| !start.is_tied) else {
                continue;
            };
            // Orders have products of their own: those that their customers review are others.
            if !start.path.is_empty() && self.has_details(from, to, pairs) {
                continue;
            }
            let Some(table) = self.table(pairs) else {
                continue;
            };
            let mut path = start.path.clone();
            path.push(Step {
                to: table_ref(table),
                key: turned(&near.step),
                fans_out: true,
            });
            path.push(far.step.clone());
            let cost = start.cost + 20;
            let is_tied = best.as_ref().is_some_and(|best| best.cost == cost);
            if best.as_ref().is_none_or(|best| cost <= best.cost) {
                best = Some(Reached {
                    path,
                    cost,
                    is_tied,
                    party: None,
                });
            }
        }
        best
    }

    /// Whether another table than that of pairs has rows of both, as the items of an order have its products.
    fn has_details(&self, from: usize, to: usize, pairs: usize) -> bool {
        let refers = |edges: &[Edge], target| edges.iter().any(|edge| edge.to == target);
        let mut tables = self.edges.iter().enumerate();
        tables.any(|(at, edges)| {
            at != pairs && self.is_base(at) && refers(edges, from) && refers(edges, to)
        })
    }

    /// Tables of pairs, each with its references in both orders.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, &Edge, &Edge)> {
        let tables = self.edges.iter().enumerate();
        tables.flat_map(move |(at, edges)| {
            let near = edges.iter().filter(move |_| self.is_base(at));
            near.flat_map(move |near| {
                let others = edges.iter().filter(move |far| far.to != near.to);
                others
                    .filter(move |far| self.has_pairs_once(at, near, far))
                    .map(move |far| (at, near, far))
            })
        })
    }

    /// Tables of pairs that are called by the two tables that they pair, as `film_category`, each with the one that its
    /// last word names: a row of such a table is no thing that anybody counts or lists.
    fn named_by_their_ends(&self) -> impl Iterator<Item = (usize, usize)> {
        let stems = |table: usize| {
            let words = self.table(table).map(|table| words_of(&table.name));
            words.into_iter().flatten().map(|word| stem(&word))
        };
        self.pairs().filter_map(move |(at, near, far)| {
            let meant: Vec<String> = stems(far.to).collect();
            let ends: Vec<String> = stems(near.to).chain(meant.iter().cloned()).collect();
            let is_head = stems(at)
                .next_back()
                .is_some_and(|word| meant.contains(&word));
            (is_head && stems(at).all(|word| ends.contains(&word))).then_some((at, far.to))
        })
    }

    fn has_pairs_once(&self, at: usize, near: &Edge, far: &Edge) -> bool {
        let is_in_pair = |column: &String| {
            let mut own = near.step.key.iter().chain(&far.step.key);
            own.any(|pair| pair.own == *column)
        };
        let is_whole = |key: &Vec<String>| key.len() > 1 && key.iter().all(is_in_pair);
        self.table(at).is_some_and(|table| {
            is_whole(&table.primary_key) || table.unique_keys.iter().any(is_whole)
        })
    }

    /// The step from a row to the one of the same table that it refers to, as an employee to the boss.
    pub(crate) fn own_reference(&self, at: usize) -> Option<Step> {
        let table = self.table(at)?;
        let mut own = table
            .foreign_keys
            .iter()
            .filter(|key| key.target == table.oid);
        let pairs: Vec<(&String, &String)> = match (own.next(), own.next()) {
            (Some(key), None) => key.columns.iter().zip(&key.target_columns).collect(),
            (None, _) => vec![assumed_above(table)?],
            _ => return None,
        };
        let key = pairs.into_iter().map(|(own, other)| Key {
            own: own.clone(),
            other: other.clone(),
        });
        Some(Step {
            to: table_ref(table),
            key: key.collect(),
            fans_out: false,
        })
    }

    pub(crate) fn table(&self, at: usize) -> Option<&'t Table> {
        self.tables.get(at).map(Arc::as_ref)
    }

    pub(crate) fn column(&self, table: usize, column: usize) -> Option<&'t Column> {
        self.table(table)?.columns.get(column)
    }

    pub(crate) fn names(&self, at: usize) -> Option<&'t TableNames> {
        let table = self.table(at)?;
        Some(table.cache.get_or_make(|| TableNames::of(table)))
    }

    /// Whether rows are entered here, not derived from others.
    pub(crate) fn is_base(&self, at: usize) -> bool {
        self.table(at).is_some_and(|table| {
            matches!(table.kind, TableKind::Table | TableKind::PartitionedTable)
                && table.derived_by.is_none()
        })
    }

    /// What the key of words names: tables and columns.
    pub(crate) fn named(&self, key: &str, less: f64) -> Vec<Name> {
        self.named_as(key, less, false)
    }

    /// The same, where the words may be an address: then `product_category` is the table of that name.
    pub(crate) fn named_as(&self, key: &str, less: f64, is_address: bool) -> Vec<Name> {
        let mut found = Vec::new();
        for at in 0..self.tables.len() {
            let Some(names) = self.names(at) else {
                continue;
            };
            if !self.is_base(at) {
                continue;
            }
            for (own, score) in names.names.get(key).into_iter().flatten() {
                let kind = match own {
                    Own::Table if is_address => NameKind::Table(at),
                    Own::Table => NameKind::Table(*self.meant_by_pairs.get(&at).unwrap_or(&at)),
                    Own::Column(column) => NameKind::Column(at, *column),
                };
                found.push(Name {
                    kind,
                    score: score - less,
                });
            }
        }
        found
    }

    /// The stored values that the key of words may be.
    pub(crate) fn valued(&self, key: &str) -> Vec<Name> {
        let mut found = Vec::new();
        for at in 0..self.tables.len() {
            if !self.is_base(at) {
                continue;
            }
            let Some(names) = self.names(at) else {
                continue;
            };
            for (column, value) in names.values.get(key).into_iter().flatten() {
                found.push(Name {
                    kind: NameKind::Value(at, *column, value.clone()),
                    score: 0.9,
                });
            }
        }
        found
    }

    /// Words that the names of the schema have, for what is misspelt.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> + '_ {
        let base = self
            .tables
            .iter()
            .filter(|table| table.derived_by.is_none());
        base.flat_map(|table| {
            let columns = table
                .columns
                .iter()
                .flat_map(|column| written_words(&column.name));
            written_words(&table.name).into_iter().chain(columns)
        })
        .filter(|word| word.len() > 4)
    }

    /// Whether a table is called by what the verb does: "advises" of advisors, "prescribe" of prescriptions.
    pub(crate) fn has_root(&self, verb: &str) -> bool {
        // "allergic" of allergies.
        let adjective = verb.strip_suffix("ic").filter(|root| root.len() > 4);
        let root = adjective.map_or_else(|| verb_root(verb), str::to_owned);
        let is_of = |word: &String| word.len() > 3 && verb_root(word).starts_with(&root);
        let mut base = (0..self.tables.len()).filter(|at| self.is_base(*at));
        root.len() > 3
            && base.any(|at| {
                let words = self.table(at).map(|table| words_of(&table.name));
                words.is_some_and(|words| words.iter().any(is_of))
            })
    }

    /// Single words of stored values, for what is misspelt.
    pub(crate) fn value_words(&self) -> impl Iterator<Item = &'t str> + '_ {
        let columns = self.tables.iter().flat_map(|table| &table.columns);
        columns
            .filter(|column| !column.is_private)
            .flat_map(|column| {
                let known = column
                    .statistics
                    .iter()
                    .flat_map(|one| &one.most_common_values);
                known
                    .chain(&column.enum_labels)
                    .chain(&column.mentioned_values)
            })
            .map(String::as_str)
            .filter(|value| value.len() > 4 && value.chars().all(char::is_alphabetic))
    }

    /// Whether a date is called by what the verb does: "revised" of `date_of_latest_revision`.
    pub(crate) fn has_date_root(&self, verb: &str) -> bool {
        let Some(root) = verb.strip_suffix("ed").filter(|root| root.len() > 4) else {
            return false;
        };
        let mut base = (0..self.tables.len()).filter(|at| self.is_base(*at));
        base.any(|at| {
            let mut dates = self.dates(at).into_iter();
            dates.any(|date| {
                let mut words = self.column_words(at, date).iter();
                words.any(|word| word.starts_with(root))
            })
        })
    }

    /// The thing that a table with nothing but references is about: "film category" is a category.
    pub(crate) fn thing_of(&self, at: usize) -> usize {
        let Some(table) = self.table(at) else {
            return at;
        };
        let is_reference = |name: &String| {
            table
                .foreign_keys
                .iter()
                .any(|key| key.columns.contains(name))
        };
        let is_bridge = table.primary_key.len() > 1 && table.primary_key.iter().all(is_reference);
        if !is_bridge || self.has_name(at) {
            return at;
        }
        let words = self.table_words(at);
        let mut targets = self.edges.get(at).into_iter().flatten().map(|edge| edge.to);
        targets
            .find(|to| {
                self.table_words(*to).as_slice()
                    == words
                        .get(words.len().saturating_sub(1)..)
                        .unwrap_or_default()
            })
            .filter(|_| table.columns.len() <= table.primary_key.len() + 1)
            .unwrap_or(at)
    }

    /// The columns that people know a row by; its key where it has no name.
    pub(crate) fn shown(&self, at: usize) -> Vec<usize> {
        let Some((table, names)) = self.table(at).zip(self.names(at)) else {
            return Vec::new();
        };
        if !names.shown.is_empty() {
            return names.shown.clone();
        }
        let position = |name: &String| table.columns.iter().position(|column| column.name == *name);
        table.primary_key.iter().filter_map(position).collect()
    }

    /// The ways from a table to one row of others.
    pub(crate) fn edges_of(&self, at: usize) -> &[Edge] {
        self.edges.get(at).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn has_name(&self, at: usize) -> bool {
        self.names(at).is_some_and(|names| !names.shown.is_empty())
    }

    /// The best path from a table along keys to one row of the other.
    pub(crate) fn reach(&self, from: usize, to: usize) -> Option<Reached> {
        if let Some(known) = self.reached.borrow().get(&(from, to)) {
            return known.clone();
        }
        let found = self.find_path(from, to);
        self.reached.borrow_mut().insert((from, to), found.clone());
        found
    }

    fn find_path(&self, from: usize, to: usize) -> Option<Reached> {
        if from == to {
            return Some(Reached {
                path: Vec::new(),
                cost: 0,
                is_tied: false,
                party: None,
            });
        }
        let mut best: Option<Reached> = None;
        let mut open: Vec<(usize, Vec<usize>, Vec<Step>, usize)> =
            vec![(from, vec![from], Vec::new(), 0)];
        while let Some((at, seen, path, cost)) = open.pop() {
            if path.len() >= MAX_STEPS {
                continue;
            }
            for edge in self.edges.get(at).into_iter().flatten() {
                if seen.contains(&edge.to) {
                    continue;
                }
                let cost = cost + 10 + usize::from(edge.may_miss);
                let is_longer = |best: &Reached| cost > best.cost + CLOSE;
                if best.as_ref().is_some_and(is_longer) {
                    continue;
                }
                let mut path = path.clone();
                path.push(edge.step.clone());
                if edge.to == to {
                    let found = Reached {
                        path,
                        cost,
                        is_tied: false,
                        party: None,
                    };
                    best = Some(match best {
                        Some(best) => self.better(to, best, found),
                        None => found,
                    });
                    continue;
                }
                let mut seen = seen.clone();
                seen.push(edge.to);
                open.push((edge.to, seen, path, cost));
            }
        }
        best
    }

    /// The better of two paths to a table. Of two ways to a place that of a customer is meant, and it is said.
    fn better(&self, to: usize, known: Reached, found: Reached) -> Reached {
        if known.path == found.path {
            return known;
        }
        let party = |path: &[Step]| {
            let mut names = path.iter().map(|step| &step.to.name);
            names
                .find(|name| {
                    words_of(name)
                        .iter()
                        .any(|word| canonical(word) == canonical("customer"))
                })
                .cloned()
        };
        let is_place = self.table_words(to).iter().any(|word| {
            let places = ["country", "city", "region", "state", "district", "address"];
            places.iter().any(|place| canonical(place) == *word)
        });
        let is_close = known.cost.abs_diff(found.cost) <= CLOSE;
        // The language of a film, not its original language.
        match (
            self.is_plain(to, &known.path),
            self.is_plain(to, &found.path),
        ) {
            (true, false) if is_close => return known.by_key(),
            (false, true) if is_close => return found.by_key(),
            _ => {}
        }
        let parties = (party(&known.path), party(&found.path));
        match parties {
            (Some(party), None) if is_place && is_close => Reached {
                party: Some(party),
                ..known
            },
            (None, Some(party)) if is_place && is_close => Reached {
                party: Some(party),
                ..found
            },
            _ if found.cost < known.cost => found,
            _ => Reached {
                is_tied: known.is_tied || known.cost == found.cost,
                ..known
            },
        }
    }

    /// Whether the path is one reference that is called by nothing but the table: `language_id`.
    fn is_plain(&self, to: usize, path: &[Step]) -> bool {
        let [step] = path else {
            return false;
        };
        let of = self.table_words(to);
        let is_of_table = |word: &String| word == "id" || of.contains(&canonical(word));
        let mut words = step.key.iter().flat_map(|pair| words_of(&pair.own));
        !of.is_empty() && words.all(|word| is_of_table(&word))
    }

    /// Whether a step of the path has another one beside it that may be meant as well.
    pub(crate) fn has_sibling(&self, from: usize, path: &[Step]) -> bool {
        if let [step] = path
            && let Some(edge) = self.edges_of(from).iter().find(|edge| edge.step == *step)
            && self.is_plain(edge.to, path)
        {
            return false;
        }
        let mut at = Some(from);
        path.iter().any(|step| {
            let edges = at.and_then(|at| self.edges.get(at));
            let same = edges
                .into_iter()
                .flatten()
                .filter(|edge| edge.step.to == step.to);
            let count = same.clone().count();
            at = same.map(|edge| edge.to).next();
            count > 1
        })
    }

    /// Whether the path is one reference named by a role, as `head` of a department for an employee.
    pub(crate) fn is_role(&self, reached: &Reached, to: usize) -> bool {
        let [step] = reached.path.as_slice() else {
            return false;
        };
        let of = self.table_words(to);
        let mut words = step.key.iter().flat_map(|pair| words_of(&pair.own));
        !words.any(|word| of.contains(&canonical(&word)))
    }

    /// Tables whose rows refer to the table, nearest first.
    pub(crate) fn referring(&self, to: usize) -> Vec<(usize, Reached)> {
        let mut found: Vec<(usize, Reached)> = (0..self.tables.len())
            .filter(|at| *at != to && self.is_base(*at))
            .filter_map(|at| Some((at, self.reach(at, to)?)))
            .collect();
        found.sort_by_key(|(_, reached)| reached.cost);
        found
    }

    /// The canonical words of a table's name.
    pub(crate) fn table_words(&self, at: usize) -> Vec<String> {
        self.names(at)
            .map(|names| names.table_words.clone())
            .unwrap_or_default()
    }

    /// Whether the table has the addresses of the rows of another, after which it is called: customer_addresses.
    pub(crate) fn holds_places_of(&self, table: usize, of: usize) -> bool {
        let (words, owner) = (self.table_words(table), self.table_words(of));
        let mut others = words.iter().filter(|word| !owner.contains(word));
        words.len() > owner.len()
            && owner.iter().all(|word| words.contains(word))
            && others.all(|word| matches!(word.as_str(), "address" | "location"))
    }

    pub(crate) fn column_words(&self, table: usize, column: usize) -> &'t [String] {
        self.names(table)
            .and_then(|names| names.column_words.get(column))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    pub(crate) fn own_column(
        &self,
        table: usize,
        column: usize,
        path: Vec<Step>,
    ) -> Option<ColumnRef> {
        let column = self.column(table, column)?;
        Some(ColumnRef {
            path,
            column: column.name.clone(),
        })
    }

    /// Whether the column is part of a key, which is no figure.
    pub(crate) fn is_key(&self, table: usize, column: usize) -> bool {
        let (Some(of), Some(column)) = (self.table(table), self.column(table, column)) else {
            return false;
        };
        let words = words_of(&column.name);
        let is_coded = words.last().is_some_and(|last| {
            words!("id, key, code, no, nr, number, year, zip").contains(&last.as_str())
        });
        is_coded
            || of.primary_key.contains(&column.name) && of.primary_key.len() == 1
            || of
                .foreign_keys
                .iter()
                .any(|key| key.columns.contains(&column.name))
    }

    /// Whether one of the columns refers to the other, so that a value of one is that of the other.
    pub(crate) fn is_same_by_key(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        let refers = |(from, own): (usize, usize), (to, of): (usize, usize)| {
            let names = (self.column(from, own), self.column(to, of));
            let (Some(own), Some(of)) = names else {
                return false;
            };
            let mut edges = self.edges.get(from).into_iter().flatten();
            edges.any(|edge| {
                let is_own = |pair: &Key| pair.own == own.name && pair.other == of.name;
                edge.to == to && edge.step.key.iter().any(is_own)
            })
        };
        refers(one, other) || refers(other, one)
    }

    /// Whether the column is a part of the name of a person: one of two by which rows are known.
    pub(crate) fn is_name_of_person(&self, table: usize, column: usize) -> bool {
        let shown = self.shown(table);
        shown.len() == 2 && shown.contains(&column)
    }

    /// Whether the column is the key of its table, or refers to another one.
    pub(crate) fn is_reference(&self, table: usize, column: usize) -> bool {
        let (Some(of), Some(column)) = (self.table(table), self.column(table, column)) else {
            return false;
        };
        of.primary_key.contains(&column.name)
            || of
                .foreign_keys
                .iter()
                .any(|key| key.columns.contains(&column.name))
    }

    /// Whether the column says yes or no.
    pub(crate) fn is_flag(&self, table: usize, column: usize) -> bool {
        let Some(described) = self.column(table, column) else {
            return false;
        };
        let statistics = described.statistics.as_ref();
        let values = statistics.map(|one| one.most_common_values.as_slice());
        let values = values.unwrap_or_default();
        let is_one_of_two = |value: &String| value == "0" || value == "1";
        described.category == TypeCategory::Boolean
            || described.category == TypeCategory::Integer
                && !values.is_empty()
                && values.iter().all(is_one_of_two)
    }

    /// The year of rows that have no day: `year`, or `release_year`.
    pub(crate) fn year_column(&self, at: usize) -> Option<usize> {
        let columns = self.table(at)?.columns.iter().enumerate();
        let mut years = columns.filter(|(place, column)| {
            let words = self.column_words(at, *place);
            matches!(
                column.category,
                TypeCategory::Integer | TypeCategory::Number
            ) && words.last().is_some_and(|last| last == "year")
        });
        let (only, _) = years.next().filter(|_| years.next().is_none())?;
        Some(only)
    }

    pub(crate) fn is_numeric(&self, table: usize, column: usize) -> bool {
        self.column(table, column).is_some_and(|column| {
            matches!(
                column.category,
                TypeCategory::Integer | TypeCategory::Number
            )
        }) && !self.is_key(table, column)
    }
}
