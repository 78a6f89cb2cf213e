//! A request to one SELECT: lists, aggregates, groups and ranks.

use super::bind::{Binder, is_date, is_number, speak};
use super::lexicon::Aggregate;
use super::link::{ColumnId, Mention};
use super::names;
use super::request::{Condition, ConditionKind, Group, OrderBy, RankBy, Stop, Target};
use super::scope::Scope;
use crate::schema::{TypeCategory, quote_identifier};

/// The parts of the statement.
#[derive(Debug, Clone, Default)]
pub(super) struct Select {
    pub(super) is_distinct: bool,
    /// Expression and output name.
    pub(super) columns: Vec<(String, String)>,
    pub(super) scope: Scope,
    pub(super) group_by: Vec<String>,
    pub(super) order_by: Vec<String>,
    pub(super) limit: Option<u64>,
    /// How to say the answer.
    pub(super) shape: Shape,
}

/// What kind of answer it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Shape {
    /// Rows of a table, or columns of them: the noun.
    #[default]
    List,
    /// One row of aggregates: output names with the words before them.
    Aggregates(Vec<(String, String)>),
    /// One row for each group.
    Groups,
    /// The first row leads: its name, the measure's output, if shown, and what it measures.
    Leader {
        name: String,
        measure: Option<(String, String)>,
    },
}

impl Select {
    /// Adds an output column under a name that no other has.
    fn push(&mut self, expression: String, name: &str) -> String {
        let base = output_name(name);
        let mut unique = base.clone();
        let mut number = 2;
        while self.columns.iter().any(|(_, known)| *known == unique) {
            unique = format!("{base}_{number}");
            number += 1;
        }
        self.columns.push((expression, unique.clone()));
        unique
    }

    fn has(&self, expression: &str) -> bool {
        self.columns.iter().any(|(known, _)| known == expression)
    }

    /// The expression's output name, or the expression.
    fn order_term(&self, expression: &str) -> String {
        let named = self.columns.iter().find(|(known, _)| known == expression);
        named.map_or_else(|| expression.to_owned(), |(_, name)| quote_identifier(name))
    }
}

/// A column name that is a plain placeholder: lower snake case.
pub(super) fn output_name(name: &str) -> String {
    let mut plain = String::new();
    for c in speak(name).chars() {
        plain.push(if c.is_ascii_alphanumeric() { c } else { '_' });
    }
    if plain.is_empty() || plain.starts_with(|c: char| c.is_ascii_digit()) {
        format!("column_{plain}")
    } else {
        plain
    }
}

impl Binder<'_> {
    /// Builds the statement for the request.
    pub(super) fn select(&mut self) -> Result<Select, Stop> {
        let aggregated = self.request.targets.iter().any(|target| {
            matches!(
                target,
                Target::Count(_) | Target::CountDistinct { .. } | Target::Aggregate { .. }
            )
        });
        for &table in &self.request.tables {
            let name = self.table(table)?.name.clone();
            self.note(format!("the question is read over table {name}"));
        }
        let mut select = if aggregated {
            self.select_aggregates()?
        } else if let Some(counted) = self.counted_rank()? {
            self.select_ranked_groups(counted)?
        } else {
            self.select_list()?
        };
        if self.request.limit.is_some() && select.limit.is_none() {
            if self.request.rank.is_none() {
                return Err(Stop::Unanswerable(
                    "the question does not say which rows come first".to_owned(),
                ));
            }
            select.limit = self.request.limit;
        }
        Ok(select)
    }

    fn owner_of(&self, owner: Option<usize>) -> Option<usize> {
        owner.or(self.request.subject)
    }

    /// What a named target is: a column, or a table of which the label is shown.
    fn named(&self, mention: &Mention, owner: Option<usize>) -> Result<Named, Stop> {
        let said_of = self.owner_of(owner);
        let table = match mention.best_tables().as_slice() {
            [table] => Some(*table),
            _ => None,
        };
        match (table, said_of) {
            (Some(table), Some(owner)) if table != owner => {
                let own = mention
                    .columns
                    .iter()
                    .any(|(id, tier)| id.table == owner && *tier <= names::WITHOUT_TABLE);
                let exact = mention
                    .columns
                    .iter()
                    .any(|(id, tier)| id.table == owner && *tier == names::EXACT);
                if own
                    && !exact
                    && mention
                        .tables
                        .iter()
                        .any(|(known, tier)| *known == table && *tier == names::EXACT)
                    && self.joins.path(owner, table).is_ok()
                {
                    let name = &self.table(table)?.name;
                    return Err(Stop::Unanswerable(format!(
                        "{name} is a table, and a column of {} has that name",
                        self.table(owner)?.name
                    )));
                }
                if own {
                    self.resolve(mention, Some(owner)).map(Named::Column)
                } else {
                    Ok(Named::Table(table))
                }
            }
            (Some(table), _) if said_of.is_none() || owner.is_none() => Ok(Named::Table(table)),
            _ => self.resolve(mention, said_of).map(Named::Column),
        }
    }

    /// A table and a column of it that have one name, where the column is not what names the rows:
    /// "how many degrees" may count rows or add up the column.
    fn refuse_twin(&self, table: usize) -> Result<(), Stop> {
        let definition = self.table(table)?;
        let words = names::glued_key(&definition.name);
        let twin = definition
            .columns
            .iter()
            .position(|column| names::glued_key(&column.name) == words);
        match twin {
            Some(column) if !self.is_unique(ColumnId { table, column }) => {
                Err(Stop::Unanswerable(format!(
                    "{0} is a table and a column of it: rows or values may be meant",
                    definition.name
                )))
            }
            _ => Ok(()),
        }
    }

    /// The outputs of a named target.
    fn columns_of(&self, named: &Named) -> Result<Vec<ColumnId>, Stop> {
        match named {
            Named::Column(id) => Ok(vec![*id]),
            Named::Table(table) => self.label(*table),
        }
    }

    /// The columns by which a person knows a row: its label, else its key.
    fn label(&self, index: usize) -> Result<Vec<ColumnId>, Stop> {
        let table = self.table(index)?;
        let mut columns = names::label_columns(table);
        if columns.is_empty() {
            columns = table
                .primary_key
                .iter()
                .filter_map(|key| table.columns.iter().position(|column| column.name == *key))
                .collect();
        }
        if columns.is_empty() {
            return Err(Stop::Unanswerable(format!(
                "no column of {} names its rows",
                table.name
            )));
        }
        Ok(columns
            .into_iter()
            .map(|column| ColumnId {
                table: index,
                column,
            })
            .collect())
    }

    /// The table whose rows a superlative counts or sums, when groups must be ranked.
    fn counted_rank(&self) -> Result<Option<usize>, Stop> {
        let Some(rank) = &self.request.rank else {
            return Ok(None);
        };
        match &rank.by {
            RankBy::Count(table) => Ok(Some(*table)),
            RankBy::Dimension(_) => Ok(None),
            RankBy::Column {
                mention,
                function,
                is_amount,
            } => {
                let id = self.rank_column(mention)?;
                let Some(subject) = self.request.subject else {
                    return Ok(None);
                };
                if function.is_some()
                    && *function != Some(Aggregate::Maximum)
                    && *function != Some(Aggregate::Minimum)
                {
                    return Ok(Some(id.table));
                }
                let multiplies = id.table != subject
                    && self
                        .path(subject, id.table)?
                        .iter()
                        .any(|step| !step.is_to_one);
                if multiplies && !is_amount {
                    return Err(Stop::Unanswerable(
                        "it is not said how several values of a row are put together".to_owned(),
                    ));
                }
                Ok(multiplies.then_some(id.table))
            }
        }
    }

    /// The column that a rank names: of the subject, else of any table.
    fn rank_column(&self, mention: &Mention) -> Result<ColumnId, Stop> {
        match self.resolve(mention, self.request.subject) {
            Ok(id) => Ok(id),
            Err(Stop::Ambiguous {
                question,
                start,
                end,
                replacements,
            }) => Err(Stop::Ambiguous {
                question,
                start,
                end,
                replacements,
            }),
            Err(stop) => {
                let mut certain: Vec<ColumnId> = mention
                    .columns
                    .iter()
                    .filter(|(_, tier)| *tier == names::EXACT || *tier == names::WITHOUT_TABLE)
                    .map(|(id, _)| *id)
                    .collect();
                certain.dedup();
                let Some(subject) = self.request.subject else {
                    return match certain.as_slice() {
                        [only] => Ok(*only),
                        _ => Err(stop),
                    };
                };
                let mut near: Vec<(usize, ColumnId)> = certain
                    .iter()
                    .filter_map(|id| Some((self.joins.path(subject, id.table).ok()?.len(), *id)))
                    .collect();
                near.sort_unstable();
                match near.as_slice() {
                    [(_, only)] => Ok(*only),
                    [(first, id), (second, _), ..] if first < second => Ok(*id),
                    _ => Err(stop),
                }
            }
        }
    }

    fn conditions(&self) -> Vec<Condition> {
        self.request.conditions.clone()
    }

    fn select_list(&mut self) -> Result<Select, Stop> {
        let mut outputs: Vec<ColumnId> = Vec::new();
        let mut only_entity = None;
        let mut labels: Vec<ColumnId> = Vec::new();
        for target in &self.request.targets {
            match target {
                Target::Entity(table) => {
                    self.refuse_twin(*table)?;
                    only_entity = (self.request.targets.len() == 1).then_some(*table);
                    outputs.extend(self.label(*table)?);
                }
                Target::All(table) => {
                    let count = self.table(*table)?.columns.len();
                    outputs.extend((0..count).map(|column| ColumnId {
                        table: *table,
                        column,
                    }));
                }
                Target::Named { mention, owner } => {
                    let named = self.named(mention, *owner)?;
                    if let Named::Table(table) = named {
                        self.refuse_twin(table)?;
                    }
                    if let (Named::Table(table), 1) = (&named, self.request.targets.len()) {
                        only_entity = Some(*table);
                    }
                    let columns = self.columns_of(&named)?;
                    if let (Named::Table(_), [label]) = (&named, columns.as_slice()) {
                        labels.push(*label);
                    }
                    outputs.extend(columns);
                }
                _ => {}
            }
        }
        let Some(first) = outputs.first().copied() else {
            return Err(Stop::Unanswerable(
                "the question does not say what to show".to_owned(),
            ));
        };
        let root = self.request.subject.or(only_entity).unwrap_or(first.table);
        let mut select = Select {
            scope: self.new_scope(root)?,
            is_distinct: self.request.is_distinct,
            ..Select::default()
        };
        for id in &outputs {
            self.reach(&mut select.scope, root, id.table)?;
            let expression = self.column_sql(&select.scope, *id)?;
            if !select.has(&expression) {
                let name = &self.column(*id)?.name;
                let is_plain = matches!(name.as_str(), "name" | "title")
                    && labels.contains(id)
                    && id.table != root;
                if is_plain {
                    let table = singular(&self.table(id.table)?.name);
                    select.push(expression, &table);
                } else {
                    select.push(expression, name);
                }
            }
        }
        let says_owner = only_entity.is_some()
            || self.request.targets.iter().any(|target| {
                matches!(
                    target,
                    Target::Entity(_) | Target::All(_) | Target::Named { owner: Some(_), .. }
                )
            });
        if !says_owner && !select.is_distinct && !outputs.iter().any(|id| self.is_unique(*id)) {
            select.is_distinct = true;
        }
        let mut conditions = self.conditions();
        if select.scope.multiplies {
            conditions.retain(|condition| !matches!(&condition.kind, ConditionKind::Related { table } if select.scope.alias(*table).is_some()));
        }
        self.apply(&mut select.scope, root, &conditions)?;
        self.order_list(&mut select, root, &outputs)?;
        Ok(select)
    }

    fn order_list(
        &mut self,
        select: &mut Select,
        root: usize,
        outputs: &[ColumnId],
    ) -> Result<(), Stop> {
        if let Some(rank) = &self.request.rank {
            let id = match &rank.by {
                RankBy::Column { mention, .. } => self.rank_column(mention)?,
                RankBy::Dimension(nouns) => self.dimension(root, nouns)?,
                RankBy::Count(_) => {
                    return Err(Stop::Unanswerable(
                        "rows cannot be ranked by that".to_owned(),
                    ));
                }
            };
            self.reach(&mut select.scope, root, id.table)?;
            if select.scope.multiplies {
                return Err(Stop::Unanswerable(
                    "the rank would count rows twice".to_owned(),
                ));
            }
            let column = self.column(id)?;
            if !is_number(column) && !is_date(column) {
                return Err(Stop::Unanswerable(format!(
                    "{} has no order of size",
                    speak(&column.name)
                )));
            }
            let expression = self.column_sql(&select.scope, id)?;
            let name = select
                .columns
                .first()
                .map(|(_, name)| name.clone())
                .unwrap_or_default();
            let measure = if self.request.limit.is_some_and(|limit| limit > 1)
                && matches!(self.request.targets.as_slice(), [Target::Entity(_)])
                && !select.has(&expression)
            {
                Some((
                    select.push(expression.clone(), &column.name),
                    speak(&column.name),
                ))
            } else {
                None
            };
            select.shape = Shape::Leader { name, measure };
            let term = select.order_term(&expression);
            let last = if column.not_null || !rank.is_descending {
                ""
            } else {
                " NULLS LAST"
            };
            select.order_by.push(format!(
                "{term}{}{last}",
                if rank.is_descending { " DESC" } else { "" }
            ));
        }
        for order in &self.request.order {
            let terms: Vec<ColumnId> = match &order.by {
                OrderBy::Column(mention) => self.columns_of(&self.named(mention, None)?)?,
                OrderBy::Label => outputs.to_vec(),
                OrderBy::Count => return Err(Stop::Unanswerable("nothing is counted".to_owned())),
            };
            for id in terms {
                self.reach(&mut select.scope, root, id.table)?;
                let expression = self.column_sql(&select.scope, id)?;
                if select.is_distinct && !select.has(&expression) {
                    return Err(Stop::Unanswerable(
                        "different values cannot be ordered by another column".to_owned(),
                    ));
                }
                let term = select.order_term(&expression);
                select.order_by.push(format!(
                    "{term}{}",
                    if order.is_descending { " DESC" } else { "" }
                ));
            }
        }
        self.break_ties(select, root)?;
        Ok(())
    }

    /// Orders rows that are equal so far, so that the answer is the same every time.
    fn break_ties(&mut self, select: &mut Select, root: usize) -> Result<(), Stop> {
        let table = self.table(root)?;
        let known = select.order_by.concat();
        if select.is_distinct
            || table.primary_key.is_empty()
            || !select.order_by.is_empty() && self.request.limit.is_none()
        {
            for (_, name) in select.columns.iter().take(3) {
                let name = quote_identifier(name);
                if !known.contains(&name) && select.order_by.is_empty() {
                    select.order_by.push(name);
                }
            }
            return Ok(());
        }
        for key in &table.primary_key {
            if let Some(column) = table.columns.iter().position(|column| column.name == *key) {
                let expression = self.column_sql(
                    &select.scope,
                    ColumnId {
                        table: root,
                        column,
                    },
                )?;
                let term = select.order_term(&expression);
                if !select.order_by.iter().any(|known| known.starts_with(&term)) {
                    select.order_by.push(term);
                }
            }
        }
        Ok(())
    }

    /// The only column of the table whose name ends in one of the nouns.
    fn dimension(&self, table: usize, nouns: &[&str]) -> Result<ColumnId, Stop> {
        let columns = &self.table(table)?.columns;
        let found: Vec<usize> = (0..columns.len())
            .filter(|&i| {
                columns.get(i).is_some_and(|column| {
                    is_number(column)
                        && names::words_of(&column.name)
                            .last()
                            .is_some_and(|word| nouns.contains(&word.as_str()))
                })
            })
            .collect();
        match found.as_slice() {
            [only] => Ok(ColumnId {
                table,
                column: *only,
            }),
            _ => Err(Stop::Unanswerable(format!(
                "no single column of {} is its {}",
                self.table(table)?.name,
                nouns.join(" or ")
            ))),
        }
    }

    /// The groups that the question names, as targets or with "per".
    fn group_keys(&self) -> Result<Vec<Named>, Stop> {
        let mut keys: Vec<Named> = Vec::new();
        for group in &self.request.groups {
            if let Group::Named(mention) = group {
                keys.push(self.group_key(mention)?);
            }
        }
        Ok(keys)
    }

    fn group_key(&self, mention: &Mention) -> Result<Named, Stop> {
        let subject = self.request.subject;
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
            return self.resolve(mention, subject).map(Named::Column);
        }
        match mention.best_tables().as_slice() {
            [table] if Some(*table) != subject => Ok(Named::Table(*table)),
            _ => self.resolve(mention, subject).map(Named::Column),
        }
    }

    fn aggregate_root(&self) -> Result<usize, Stop> {
        for target in &self.request.targets {
            match target {
                Target::Count(table) => return Ok(*table),
                Target::CountDistinct { mention } => return Ok(self.resolve(mention, None)?.table),
                Target::Aggregate { mention, owner, .. } => {
                    return Ok(self.measure(mention, *owner)?.table);
                }
                _ => {}
            }
        }
        Err(Stop::Unanswerable("nothing is aggregated".to_owned()))
    }

    /// The number column that an aggregate is taken of.
    fn measure(&self, mention: &Mention, owner: Option<usize>) -> Result<ColumnId, Stop> {
        let id = match self.owner_of(owner) {
            Some(owner) => {
                let id = self.rank_column_of(mention, owner)?;
                let goes_up = id.table != owner
                    && self
                        .path(owner, id.table)?
                        .first()
                        .is_some_and(|step| step.is_to_one);
                if goes_up {
                    return Err(Stop::Unanswerable(
                        "the rows would be counted more than once".to_owned(),
                    ));
                }
                id
            }
            None => self.resolve(mention, None)?,
        };
        Ok(id)
    }

    fn rank_column_of(&self, mention: &Mention, owner: usize) -> Result<ColumnId, Stop> {
        let own: Vec<(ColumnId, u8)> = mention
            .columns
            .iter()
            .filter(|(id, _)| id.table == owner)
            .copied()
            .collect();
        if own.is_empty() {
            self.rank_column(mention)
        } else {
            self.resolve(mention, Some(owner))
        }
    }

    fn select_aggregates(&mut self) -> Result<Select, Stop> {
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
        for target in &targets {
            let key = match target {
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
        let mut words: Vec<(String, String)> = Vec::new();
        let groups = select.columns.len();
        for target in &targets {
            if let Some((expression, name, said)) =
                self.aggregate(&mut select.scope, root, target)?
            {
                let name = select.push(expression, &name);
                words.push((name, said));
            }
        }
        let measure = select
            .columns
            .get(groups)
            .map(|(_, name)| name.clone())
            .unwrap_or_default();
        select.shape = if groups == 0 {
            Shape::Aggregates(words)
        } else {
            Shape::Groups
        };
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
                if rank.is_descending { " DESC" } else { "" }
            ));
        }
        for order in &self.request.order {
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
                    select.order_term(&expression)
                }
            };
            select.order_by.push(format!(
                "{term}{}",
                if order.is_descending { " DESC" } else { "" }
            ));
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
    fn push_group(&mut self, select: &mut Select, root: usize, key: &Named) -> Result<(), Stop> {
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

    /// The SQL of an aggregate, its output name, and its words.
    fn aggregate(
        &mut self,
        scope: &mut Scope,
        root: usize,
        target: &Target,
    ) -> Result<Option<(String, String, String)>, Stop> {
        match target {
            Target::Count(table) => {
                self.refuse_twin(*table)?;
                let name = self.table(*table)?.name.clone();
                if *table != root {
                    return Err(Stop::Unanswerable(
                        "rows of two tables are counted at once".to_owned(),
                    ));
                }
                Ok(Some((
                    self.count_rows(scope, root)?,
                    name.clone(),
                    speak(&name),
                )))
            }
            Target::CountDistinct { mention } => {
                let id = self.resolve(mention, self.request.subject)?;
                if id.table != root {
                    return Err(Stop::Unanswerable(
                        "rows of two tables are counted at once".to_owned(),
                    ));
                }
                let name = self.column(id)?.name.clone();
                let column = self.column_sql(scope, id)?;
                Ok(Some((
                    format!("count(DISTINCT {column})"),
                    name.clone(),
                    format!("different values of {}", speak(&name)),
                )))
            }
            Target::Aggregate {
                function,
                mention,
                owner,
            } => {
                let id = self.measure(mention, *owner)?;
                let column = self.column(id)?;
                let sums = matches!(function, Aggregate::Sum | Aggregate::Average);
                if !(is_number(column) || (!sums && is_date(column))) {
                    return Err(Stop::Unanswerable(format!(
                        "{} cannot be aggregated as {}",
                        speak(&column.name),
                        function.word()
                    )));
                }
                let is_key = self.table(id.table)?.primary_key.contains(&column.name)
                    || self
                        .table(id.table)?
                        .foreign_keys
                        .iter()
                        .any(|key| key.columns.contains(&column.name));
                if is_key || (sums && (scope.multiplies || id.table != root)) {
                    return Err(Stop::Unanswerable(
                        "the rows would be counted more than once".to_owned(),
                    ));
                }
                self.reach(scope, root, id.table)?;
                let expression =
                    format!("{}({})", function.function(), self.column_sql(scope, id)?);
                let name = format!("{}_{}", function.word(), output_name(&column.name));
                Ok(Some((
                    expression,
                    name,
                    format!("{} {}", function.word(), speak(&column.name)),
                )))
            }
            _ => Ok(None),
        }
    }

    /// Counts the root's rows once each, whatever is joined.
    fn count_rows(&self, scope: &Scope, root: usize) -> Result<String, Stop> {
        if !scope.multiplies {
            return Ok("count(*)".to_owned());
        }
        let table = self.table(root)?;
        match table.primary_key.as_slice() {
            [key] => {
                let alias = scope.alias(root).unwrap_or_default();
                Ok(format!("count(DISTINCT {alias}.{})", quote_identifier(key)))
            }
            _ => Err(Stop::Unanswerable(format!(
                "rows of {} cannot be counted once each",
                table.name
            ))),
        }
    }

    /// "the customer with the most orders": groups of one table ranked by rows of another.
    fn select_ranked_groups(&mut self, counted: usize) -> Result<Select, Stop> {
        let Some(rank) = self.request.rank.clone() else {
            return Err(Stop::Unanswerable("nothing is ranked".to_owned()));
        };
        let mut select = Select {
            scope: self.new_scope(counted)?,
            ..Select::default()
        };
        let targets = self.request.targets.clone();
        let mut only_entity = None;
        for target in &targets {
            let key = match target {
                Target::Entity(table) if *table != counted => Named::Table(*table),
                Target::Named { mention, owner } => match self.named(mention, *owner) {
                    Ok(named) => named,
                    Err(_) if self.request.subject.is_none() => {
                        Named::Column(self.resolve(mention, Some(counted))?)
                    }
                    Err(stop) => return Err(stop),
                },
                _ => {
                    return Err(Stop::Unanswerable(
                        "the rows cannot be ranked by their own number".to_owned(),
                    ));
                }
            };
            if let Named::Table(table) = key {
                only_entity = (targets.len() == 1).then_some(table);
            }
            self.push_group(&mut select, counted, &key)?;
            let columns = self.columns_of(&key)?;
            for id in columns {
                if id.table == counted && !self.column(id)?.not_null {
                    let expression = self.column_sql(&select.scope, id)?;
                    select
                        .scope
                        .wheres
                        .push(format!("{expression} IS NOT NULL"));
                }
            }
            self.group_by_row(&mut select, &key, counted)?;
        }
        let compares_rows = select.scope.aliases.len() > 1;
        if !rank.is_descending && compares_rows && matches!(rank.by, RankBy::Count(_)) {
            return Err(Stop::Unanswerable(
                "rows with none at all would be left out".to_owned(),
            ));
        }
        self.apply(&mut select.scope, counted, &self.conditions())?;
        let (expression, name) = match &rank.by {
            RankBy::Count(table) => {
                self.refuse_twin(*table)?;
                (
                    self.count_rows(&select.scope, counted)?,
                    self.table(*table)?.name.clone(),
                )
            }
            RankBy::Column {
                mention, function, ..
            } => {
                let id = self.rank_column(mention)?;
                let function = function.unwrap_or(Aggregate::Sum);
                if select.scope.multiplies || !is_number(self.column(id)?) {
                    return Err(Stop::Unanswerable(
                        "the rows would be counted more than once".to_owned(),
                    ));
                }
                let column = self.column_sql(&select.scope, id)?;
                let name = format!(
                    "{}_{}",
                    function.word(),
                    output_name(&self.column(id)?.name)
                );
                (format!("{}({column})", function.function()), name)
            }
            RankBy::Dimension(_) => {
                return Err(Stop::Unanswerable(
                    "groups have no such dimension".to_owned(),
                ));
            }
        };
        let leader = select
            .columns
            .first()
            .map(|(_, name)| name.clone())
            .unwrap_or_default();
        let is_ranking = only_entity.is_some() && self.request.limit.is_some_and(|limit| limit > 1);
        let direction = if rank.is_descending { " DESC" } else { "" };
        if is_ranking {
            let output = select.push(expression, &name);
            select
                .order_by
                .push(format!("{}{direction}", quote_identifier(&output)));
            select.shape = Shape::Leader {
                name: leader.clone(),
                measure: Some((output, speak(&name))),
            };
        } else {
            select.order_by.push(format!("{expression}{direction}"));
            select.shape = Shape::Leader {
                name: leader.clone(),
                measure: None,
            };
        }
        select.order_by.push(quote_identifier(&leader));
        Ok(select)
    }

    /// Columns of a table group by its rows, not by equal values.
    fn group_by_row(
        &mut self,
        select: &mut Select,
        key: &Named,
        counted: usize,
    ) -> Result<(), Stop> {
        match key {
            Named::Column(id) if id.table != counted => self.group_by_key(select, id.table),
            _ => Ok(()),
        }
    }

    fn group_by_key(&self, select: &mut Select, index: usize) -> Result<(), Stop> {
        let table = self.table(index)?;
        for name in &table.primary_key {
            if let Some(column) = table.columns.iter().position(|column| column.name == *name) {
                let expression = self.column_sql(
                    &select.scope,
                    ColumnId {
                        table: index,
                        column,
                    },
                )?;
                if !select.group_by.contains(&expression) {
                    select.group_by.push(expression);
                }
            }
        }
        Ok(())
    }
}

/// What a target or a group turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Column(ColumnId),
    Table(usize),
}

/// A table's name for one of its rows.
fn singular(name: &str) -> String {
    let spoken = speak(name);
    match spoken.strip_suffix("ies") {
        Some(base) => format!("{base}y"),
        None if spoken.ends_with("sses") || spoken.ends_with("xes") => {
            spoken.trim_end_matches("es").to_owned()
        }
        None if spoken.ends_with('s') && !spoken.ends_with("ss") && !spoken.ends_with("us") => {
            spoken.trim_end_matches('s').to_owned()
        }
        None => spoken,
    }
}
