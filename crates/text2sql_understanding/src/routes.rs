//! The ways from rows to the columns that conditions are on, and the column that a value is of.

use crate::lexicon::canonical;
use crate::schema::{Name, NameKind, Schema, table_ref};
use text2sql_domain::schema::TypeCategory;
use text2sql_semantics::{ColumnRef, Condition, Dimension, Literal, Step};

/// What is said of a condition: words, and whether it is a default.
pub(crate) type Said = Vec<(String, bool)>;

/// Why a condition has no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misfit {
    Unreachable,
    Ambiguous,
}

/// How well a place for a value fits; the less the better.
struct Fit {
    cost: f64,
    table: usize,
    column: usize,
    value: String,
    condition_on: Placed,
}

pub(crate) enum Placed {
    Reached(ColumnRef),
    Through {
        table: usize,
        of: Vec<Step>,
        link: Vec<Step>,
        column: ColumnRef,
    },
}

pub(crate) fn place_values(
    schema: &Schema<'_>,
    grain: usize,
    names: &[Vec<Name>],
    is_negated: bool,
    (near, happens): (Option<usize>, bool),
    said: &mut Said,
) -> Result<Condition, Misfit> {
    let Some((first, rest)) = names.split_first() else {
        return Err(Misfit::Unreachable);
    };
    let mut fits: Vec<Fit> = Vec::new();
    let is_of_near =
        |name: &Name| matches!(name.kind, NameKind::Value(table, _, _) if near == Some(table));
    let only_near = first.iter().any(is_of_near);
    // "Iron Maiden albums" are the album of that name, or those of the artist.
    let is_name_of_near = first.iter().any(|name| match name.kind {
        NameKind::Value(table, column, _) => {
            near == Some(table) && schema.shown(table).contains(&column)
        }
        _ => false,
    });
    let is_of_parent = |name: &Name| match (near, &name.kind) {
        (Some(near), NameKind::Value(table, column, _)) => {
            *table != near
                && schema.shown(*table).contains(column)
                && schema.reach(near, *table).is_some()
        }
        _ => false,
    };
    if near == Some(grain) && is_name_of_near && first.iter().any(is_of_parent) {
        return Err(Misfit::Ambiguous);
    }
    for name in first {
        let NameKind::Value(table, column, value) = &name.kind else {
            continue;
        };
        // "Biology courses" are courses of it, whoever is asked for.
        if only_near && !is_of_near(name) {
            continue;
        }
        // All of them are values of the one column.
        let is_of_all = rest.iter().all(|other| {
            other.iter().any(
                |name| matches!(&name.kind, NameKind::Value(t, c, _) if t == table && c == column),
            )
        });
        if !is_of_all {
            continue;
        }
        let near_cost = match near {
            Some(near) if near == *table => -12.0,
            Some(near) => match schema.reach(near, *table) {
                Some(reached) => reached.cost as f64 - 11.0,
                None => 8.0,
            },
            None => 0.0,
        };
        let is_exact = schema.column(*table, *column).is_some_and(|column| {
            matches!(column.category, TypeCategory::Enum) || column.name.len() < 30
        });
        // Two columns with the name of a thing: that by which it is shown.
        let is_shown = schema.shown(*table).contains(column);
        let base = near_cost - if is_exact { 0.5 } else { 0.0 } - if is_shown { 1.5 } else { 0.0 };
        let party = if schema
            .table_words(*table)
            .iter()
            .any(|word| word == "customer")
        {
            -2.0
        } else {
            0.0
        };
        let is_related = happens || only_near;
        for (cost, condition_on) in routes(schema, grain, *table, *column, is_related) {
            let is_own = matches!(condition_on, Placed::Reached(_));
            fits.push(Fit {
                cost: base + cost + if is_own { party } else { 0.0 },
                table: *table,
                column: *column,
                value: value.clone(),
                condition_on,
            });
        }
    }
    fits.sort_by(|one, other| one.cost.total_cmp(&other.cost));
    // "tracks by Queen" are of the composer or of the artist.
    if let Some(first) = fits.first()
        && first.table == grain
        && near.is_none_or(|near| near == grain)
        && !schema.shown(grain).contains(&first.column)
        && is_name_of_another(schema, grain, first, names)
    {
        return Err(Misfit::Ambiguous);
    }
    let mut best = fits.into_iter();
    let chosen = best.next().ok_or(Misfit::Unreachable)?;
    if let Some(second) = best.next()
        && second.cost - chosen.cost < 1.0
    {
        let (own, other) = ((chosen.table, chosen.column), (second.table, second.column));
        let is_other_way =
            own == other && second.condition_on.between() != chosen.condition_on.between();
        if is_other_way || own != other && !schema.is_same_by_key(other, own) {
            return Err(Misfit::Ambiguous);
        }
    }
    // "an accounting professor" says nothing of students.
    if let Some(near) = near.filter(|near| *near != grain && *near != chosen.table)
        && schema.reach(near, chosen.table).is_some()
        && !chosen.condition_on.goes_through(schema, near)
    {
        return Err(Misfit::Ambiguous);
    }
    // "web shop" may be the web of the order's own channel as well as a department called so.
    let words = crate::table_names::words_of(&chosen.value);
    let is_own_too = chosen.cost > 8.0
        && words.len() > 1
        && words.iter().any(|word| {
            word.len() > 2
                && schema
                    .valued(&crate::table_names::stems(std::slice::from_ref(word)))
                    .iter()
                    .any(|name| match name.kind {
                        NameKind::Value(of, _, _) if of != chosen.table => {
                            let near = schema.reach(grain, of);
                            near.is_some_and(|near| near.cost as f64 + 5.0 < chosen.cost)
                        }
                        _ => false,
                    })
        });
    if is_own_too {
        return Err(Misfit::Ambiguous);
    }
    let mut values = vec![Literal::Text(chosen.value.clone())];
    for other in rest {
        let own = other.iter().find_map(|name| match &name.kind {
            NameKind::Value(table, column, value)
                if (*table, *column) == (chosen.table, chosen.column) =>
            {
                Some(value)
            }
            _ => None,
        });
        values.extend(own.map(|value| Literal::Text(value.clone())));
    }
    let table = schema
        .table(chosen.table)
        .map(|table| table.name.as_str())
        .unwrap_or_default();
    let column = schema
        .column(chosen.table, chosen.column)
        .map(|column| column.name.as_str());
    for value in &values {
        if let Literal::Text(value) = value {
            said.push((
                format!("'{value}' is {table}.{}", column.unwrap_or_default()),
                false,
            ));
        }
    }
    // "films in Italian": their language, not their original language.
    let direct = schema.reach(grain, chosen.table).filter(|reached| {
        reached.path.len() == 1 && matches!(chosen.condition_on, Placed::Reached(_))
    });
    let key = direct.and_then(|reached| reached.party);
    said.extend(key.map(|key| (format!("'{}' is that of {key}", chosen.value), true)));
    chosen
        .condition_on
        .condition(schema, is_negated, |column, is_negated| Condition::OneOf {
            column,
            values,
            is_negated,
        })
}

/// Whether the value is as well the name of a thing that the rows belong to, which the column does not say.
fn is_name_of_another(schema: &Schema<'_>, grain: usize, own: &Fit, names: &[Vec<Name>]) -> bool {
    let words = schema.column_words(grain, own.column);
    names
        .first()
        .into_iter()
        .flatten()
        .any(|name| match &name.kind {
            NameKind::Value(table, column, value) => {
                let of = schema.table_words(*table);
                *table != grain
                    && *value == own.value
                    && schema.shown(*table).contains(column)
                    && schema.reach(grain, *table).is_some()
                    && !schema.is_same_by_key((grain, own.column), (*table, *column))
                    && !words.iter().any(|word| of.contains(&canonical(word)))
            }
            _ => false,
        })
}

impl Placed {
    /// The table whose rows relate the two: "took French" may be a registration or an attendance.
    fn between(&self) -> Option<usize> {
        match self {
            Self::Reached(_) => None,
            Self::Through { table, .. } => Some(*table),
        }
    }

    /// Whether a row of the table is on the way.
    fn goes_through(&self, schema: &Schema<'_>, table: usize) -> bool {
        let Some(wanted) = schema.table(table).map(table_ref) else {
            return false;
        };
        let has = |steps: &[Step]| steps.iter().any(|step| step.to == wanted);
        match self {
            Self::Reached(column) => has(&column.path),
            Self::Through {
                table: through,
                of,
                link,
                column,
            } => {
                *through == table
                    || has(of)
                    || has(&column.path)
                    || has(link.split_last().map_or(&[], |(_, before)| before))
            }
        }
    }

    /// The condition on the column, of the row itself or of rows that are related to it.
    pub(crate) fn condition(
        self,
        schema: &Schema<'_>,
        is_negated: bool,
        on: impl FnOnce(ColumnRef, bool) -> Condition,
    ) -> Result<Condition, Misfit> {
        Ok(match self {
            Self::Reached(column) => on(column, is_negated),
            Self::Through {
                table,
                of,
                link,
                column,
            } => Condition::Exists {
                table: table_ref(schema.table(table).ok_or(Misfit::Unreachable)?),
                link,
                of,
                conditions: vec![on(column, false)],
                is_negated,
            },
        })
    }
}

/// The ways from a row of the grain to the column, each with its cost: of the row that it refers to, of rows that are
/// paired with it, and, where something relates them, of rows that refer to both.
fn routes(
    schema: &Schema<'_>,
    grain: usize,
    table: usize,
    column: usize,
    is_related: bool,
) -> Vec<(f64, Placed)> {
    if let Some(reached) = schema.reach(grain, table) {
        if reached.is_tied || schema.has_sibling(grain, &reached.path) {
            return Vec::new();
        }
        let cost = reached.cost as f64;
        let own = schema.own_column(table, column, reached.path);
        return own
            .map(|own| (cost, Placed::Reached(own)))
            .into_iter()
            .collect();
    }
    let mut found = Vec::new();
    // Films and their actors, their categories.
    for (pairs, near, far) in schema.pairs() {
        let ends = (schema.reach(grain, near.to), schema.reach(far.to, table));
        let (Some(start), Some(end)) = ends else {
            continue;
        };
        if start.is_tied || end.is_tied {
            continue;
        }
        let mut path = vec![far.step.clone()];
        path.extend(end.path.iter().cloned());
        let own = schema.own_column(table, column, path);
        found.extend(own.map(|column| {
            let through = Placed::Through {
                table: pairs,
                of: start.path.clone(),
                link: vec![near.step.clone()],
                column,
            };
            (25.0 + (start.cost + end.cost) as f64, through)
        }));
    }
    // Customers in Graz are those with an address there.
    if found.is_empty()
        && schema.holds_places_of(table, grain)
        && let Some(link) = schema.reach(table, grain).filter(|link| !link.is_tied)
    {
        let own = schema.own_column(table, column, Vec::new());
        found.extend(own.map(|column| {
            let through = Placed::Through {
                table,
                of: Vec::new(),
                link: link.path,
                column,
            };
            (6.0 + link.cost as f64, through)
        }));
        return found;
    }
    if !is_related {
        // A longer way over pairs is not meant where rows refer to both.
        let least = found.iter().map(|(cost, _)| *cost).fold(f64::MAX, f64::min);
        let is_nearer = schema.referring(grain).into_iter().any(|(through, link)| {
            let end = schema.reach(through, table).filter(|end| !end.is_tied);
            !link.is_tied && end.is_some_and(|end| 6.0 + ((link.cost + end.cost) as f64) < least)
        });
        return if is_nearer { Vec::new() } else { found };
    }
    // Doctors of a department are those that belong to it, before the one who heads it.
    let has_pairs = !found.is_empty();
    // Customers who ordered a product.
    for (through, link) in schema.referring(grain) {
        let Some(end) = schema.reach(through, table) else {
            continue;
        };
        if link.is_tied || end.is_tied {
            continue;
        }
        let own = schema.own_column(table, column, end.path.clone());
        found.extend(own.map(|column| {
            let is_role = has_pairs && through == table && schema.is_role(&link, grain);
            let through = Placed::Through {
                table: through,
                of: Vec::new(),
                link: link.path,
                column,
            };
            let base = if is_role { 31.0 } else { 6.0 };
            (base + (link.cost + end.cost) as f64, through)
        }));
    }
    found
}

/// The one best way to one of the columns.
pub(crate) fn best_route(
    schema: &Schema<'_>,
    grain: usize,
    columns: &[(usize, usize)],
) -> Result<Placed, Misfit> {
    let all = columns.iter().flat_map(|(table, column)| {
        let ways = routes(schema, grain, *table, *column, true).into_iter();
        ways.map(move |(cost, placed)| (cost, (*table, *column), placed))
    });
    let mut all: Vec<(f64, (usize, usize), Placed)> = all.collect();
    all.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
    let mut all = all.into_iter();
    let (cost, of, placed) = all.next().ok_or(Misfit::Unreachable)?;
    match all.next() {
        Some((second, other, _)) if second - cost < 1.0 && !schema.is_same_by_key(other, of) => {
            Err(Misfit::Ambiguous)
        }
        _ => Ok(placed),
    }
}

/// The rows of a table as groups: told apart by its key, shown by its names and the columns `beside` them.
pub(crate) fn entity(
    schema: &Schema<'_>,
    table: usize,
    path: Vec<Step>,
    beside: &[(usize, usize)],
) -> Option<Dimension> {
    let of = schema.table(table)?;
    let reference = |column: &str| ColumnRef {
        path: path.clone(),
        column: column.to_owned(),
    };
    let mut columns: Vec<usize> = schema.shown(table);
    let beside = beside.iter().filter(|(of, _)| *of == table);
    for column in beside.map(|(_, column)| *column) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let names: Vec<ColumnRef> = columns
        .into_iter()
        .filter_map(|column| Some(reference(&of.columns.get(column)?.name)))
        .collect();
    let key: Vec<ColumnRef> = match of.primary_key.as_slice() {
        [] => names.clone(),
        key => key.iter().map(|column| reference(column)).collect(),
    };
    let is_general = names
        .first()
        .is_some_and(|name| matches!(name.column.as_str(), "name" | "title" | "label"));
    let label = is_general.then(|| {
        let words = text2sql_language::names::singular(&of.name.to_lowercase());
        words.replace(' ', "_")
    });
    (!names.is_empty()).then_some(Dimension::Entity { key, names, label })
}
