//! One FROM clause: its tables and joins, and the conditions that hold in it.

use crate::binding::binder::Binder;
use crate::joins::named_path;
use crate::joins::step::{NoPath, Step};
use crate::linking::mention::ColumnId;
use crate::linking::names;
use crate::no_answer::Stop;
use crate::parsing::request::Repeats;
use crate::parsing::request::{Condition, ConditionKind};
use text2sql_domain::schema::quote_identifier;

/// The joined tables and their conditions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    /// Tables by index with their aliases; the first is the root.
    pub(crate) aliases: Vec<(usize, String)>,
    /// FROM and JOIN lines.
    pub(crate) from: Vec<String>,
    pub(crate) wheres: Vec<String>,
    /// A join multiplies the rows of the root.
    pub(crate) multiplies: bool,
    /// The joins that multiply rows.
    pub(crate) multiplying: Vec<Step>,
    /// The tables whose rows are one group each.
    pub(crate) groups: Vec<usize>,
}

/// Rows of another table that must or must not exist, with all conditions on them.
struct RelatedRows {
    from: usize,
    table: usize,
    is_negated: bool,
    members: Vec<usize>,
    conditions: Vec<Condition>,
}

impl Scope {
    pub(crate) fn alias(&self, table: usize) -> Option<&str> {
        self.aliases
            .iter()
            .find(|(known, _)| *known == table)
            .map(|(_, alias)| alias.as_str())
    }
}

impl Binder<'_> {
    pub(crate) fn new_alias(&mut self, table: usize) -> Result<String, Stop> {
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

    pub(crate) fn new_scope(&mut self, root: usize) -> Result<Scope, Stop> {
        let alias = self.new_alias(root)?;
        let line = format!("{} AS {alias}", self.table(root)?.sql_name());
        Ok(Scope {
            aliases: vec![(root, alias)],
            from: vec![line],
            ..Scope::default()
        })
    }

    pub(crate) fn path(&self, from: usize, to: usize) -> Result<Vec<Step>, Stop> {
        let found = match self.joins.path(from, to) {
            Err(NoPath::Several) => self.path_of_term(from, to).ok_or(NoPath::Several),
            found => found,
        };
        found.map_err(|reason| {
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
                NoPath::Several => self.ask_which_path(from, to).unwrap_or_else(|| {
                    Stop::Unanswerable(format!(
                        "{} and {} are connected in several ways",
                        name(from),
                        name(to)
                    ))
                }),
            }
        })
    }

    /// Asks which of several join paths is meant, if each has a distinguishing name.
    fn ask_which_path(&self, from: usize, to: usize) -> Option<Stop> {
        let paths = self.joins.cheapest_paths(from, to)?;
        let paths: Vec<Vec<Step>> = paths
            .iter()
            .take(named_path::MAX_PATHS + 1)
            .map(|path| path.iter().map(|step| (*step).clone()).collect())
            .collect();
        if paths.len() > named_path::MAX_PATHS {
            return None;
        }
        // A stable order.
        let mut names = named_path::distinguishing_names(&paths, self.tables)?;
        names.sort();
        Some(Stop::Ambiguous {
            question: format!(
                "{} and {} are connected in several ways: which one is meant?",
                self.tables.get(from)?.name,
                self.tables.get(to)?.name
            ),
            start: usize::MAX,
            end: usize::MAX,
            replacements: names.iter().map(|name| format!("through {name}")).collect(),
        })
    }

    /// Joins the table into the scope, if it is not there yet.
    pub(crate) fn reach(
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
            self.note_assumed(&step)?;
            last = self.join(scope, &step)?;
        }
        Ok(last)
    }

    pub(crate) fn join(&mut self, scope: &mut Scope, step: &Step) -> Result<String, Stop> {
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
        if !step.is_to_one {
            scope.multiplies = true;
            scope.multiplying.push(step.clone());
        }
        Ok(alias)
    }

    /// Notes which columns were assumed to be a reference.
    fn note_assumed(&self, step: &Step) -> Result<(), Stop> {
        if let (true, [(own, other)]) = (step.is_assumed, step.pairs.as_slice()) {
            self.note(format!(
                "no foreign key: {}.{own} is assumed to equal {}.{other}",
                self.table(step.from)?.name,
                self.table(step.to)?.name
            ));
        }
        Ok(())
    }

    pub(crate) fn column_sql(&self, scope: &Scope, id: ColumnId) -> Result<String, Stop> {
        let alias = scope
            .alias(id.table)
            .ok_or_else(|| Stop::Unanswerable("a column is not joined".to_owned()))?;
        Ok(format!(
            "{alias}.{}",
            quote_identifier(&self.column(id)?.name)
        ))
    }

    /// Adds the conditions to the scope: joins for rows that it references, EXISTS for other rows, so that
    /// no join multiplies rows.
    pub(crate) fn apply(
        &mut self,
        scope: &mut Scope,
        root: usize,
        conditions: &[Condition],
    ) -> Result<(), Stop> {
        let mut elsewhere: Vec<RelatedRows> = Vec::new();
        for condition in conditions {
            let owner = condition.owner.unwrap_or(root);
            match &condition.kind {
                ConditionKind::Independent { condition: inner } => {
                    self.apply_independent(scope, root, inner, condition.is_negated)?;
                    continue;
                }
                ConditionKind::Any { alternatives } => {
                    self.apply_any(scope, root, alternatives)?;
                    continue;
                }
                _ => {}
            }
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
                    elsewhere.push(RelatedRows {
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
                self.apply_condition(scope, owner, condition)?;
            } else if self.path(root, owner)?.iter().all(|step| step.is_to_one) {
                self.reach(scope, root, owner)?;
                self.apply_condition(scope, owner, condition)?;
            } else {
                elsewhere.push(RelatedRows {
                    from: root,
                    table: owner,
                    is_negated: false,
                    members: vec![owner],
                    conditions: vec![condition.clone()],
                });
            }
        }
        // "both A and B" already requires such rows.
        elsewhere.retain(|group| {
            !group.conditions.is_empty()
                || group.is_negated
                || !conditions.iter().any(|condition| {
                    matches!(condition.kind, ConditionKind::Independent { .. })
                        && condition.owner == Some(group.table)
                })
        });
        for group in elsewhere {
            if !group.is_negated && scope.alias(root).is_some() {
                self.refuse_repeats(group.from, group.table, &group.conditions)?;
                if self.request.repeats == Repeats::ForEach
                    && self.lists.get()
                    && self.depth.get() == 0
                {
                    self.reach(scope, group.from, group.table)?;
                    for condition in &group.conditions {
                        let owner = condition.owner.unwrap_or(group.table);
                        self.reach(scope, group.table, owner)?;
                        self.apply_condition(scope, owner, condition)?;
                    }
                    continue;
                }
            }
            self.exists(
                scope,
                group.from,
                group.table,
                group.is_negated,
                &group.conditions,
            )?;
        }
        let mut seen: Vec<String> = Vec::new();
        scope.wheres.retain(|text| {
            let is_new = !seen.contains(text);
            seen.push(text.clone());
            is_new
        });
        Self::refuse_contradiction(scope)
    }

    /// Refuses two values of one column at once, which is an "or" worded as "and".
    pub(crate) fn refuse_contradiction(scope: &Scope) -> Result<(), Stop> {
        let equals: Vec<&str> = scope
            .wheres
            .iter()
            .filter(|text| !text.contains('(') || text.starts_with("lower("))
            .filter_map(|text| text.split_once(" = "))
            .map(|(place, _)| place.trim_start_matches("lower(").trim_end_matches(')'))
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

    /// Whether every row has a match along the path, because its foreign keys are NOT NULL.
    pub(crate) fn always_has(&self, path: &[Step]) -> Result<bool, Stop> {
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

    pub(crate) fn exists(
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
    pub(crate) fn correlated(
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
        for step in &path {
            self.note_assumed(step)?;
        }
        let outer = scope.alias(from).unwrap_or_default().to_owned();
        let mut inner = self.new_scope(first.to)?;
        let own = inner.alias(first.to).unwrap_or_default().to_owned();
        inner.wheres.push(pairs_equal(&flip(first), &own, &outer));
        for step in rest {
            self.join(&mut inner, step)?;
        }
        self.depth.set(self.depth.get() + 1);
        let applied = self.apply(&mut inner, to, conditions);
        self.depth.set(self.depth.get().saturating_sub(1));
        applied?;
        Ok(format!(
            "FROM {} WHERE {}",
            inner.from.join(" "),
            inner.wheres.join(" AND ")
        ))
    }
}

pub(crate) fn flip(step: &Step) -> Step {
    Step {
        from: step.to,
        to: step.from,
        pairs: step
            .pairs
            .iter()
            .map(|(a, b)| (b.clone(), a.clone()))
            .collect(),
        is_to_one: false,
        is_assumed: step.is_assumed,
    }
}

/// `a.x = b.y AND …`, from the step's beginning to its end.
pub(crate) fn pairs_equal(step: &Step, from: &str, to: &str) -> String {
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
