//! One FROM clause: its tables and joins, and the conditions that hold in it.

use super::bind::{Binder, is_number, speak};
use super::dates::Date;
use super::joins::{NoPath, Step};
use super::link::ColumnId;
use super::names;
use super::request::{Comparison, Condition, ConditionKind, Literal, Stop};
use crate::schema::{TypeCategory, quote_identifier, quote_literal};

/// Tables that are joined, and what must hold.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// Tables by index with their aliases; the first is the root.
    pub(super) aliases: Vec<(usize, String)>,
    /// FROM and JOIN lines.
    pub(super) from: Vec<String>,
    pub(super) wheres: Vec<String>,
    /// A join multiplies the rows of the root.
    pub(super) multiplies: bool,
}

/// Rows of another table that must or must not exist, with all that is said of them.
struct Elsewhere {
    from: usize,
    table: usize,
    is_negated: bool,
    members: Vec<usize>,
    conditions: Vec<Condition>,
}

impl Scope {
    pub(super) fn alias(&self, table: usize) -> Option<&str> {
        self.aliases
            .iter()
            .find(|(known, _)| *known == table)
            .map(|(_, alias)| alias.as_str())
    }
}

impl Binder<'_> {
    fn new_alias(&mut self, table: usize) -> Result<String, Stop> {
        let initials: String = names::words_of(&self.table(table)?.name)
            .iter()
            .filter_map(|word| word.chars().next())
            .filter(char::is_ascii_lowercase)
            .collect();
        let base = if initials.is_empty() || quote_identifier(&initials) != initials {
            "t".to_owned()
        } else {
            initials
        };
        let mut alias = base.clone();
        let mut number = 2;
        while self.aliases.contains(&alias) {
            alias = format!("{base}{number}");
            number += 1;
        }
        self.aliases.push(alias.clone());
        Ok(alias)
    }

    pub(super) fn new_scope(&mut self, root: usize) -> Result<Scope, Stop> {
        let alias = self.new_alias(root)?;
        let line = format!("{} AS {alias}", self.table(root)?.sql_name());
        Ok(Scope {
            aliases: vec![(root, alias)],
            from: vec![line],
            ..Scope::default()
        })
    }

    pub(super) fn path(&self, from: usize, to: usize) -> Result<Vec<Step>, Stop> {
        self.joins.path(from, to).map_err(|reason| {
            let name = |index: usize| {
                self.tables
                    .get(index)
                    .map_or("", |table| table.name.as_str())
            };
            match reason {
                NoPath::Unconnected => Stop::Unanswerable(format!(
                    "no foreign keys connect {} and {}",
                    name(from),
                    name(to)
                )),
                NoPath::Several => Stop::Unanswerable(format!(
                    "{} and {} are connected in several ways",
                    name(from),
                    name(to)
                )),
            }
        })
    }

    /// Joins the table into the scope, if it is not there yet.
    pub(super) fn reach(
        &mut self,
        scope: &mut Scope,
        from: usize,
        to: usize,
    ) -> Result<String, Stop> {
        if let Some(alias) = scope.alias(to) {
            return Ok(alias.to_owned());
        }
        let mut last = String::new();
        for step in self.path(from, to)? {
            last = self.join(scope, &step)?;
        }
        Ok(last)
    }

    fn join(&mut self, scope: &mut Scope, step: &Step) -> Result<String, Stop> {
        if let Some(alias) = scope.alias(step.to) {
            return Ok(alias.to_owned());
        }
        let Some(from) = scope.alias(step.from).map(str::to_owned) else {
            return Err(Stop::Unanswerable("a join has no beginning".to_owned()));
        };
        let alias = self.new_alias(step.to)?;
        let on = pairs_equal(step, &from, &alias);
        scope.from.push(format!(
            "JOIN {} AS {alias} ON {on}",
            self.table(step.to)?.sql_name()
        ));
        scope.aliases.push((step.to, alias.clone()));
        scope.multiplies |= !step.is_to_one;
        Ok(alias)
    }

    pub(super) fn column_sql(&self, scope: &Scope, id: ColumnId) -> Result<String, Stop> {
        let alias = scope
            .alias(id.table)
            .ok_or_else(|| Stop::Unanswerable("a column is not joined".to_owned()))?;
        Ok(format!(
            "{alias}.{}",
            quote_identifier(&self.column(id)?.name)
        ))
    }

    /// Adds the conditions to the scope: on its own rows, on rows they refer to by joins, on other
    /// rows by EXISTS, so that nothing multiplies.
    pub(super) fn apply(
        &mut self,
        scope: &mut Scope,
        root: usize,
        conditions: &[Condition],
    ) -> Result<(), Stop> {
        let mut elsewhere: Vec<Elsewhere> = Vec::new();
        for condition in conditions {
            let owner = condition.owner.unwrap_or(root);
            let related = match &condition.kind {
                ConditionKind::Related { table } => Some(*table),
                _ => None,
            };
            if let Some(group) = elsewhere
                .iter_mut()
                .find(|group| group.members.contains(&owner))
            {
                group.conditions.push(condition.clone());
                group.members.extend(related);
                continue;
            }
            let from = if scope.alias(owner).is_some() {
                owner
            } else {
                root
            };
            if let Some(table) = related {
                if scope.alias(table).is_some() && !condition.is_negated {
                    continue;
                }
                let mut from = from;
                let mut path = self.path(from, table).or_else(|_| self.path(root, table))?;
                if path.first().is_none_or(|step| step.from != from) {
                    from = root;
                }
                if from != root
                    && path.iter().any(|step| !step.is_to_one)
                    && let Ok(direct) = self.path(root, table)
                    && direct.iter().all(|step| step.is_to_one)
                {
                    from = root;
                    path = direct;
                }
                if condition.is_negated || path.iter().any(|step| !step.is_to_one) {
                    elsewhere.push(Elsewhere {
                        from,
                        table,
                        is_negated: condition.is_negated,
                        members: vec![table],
                        conditions: Vec::new(),
                    });
                } else if !self.always_has(&path)? {
                    self.reach(scope, from, table)?;
                }
            } else if scope.alias(owner).is_some() {
                self.apply_here(scope, owner, condition)?;
            } else if self.path(root, owner)?.iter().all(|step| step.is_to_one) {
                self.reach(scope, root, owner)?;
                self.apply_here(scope, owner, condition)?;
            } else {
                elsewhere.push(Elsewhere {
                    from: root,
                    table: owner,
                    is_negated: false,
                    members: vec![owner],
                    conditions: vec![condition.clone()],
                });
            }
        }
        for group in elsewhere {
            self.exists(
                scope,
                group.from,
                group.table,
                group.is_negated,
                &group.conditions,
            )?;
        }
        Self::contradiction(scope)
    }

    /// Two values of one column at once are an "or" that was said as "and".
    fn contradiction(scope: &Scope) -> Result<(), Stop> {
        let equals: Vec<&str> = scope
            .wheres
            .iter()
            .filter(|text| !text.contains('('))
            .filter_map(|text| text.split_once(" = "))
            .map(|(place, _)| place)
            .collect();
        let twice = equals
            .iter()
            .enumerate()
            .any(|(i, place)| equals.iter().skip(i + 1).any(|other| other == place));
        if twice {
            Err(Stop::Unanswerable(
                "one column cannot have two values at once".to_owned(),
            ))
        } else {
            Ok(())
        }
    }

    /// The path exists for every row: its foreign keys are NOT NULL.
    fn always_has(&self, path: &[Step]) -> Result<bool, Stop> {
        for step in path {
            let table = self.table(step.from)?;
            if !step
                .pairs
                .iter()
                .all(|(column, _)| table.column(column).is_some_and(|column| column.not_null))
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn exists(
        &mut self,
        scope: &mut Scope,
        from: usize,
        to: usize,
        is_negated: bool,
        conditions: &[Condition],
    ) -> Result<(), Stop> {
        let inner = self.correlated(scope, from, to, conditions)?;
        let not = if is_negated { "NOT " } else { "" };
        scope.wheres.push(format!("{not}EXISTS (SELECT 1 {inner})"));
        Ok(())
    }

    /// `FROM … WHERE …` over the rows of `to` that belong to one row of `from`.
    fn correlated(
        &mut self,
        scope: &Scope,
        from: usize,
        to: usize,
        conditions: &[Condition],
    ) -> Result<String, Stop> {
        let path = self.path(from, to)?;
        let Some((first, rest)) = path.split_first() else {
            return Err(Stop::Unanswerable(
                "a table cannot be related to itself here".to_owned(),
            ));
        };
        let outer = scope.alias(from).unwrap_or_default().to_owned();
        let mut inner = self.new_scope(first.to)?;
        let own = inner.alias(first.to).unwrap_or_default().to_owned();
        inner.wheres.push(pairs_equal(&flip(first), &own, &outer));
        for step in rest {
            self.join(&mut inner, step)?;
        }
        self.apply(&mut inner, to, conditions)?;
        Ok(format!(
            "FROM {} WHERE {}",
            inner.from.join(" "),
            inner.wheres.join(" AND ")
        ))
    }

    fn apply_here(
        &mut self,
        scope: &mut Scope,
        owner: usize,
        condition: &Condition,
    ) -> Result<(), Stop> {
        let negated = condition.is_negated;
        match &condition.kind {
            ConditionKind::Related { .. } => Ok(()),
            ConditionKind::Count {
                table,
                comparison,
                number,
            } => {
                let multiplies = self
                    .path(owner, *table)?
                    .iter()
                    .filter(|step| !step.is_to_one)
                    .count();
                let inner = self.correlated(scope, owner, *table, &[])?;
                let counted = match (multiplies, self.table(*table)?.primary_key.as_slice()) {
                    (0, _) => {
                        return Err(Stop::Unanswerable(
                            "there can be at most one such row".to_owned(),
                        ));
                    }
                    (1, _) => "count(*)".to_owned(),
                    (_, [key]) => {
                        let alias = self.aliases.last().cloned().unwrap_or_default();
                        format!("count(DISTINCT {alias}.{})", quote_identifier(key))
                    }
                    _ => {
                        return Err(Stop::Unanswerable(
                            "the rows cannot be counted once each".to_owned(),
                        ));
                    }
                };
                let sign = sign(*comparison, negated)?;
                scope
                    .wheres
                    .push(format!("(SELECT {counted} {inner}) {sign} {number}"));
                Ok(())
            }
            ConditionKind::Value { alternatives } => {
                self.apply_value(scope, owner, alternatives, condition)
            }
            ConditionKind::Key { number } => {
                let table = self.table(owner)?;
                let [key] = table.primary_key.as_slice() else {
                    return Err(Stop::Unanswerable(format!(
                        "{} has no single key",
                        table.name
                    )));
                };
                let position = table
                    .columns
                    .iter()
                    .position(|column| column.name == *key)
                    .unwrap_or_default();
                let id = ColumnId {
                    table: owner,
                    column: position,
                };
                let literal = if is_number(self.column(id)?) {
                    number.clone()
                } else {
                    quote_literal(number)
                };
                let sql = self.column_sql(scope, id)?;
                scope.wheres.push(format!("{sql} = {literal}"));
                Ok(())
            }
            ConditionKind::Label { text } => {
                let [label] = names::label_columns(self.table(owner)?)
                    .as_slice()
                    .to_owned()[..]
                else {
                    return Err(Stop::Unanswerable(format!(
                        "no column of {} is its name",
                        self.table(owner)?.name
                    )));
                };
                let sql = self.column_sql(
                    scope,
                    ColumnId {
                        table: owner,
                        column: label,
                    },
                )?;
                let sign = if negated { "<>" } else { "=" };
                scope
                    .wheres
                    .push(format!("{sql} {sign} {}", quote_literal(text)));
                Ok(())
            }
            ConditionKind::Period {
                column,
                at,
                from,
                to,
            } => {
                let id = match column {
                    Some(mention) => self.resolve(mention, Some(owner))?,
                    None => self.date_column(owner, *at)?,
                };
                let place = self.place(scope, owner, id)?;
                self.note_period(id, *from, *to)?;
                let mut parts = Vec::new();
                parts.extend(from.map(|from| format!("{place} >= DATE '{from}'")));
                parts.extend(to.map(|to| format!("{place} < DATE '{to}'")));
                let both = parts.join(" AND ");
                scope.wheres.push(if negated {
                    format!("NOT ({both})")
                } else {
                    both
                });
                Ok(())
            }
            ConditionKind::Null { column } => {
                let id = self.resolve(column, Some(owner))?;
                let place = self.place(scope, owner, id)?;
                scope.wheres.push(format!(
                    "{place} IS {}NULL",
                    if negated { "NOT " } else { "" }
                ));
                Ok(())
            }
            ConditionKind::Boolean { column } => {
                let id = self.resolve(column, Some(owner))?;
                if self.column(id)?.category != TypeCategory::Boolean {
                    return Err(Stop::Unplaced(column.start));
                }
                let place = self.place(scope, owner, id)?;
                scope.wheres.push(if negated {
                    format!("NOT {place}")
                } else {
                    place
                });
                Ok(())
            }
            ConditionKind::Average { column, comparison } => {
                let id = self.resolve(column, Some(owner))?;
                let place = self.place(scope, owner, id)?;
                let (table, name) = (
                    self.table(id.table)?.sql_name(),
                    quote_identifier(&self.column(id)?.name),
                );
                let sign = sign(*comparison, negated)?;
                scope
                    .wheres
                    .push(format!("{place} {sign} (SELECT avg({name}) FROM {table})"));
                Ok(())
            }
            ConditionKind::Compare {
                column,
                comparison,
                literals,
            } => {
                let id = self.resolve(column, Some(owner))?;
                if id.table != owner
                    && self
                        .path(owner, id.table)?
                        .iter()
                        .any(|step| !step.is_to_one)
                {
                    let mut inner = condition.clone();
                    inner.owner = Some(id.table);
                    inner.is_negated = false;
                    return self.exists(scope, owner, id.table, negated, &[inner]);
                }
                let place = self.place(scope, owner, id)?;
                let predicate = self.compare(&place, id, *comparison, literals, negated)?;
                scope.wheres.push(predicate);
                Ok(())
            }
        }
    }

    fn place(&mut self, scope: &mut Scope, owner: usize, id: ColumnId) -> Result<String, Stop> {
        if id.table != owner
            && scope.alias(id.table).is_none()
            && self
                .path(owner, id.table)?
                .iter()
                .any(|step| !step.is_to_one)
        {
            return Err(Stop::Unanswerable(
                "a condition is on rows of which there may be several".to_owned(),
            ));
        }
        self.reach(scope, owner, id.table)?;
        self.column_sql(scope, id)
    }

    fn apply_value(
        &mut self,
        scope: &mut Scope,
        owner: usize,
        alternatives: &[super::link::Mention],
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
        for link in &links {
            let (table, name) = (
                self.table(column.table)?.name.clone(),
                self.column(column)?.name.clone(),
            );
            self.note(format!("'{}' is {table}.{name}", link.text));
        }
        let steps = if column.table == owner {
            Vec::new()
        } else {
            self.path(owner, column.table)?
        };
        if scope.alias(column.table).is_none() && steps.iter().any(|step| !step.is_to_one) {
            let inner = Condition {
                owner: Some(column.table),
                is_negated: false,
                kind: condition.kind.clone(),
            };
            return self.exists(scope, owner, column.table, condition.is_negated, &[inner]);
        }
        let place = self.place(scope, owner, column)?;
        let literals: Vec<Literal> = links
            .into_iter()
            .map(|link| Literal {
                text: link.text.clone(),
                is_number: false,
                links: vec![link],
            })
            .collect();
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

    fn note_period(
        &mut self,
        id: ColumnId,
        from: Option<Date>,
        to: Option<Date>,
    ) -> Result<(), Stop> {
        let name = format!("{}.{}", self.table(id.table)?.name, self.column(id)?.name);
        let text = match (from, to) {
            (Some(from), Some(to)) => {
                format!("the period is {name} from {from} to {}", to.plus_days(-1))
            }
            (Some(from), None) => format!("the period is {name} from {from} on"),
            (None, Some(to)) => format!("the period is {name} before {to}"),
            (None, None) => return Ok(()),
        };
        self.note(text);
        Ok(())
    }

    fn compare(
        &self,
        place: &str,
        id: ColumnId,
        comparison: Comparison,
        literals: &[Literal],
        negated: bool,
    ) -> Result<String, Stop> {
        let column = self.column(id)?;
        let mut values = Vec::new();
        for literal in literals {
            let stored = literal.links.iter().find(|link| link.column == id);
            let text = stored.map_or(literal.text.as_str(), |link| link.text.as_str());
            let fits = match column.category {
                TypeCategory::Integer | TypeCategory::Number => literal.text.parse::<f64>().is_ok(),
                TypeCategory::Enum => column.enum_labels.iter().any(|label| label == text),
                TypeCategory::Text => {
                    !literal.is_number
                        || matches!(comparison, Comparison::Equal | Comparison::NotEqual)
                }
                _ => false,
            };
            if !fits {
                return Err(Stop::Unanswerable(format!(
                    "'{}' cannot be compared with {}",
                    literal.text,
                    speak(&column.name)
                )));
            }
            values.push(text.to_owned());
        }
        let sql = |text: &String| {
            if is_number(column) {
                text.clone()
            } else {
                quote_literal(text)
            }
        };
        let like = |pattern: String| {
            let not = if negated { "NOT " } else { "" };
            if column.category != TypeCategory::Text {
                return Err(Stop::Unanswerable(format!(
                    "{} is no text",
                    speak(&column.name)
                )));
            }
            Ok(format!("{place} {not}ILIKE {}", quote_literal(&pattern)))
        };
        match (comparison, values.as_slice()) {
            (Comparison::Between, [low, high]) => {
                let not = if negated { "NOT " } else { "" };
                Ok(format!(
                    "{place} {not}BETWEEN {} AND {}",
                    sql(low),
                    sql(high)
                ))
            }
            (Comparison::Contains, [only]) => like(format!("%{}%", escape(only))),
            (Comparison::StartsWith, [only]) => like(format!("{}%", escape(only))),
            (Comparison::EndsWith, [only]) => like(format!("%{}", escape(only))),
            (Comparison::Equal, [_, _, ..]) => {
                let not = if negated { "NOT " } else { "" };
                Ok(format!(
                    "{place} {not}IN ({})",
                    values.iter().map(sql).collect::<Vec<_>>().join(", ")
                ))
            }
            (_, [only]) => Ok(format!(
                "{place} {} {}",
                sign(comparison, negated)?,
                sql(only)
            )),
            _ => Err(Stop::Unanswerable(
                "a comparison has too many values".to_owned(),
            )),
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_")
}

fn sign(comparison: Comparison, negated: bool) -> Result<&'static str, Stop> {
    Ok(match (comparison, negated) {
        (Comparison::Equal, false) | (Comparison::NotEqual, true) => "=",
        (Comparison::NotEqual, false) | (Comparison::Equal, true) => "<>",
        (Comparison::More, false) | (Comparison::AtMost, true) => ">",
        (Comparison::AtLeast, false) | (Comparison::Less, true) => ">=",
        (Comparison::Less, false) | (Comparison::AtLeast, true) => "<",
        (Comparison::AtMost, false) | (Comparison::More, true) => "<=",
        _ => {
            return Err(Stop::Unanswerable(
                "the comparison is not one of size".to_owned(),
            ));
        }
    })
}

fn flip(step: &Step) -> Step {
    Step {
        from: step.to,
        to: step.from,
        pairs: step
            .pairs
            .iter()
            .map(|(a, b)| (b.clone(), a.clone()))
            .collect(),
        is_to_one: false,
    }
}

/// `a.x = b.y AND …`, from the step's beginning to its end.
fn pairs_equal(step: &Step, from: &str, to: &str) -> String {
    step.pairs
        .iter()
        .map(|(left, right)| {
            format!(
                "{to}.{} = {from}.{}",
                quote_identifier(right),
                quote_identifier(left)
            )
        })
        .collect::<Vec<_>>()
        .join(" AND ")
}
