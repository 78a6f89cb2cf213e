//! Compares what is proposed with what is declared.

use std::collections::HashMap;
use std::fmt;

use text2sql_retrieval::joins::inferred::Pair;

use crate::database::Schema;

/// Bounds of the bands of certainty that are counted apart.
const BANDS: [f32; 4] = [0.0, 0.8, 0.9, 0.96];

/// Counts over some schemas.
#[derive(Debug, Clone, Default)]
pub(crate) struct Figures {
    proposed: usize,
    right: usize,
    /// Right ones that no foreign key declares.
    undeclared: usize,
    declared: usize,
    found: usize,
    bands: [(usize, usize); BANDS.len()],
}

impl Figures {
    /// The figures of one schema of a database; with `list`, also prints what is wrong.
    pub(crate) fn of(database: &str, schema: &Schema, list: bool) -> Self {
        let mut figures = Self::default();
        let declared = Entities::of(&schema.declared);
        let pairs: Vec<Pair> = schema
            .proposed
            .iter()
            .map(|(pair, ..)| pair.clone())
            .collect();
        let proposed = Entities::of(&pairs);
        for (pair, certainty, evidence) in &schema.proposed {
            let is_undeclared = !declared.connect(pair)
                && is_undeclared(&format!("{database}.{}", shown(schema, pair)));
            let is_right = is_undeclared || declared.connect(pair);
            figures.undeclared += usize::from(is_undeclared);
            figures.proposed += 1;
            figures.right += usize::from(is_right);
            let band = BANDS
                .iter()
                .rposition(|least| certainty >= least)
                .unwrap_or(0);
            if let Some((all, right)) = figures.bands.get_mut(band) {
                *all += 1;
                *right += usize::from(is_right);
            }
            if list && !is_right {
                println!(
                    "    wrong  {} {certainty:.2}: {evidence}",
                    shown(schema, pair)
                );
            }
        }
        for pair in &schema.declared {
            let is_found = proposed.connect(pair);
            figures.declared += 1;
            figures.found += usize::from(is_found);
            if list && !is_found {
                println!("    missed {}", shown(schema, pair));
            }
        }
        figures
    }

    /// Adds the counts of others.
    pub(crate) fn add(&mut self, other: &Self) {
        self.proposed += other.proposed;
        self.right += other.right;
        self.undeclared += other.undeclared;
        self.declared += other.declared;
        self.found += other.found;
        for (own, others) in self.bands.iter_mut().zip(other.bands) {
            own.0 += others.0;
            own.1 += others.1;
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        write!(
            f,
            "right {:4} of {:4} proposed ({:5.1} %; {:5.1} % declared), found {:4} of {:4} declared ({:5.1} %); right from",
            self.right,
            self.proposed,
            share(self.right, self.proposed),
            share(self.right - self.undeclared, self.proposed),
            self.found,
            self.declared,
            share(self.found, self.declared)
        )?;
        for (least, (all, right)) in BANDS.iter().zip(self.bands) {
            write!(f, " {least}: {right}/{all}")?;
        }
        Ok(())
    }
}

/// Whether a person who read the tables found that the join is true, although no foreign key says so.
fn is_undeclared(join: &str) -> bool {
    const READ: &str = include_str!("../undeclared_joins.txt");
    READ.lines().any(|line| line.trim_end() == join)
}

fn shown(schema: &Schema, pair: &Pair) -> String {
    let side = |table: u32, columns: &[i16]| {
        let names = columns
            .iter()
            .filter_map(|number| schema.names.get(&(table, *number)));
        names.cloned().collect::<Vec<_>>().join(", ")
    };
    format!(
        "{}: {} -> {}",
        schema.name,
        side(pair.from, &pair.columns),
        side(pair.to, &pair.target_columns)
    )
}

/// Columns joined to each other, each with what stands for all that hold the same entity.
struct Entities {
    leaders: HashMap<(u32, i16), (u32, i16)>,
    composite: Vec<Pair>,
}

impl Entities {
    fn of(pairs: &[Pair]) -> Self {
        let mut entities = Self {
            leaders: HashMap::new(),
            composite: pairs
                .iter()
                .filter(|pair| pair.columns.len() > 1)
                .cloned()
                .collect(),
        };
        for pair in pairs {
            for (own, other) in pair.columns.iter().zip(&pair.target_columns) {
                let own = entities.leader((pair.from, *own));
                let other = entities.leader((pair.to, *other));
                if own != other {
                    entities.leaders.insert(own, other);
                }
            }
        }
        entities
    }

    fn leader(&self, mut column: (u32, i16)) -> (u32, i16) {
        while let Some(next) = self.leaders.get(&column) {
            column = *next;
        }
        column
    }

    fn connect(&self, pair: &Pair) -> bool {
        if pair.columns.len() > 1 {
            let mut wanted: Vec<_> = pair.columns.iter().zip(&pair.target_columns).collect();
            wanted.sort();
            return self.composite.iter().any(|known| {
                let mut parts: Vec<_> = known.columns.iter().zip(&known.target_columns).collect();
                parts.sort();
                known.from == pair.from && known.to == pair.to && parts == wanted
            });
        }
        let mut sides = pair.columns.iter().zip(&pair.target_columns);
        sides.all(|(own, other)| self.leader((pair.from, *own)) == self.leader((pair.to, *other)))
    }
}
