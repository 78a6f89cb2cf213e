//! Aggregates, and the groups they are taken over.

use crate::binding::binder::Binder;
use crate::binding::select::{Named, Select};
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names;
use crate::linking::readable_names::singular;
use crate::no_answer::Stop;
use crate::parsing::request::{Group, OrderBy, RankBy, Target};
use text2sql_domain::schema::{TypeCategory, quote_identifier};

impl Binder<'_> {
    /// The groups that the question names, as targets or with "per".
    pub(crate) fn group_keys(&self) -> Result<Vec<Named>, Stop> {
        let mut keys: Vec<Named> = Vec::new();
        for group in &self.request.groups {
            if let Group::Named(mention) = group {
                keys.push(self.group_key(mention)?);
            }
        }
        Ok(keys)
    }

    pub(crate) fn group_key(&self, mention: &Mention) -> Result<Named, Stop> {
        let subject = self.request.subject.or_else(|| self.aggregate_root().ok());
        if let [table] = mention.best_tables().as_slice()
            && let Some(code) = subject.and_then(|subject| self.code_of(subject, *table))
        {
            return Ok(Named::Column(code));
        }
        if let [table] = mention.best_tables().as_slice()
            && Some(*table) != subject
            && mention
                .tables
                .iter()
                .any(|(known, tier)| known == table && *tier <= names::WITH_TABLE)
        {
            return Ok(Named::Table(*table));
        }
        let own = subject.is_some_and(|subject| {
            mention
                .columns
                .iter()
                .any(|(id, tier)| id.table == subject && *tier <= names::WITHOUT_KIND)
        });
        if own {
            let id = self.resolve(mention, subject)?;
            return Ok(self.row_of_key(mention, id));
        }
        match mention.best_tables().as_slice() {
            [table] if Some(*table) != subject => Ok(Named::Table(*table)),
            _ => match self.resolve(mention, subject) {
                Ok(id) => Ok(self.row_of_key(mention, id)),
                Err(stop) => self.nearest_parent(mention).map(Named::Column).ok_or(stop),
            },
        }
    }

    /// A readable code column that references the other table: `country_code`.
    fn code_of(&self, from: usize, to: usize) -> Option<ColumnId> {
        let path = self.joins.path(from, to).ok()?;
        let last = path
            .last()
            .filter(|_| path.iter().all(|step| step.is_to_one))?;
        let [(name, _)] = last.pairs.as_slice() else {
            return None;
        };
        let table = self.tables.get(last.from)?;
        let column = table
            .columns
            .iter()
            .position(|column| column.name == *name)?;
        let is_code = table
            .columns
            .get(column)
            .is_some_and(|column| column.category == TypeCategory::Text)
            && names::words_of(name)
                .last()
                .is_some_and(|word| word == "code");
        // Where the name is plain "name", it is what the rows are called; "dept_name" is no closer
        // to "department" than "dept_code", which is at hand.
        let target = self.tables.get(to)?;
        let plain_name = names::label_columns(target).iter().any(|&label| {
            target
                .columns
                .get(label)
                .is_some_and(|column| names::words_of(&column.name).len() == 1)
        });
        (is_code && !plain_name).then_some(ColumnId {
            table: last.from,
            column,
        })
    }

    /// The column of exactly that name in the nearest table that a row of the subject refers to.
    fn nearest_parent(&self, mention: &Mention) -> Option<ColumnId> {
        let subject = self.request.subject?;
        let mut near: Vec<(usize, ColumnId)> = mention
            .columns
            .iter()
            .filter(|(_, tier)| *tier == names::EXACT)
            .filter_map(|(id, _)| {
                let path = self.joins.path(subject, id.table).ok()?;
                path.iter()
                    .all(|step| step.is_to_one)
                    .then_some((path.len(), *id))
            })
            .collect();
        near.sort_unstable();
        match near.as_slice() {
            [(_, only)] => Some(*only),
            [(first, id), (second, _), ..] if first < second => Some(*id),
            _ => None,
        }
    }

    pub(crate) fn aggregate_root(&self) -> Result<usize, Stop> {
        for target in &self.request.targets {
            match target {
                Target::Count(table) | Target::Share { table, .. } => return Ok(*table),
                Target::CountDistinct { mention } => return Ok(self.resolve(mention, None)?.table),
                Target::Defined { term, .. } => return Ok(self.term(*term)?.table),
                Target::Aggregate { mention, owner, .. } => {
                    return Ok(self.measure(mention, *owner)?.table);
                }
                _ => {}
            }
        }
        Err(Stop::Unanswerable("nothing is aggregated".to_owned()))
    }

    pub(crate) fn select_aggregates(&mut self) -> Result<Select, Stop> {
        let root = self.aggregate_root()?;
        if self.request.is_distinct {
            return Err(Stop::Unanswerable(
                "it is not clear what must be different".to_owned(),
            ));
        }
        let mut select = Select {
            scope: self.new_scope(root)?,
            ..Select::default()
        };
        let shows_columns = self
            .request
            .targets
            .iter()
            .any(|target| matches!(target, Target::Named { .. }));
        for key in self.group_keys()? {
            match key {
                Named::Table(table) if shows_columns => {
                    self.reach(&mut select.scope, root, table)?;
                    self.group_by_key(&mut select, table)?;
                    select.scope.groups.push(table);
                }
                _ => self.push_group(&mut select, root, &key)?,
            }
        }
        for group in &self.request.groups {
            if let Group::Date(part) = group {
                let id = self.date_column(root, usize::MAX)?;
                let column = self.column_sql(&select.scope, id)?;
                let expression = match *part {
                    "year" => format!("extract(year FROM {column})::int"),
                    part => format!("date_trunc('{part}', {column})::date"),
                };
                select.push(expression.clone(), part);
                select.group_by.push(expression);
            }
        }
        let targets = self.request.targets.clone();
        let grouped = self.request.groups.iter().find_map(|group| match group {
            Group::Named(mention) => match mention.best_tables().as_slice() {
                [table] if *table != root => Some(*table),
                _ => None,
            },
            Group::Date(_) => None,
        });
        for target in &targets {
            let key = match target {
                Target::Named {
                    mention,
                    owner: None,
                } if mention.is_name_word && grouped.is_some() => self.named(mention, grouped)?,
                Target::Named { mention, owner } => self.named(mention, *owner)?,
                Target::Entity(table) if *table != root => Named::Table(*table),
                Target::Entity(_) => {
                    return Err(Stop::Unanswerable(
                        "rows and an aggregate of the same table do not go together".to_owned(),
                    ));
                }
                _ => continue,
            };
            self.push_group(&mut select, root, &key)?;
            if let Named::Column(id) = key
                && id.table != root
                && !self.is_unique(id)
                && names::label_columns(self.table(id.table)?).contains(&id.column)
            {
                self.group_by_key(&mut select, id.table)?;
            }
        }
        self.apply(&mut select.scope, root, &self.conditions())?;
        let groups = select.columns.len();
        for target in &targets {
            if let Some((expression, name)) = self.aggregate(&mut select.scope, root, target)? {
                select.push(expression, &name);
            }
        }
        let measure = select
            .columns
            .get(groups)
            .map(|(_, name)| name.clone())
            .unwrap_or_default();
        if let Some(rank) = &self.request.rank {
            let counts = matches!((&rank.by, targets.iter().find(|target| matches!(target, Target::Count(_)))), (RankBy::Count(table), Some(Target::Count(counted))) if table == counted);
            if !counts || groups == 0 {
                return Err(Stop::Unanswerable(
                    "the groups cannot be ranked by that".to_owned(),
                ));
            }
            select.order_by.push(format!(
                "{}{}",
                quote_identifier(&measure),
                select.direction(&measure, rank.is_descending, true)
            ));
        }
        for order in &self.request.order {
            let mut may_be_null = true;
            let term = match &order.by {
                OrderBy::Count => quote_identifier(&measure),
                OrderBy::Label => continue,
                OrderBy::Column(mention) => {
                    let id = self.resolve(mention, self.request.subject.or(Some(root)))?;
                    let expression = self.column_sql(&select.scope, id)?;
                    if !select.group_by.contains(&expression) {
                        return Err(Stop::Unanswerable(
                            "the groups cannot be ordered by that".to_owned(),
                        ));
                    }
                    may_be_null = !self.column(id)?.not_null;
                    select.order_term(&expression)
                }
            };
            let direction = match &order.by {
                OrderBy::Count => select.direction(&measure, order.is_descending, may_be_null),
                _ => select.direction(&term, order.is_descending, may_be_null),
            };
            select.order_by.push(format!("{term}{direction}"));
        }
        for (_, name) in select.columns.iter().take(groups) {
            let term = quote_identifier(name);
            if !select.order_by.iter().any(|known| known.starts_with(&term)) {
                select.order_by.push(term);
            }
        }
        Ok(select)
    }

    /// Joins a group's table and adds its columns to the output and to GROUP BY.
    pub(crate) fn push_group(
        &mut self,
        select: &mut Select,
        root: usize,
        key: &Named,
    ) -> Result<(), Stop> {
        if let Named::Table(table) = key {
            self.refuse_same_named_column(*table)?;
        }
        let columns = self.columns_of(key)?;
        let Some(table) = columns.first().map(|id| id.table) else {
            return Ok(());
        };
        self.reach(&mut select.scope, root, table)?;
        let definition = self.table(table)?;
        let is_group_of_rows = matches!(key, Named::Table(_)) || table != root;
        if is_group_of_rows {
            for name in &definition.primary_key {
                if let Some(column) = definition
                    .columns
                    .iter()
                    .position(|column| column.name == *name)
                {
                    let expression = self.column_sql(&select.scope, ColumnId { table, column })?;
                    if !select.group_by.contains(&expression) && matches!(key, Named::Table(_)) {
                        select.group_by.push(expression);
                    }
                }
            }
        }
        if matches!(key, Named::Table(_)) {
            select.scope.groups.push(table);
        }
        for id in columns {
            let expression = self.column_sql(&select.scope, id)?;
            if matches!(self.column(id)?.category, TypeCategory::Json) {
                return Err(Stop::Unanswerable("json cannot be grouped".to_owned()));
            }
            let name = match key {
                Named::Table(_) if matches!(self.column(id)?.name.as_str(), "name" | "title") => {
                    definition.name.clone()
                }
                _ => self.column(id)?.name.clone(),
            };
            if !select.has(&expression) {
                select.push(expression.clone(), &singular(&name));
            }
            if !select.group_by.contains(&expression) {
                select.group_by.push(expression);
            }
        }
        Ok(())
    }
}
