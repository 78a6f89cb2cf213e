//! Figures over the first table that all parts fit.

use super::*;

impl Composer<'_> {
    /// The value of one row of the grain for what is measured.
    pub(super) fn value_at(&self, grain: usize, what: &What) -> Option<(Expression, String)> {
        let sum_of = |figure: &Figure, reached: crate::schema::Reached| -> Option<Expression> {
            let related = Related {
                table: table_ref(self.schema.table(figure.table)?),
                link: reached.path,
                function: Function::Sum,
                of: Some(figure.value.clone()),
                conditions: Vec::new(),
            };
            (!reached.is_tied).then(|| Expression::Related(Box::new(related)))
        };
        match what {
            What::Revenue | What::Units => {
                let figures = match what {
                    What::Revenue => money::revenue(self.schema),
                    _ => money::units(self.schema),
                };
                let own = figures.iter().find(|figure| figure.table == grain);
                if let Some(own) = own {
                    return Some((own.value.clone(), own.says.clone()));
                }
                let is_sale = is_sale(self.schema, grain);
                figures.iter().filter(|_| is_sale).find_map(|figure| {
                    let reached = self.schema.reach(figure.table, grain)?;
                    Some((sum_of(figure, reached)?, figure.says.clone()))
                })
            }
            What::Column(columns) => {
                columns
                    .iter()
                    .find(|(table, _)| *table == grain)
                    .and_then(|(table, column)| {
                        let column = self.schema.own_column(*table, *column, Vec::new())?;
                        let says = format!("{}.{}", self.table_name(*table), column.column);
                        Some((Expression::Column(column), says))
                    })
            }
            What::Days(table, from, to) => {
                let path = self
                    .schema
                    .reach(grain, *table)
                    .filter(|reached| !reached.is_tied)?
                    .path;
                let from = self.schema.own_column(*table, *from, path.clone())?;
                let to = self.schema.own_column(*table, *to, path)?;
                let says = format!("days from {} to {}", from.column, to.column);
                Some((Expression::Days(from, to), says))
            }
            What::Term(term) => {
                let term = self.schema.terms.get(*term)?;
                let is_own = term.table == grain && term.kind == TermKind::Value;
                is_own.then(|| (Expression::Defined(term.defined(&[])), String::new()))
            }
            What::Rows(_) => None,
        }
    }

    pub(super) fn aggregate_at(
        &self,
        grain: usize,
        measured: &Measured,
    ) -> Option<(Aggregate, String)> {
        let plain = |function, of, says: String| {
            Some((
                Aggregate {
                    function,
                    of,
                    only: Vec::new(),
                },
                says,
            ))
        };
        match &measured.what {
            What::Rows(table) if *table == grain => plain(Function::Count, None, String::new()),
            What::Rows(table) => {
                let key = self.key_of(*table)?;
                if let Some(reached) = self.schema.reach(grain, *table) {
                    if reached.is_tied {
                        return None;
                    }
                    let of = ColumnRef {
                        path: reached.path,
                        column: key,
                    };
                    return plain(
                        Function::CountDistinct,
                        Some(Expression::Column(of)),
                        String::new(),
                    );
                }
                let reached = self
                    .schema
                    .reach(*table, grain)
                    .filter(|reached| !reached.is_tied)?;
                let related = Related {
                    table: table_ref(self.schema.table(*table)?),
                    link: reached.path,
                    function: Function::Count,
                    of: None,
                    conditions: Vec::new(),
                };
                plain(
                    Function::Sum,
                    Some(Expression::Related(Box::new(related))),
                    String::new(),
                )
            }
            what => {
                let (value, says) = self.value_at(grain, what)?;
                plain(measured.function, Some(value), says)
            }
        }
    }

    pub(super) fn key_of(&self, table: usize) -> Option<String> {
        match self.schema.table(table)?.primary_key.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// The tables whose rows may be added up, best first.
    pub(super) fn grains(&self) -> Vec<usize> {
        let mut grains: Vec<usize> = Vec::new();
        let mut add = |at: usize| {
            if !grains.contains(&at) {
                grains.push(at);
            }
        };
        for measured in &self.measures {
            match &measured.what {
                What::Revenue => {
                    if measured.function != Function::Sum
                        && let Some(sales) = sales_table(self.schema)
                    {
                        add(sales);
                        continue;
                    }
                    money::revenue(self.schema)
                        .iter()
                        .for_each(|figure| add(figure.table));
                }
                What::Units => money::units(self.schema)
                    .iter()
                    .for_each(|figure| add(figure.table)),
                What::Column(columns) => columns.iter().for_each(|(table, _)| add(*table)),
                What::Days(table, _, _) => add(*table),
                What::Term(term) => {
                    if let Some(term) = self.schema.terms.get(*term) {
                        add(term.table);
                    }
                }
                What::Rows(table) => {
                    add(*table);
                    if self.measures.len() == 1
                        && self
                            .groups
                            .iter()
                            .any(|group| matches!(group, Group::Named(_)))
                        && !self
                            .groups
                            .iter()
                            .any(|group| matches!(group, Group::Part(_)))
                    {
                        self.schema
                            .referring(*table)
                            .iter()
                            .for_each(|(at, _)| add(*at));
                    }
                }
            }
        }
        grains
    }

    pub(super) fn dimension_at(
        &self,
        grain: usize,
        group: &Group,
        said: &mut Said,
    ) -> Result<Dimension, Misfit> {
        match group {
            Group::Part(part) => {
                if *part == DatePart::Year
                    && day_of(self.schema, grain).is_none()
                    && let Some(year) = self.schema.year_column(grain)
                {
                    let column = self.schema.own_column(grain, year, Vec::new());
                    return column.map(Dimension::Column).ok_or(Misfit::Unreachable);
                }
                let of_verb = self.day_of_verb.filter(|(table, _)| *table == grain);
                let of_verb = of_verb.and_then(|(table, date)| {
                    Some((self.schema.own_column(table, date, Vec::new())?, table))
                });
                let (column, of) = of_verb
                    .or_else(|| day_of(self.schema, grain))
                    .ok_or(Misfit::Unreachable)?;
                if self.schema.dates(of).len() > 1 {
                    said.push((
                        format!("the period is by {}.{}", self.table_name(of), column.column),
                        true,
                    ));
                }
                Ok(Dimension::Date(column, *part))
            }
            Group::Named(at) => {
                let mut best: Option<(f64, Dimension, String)> = None;
                let mut party = None;
                let mut is_tied = false;
                for name in self.names(*at) {
                    let (table, dimension) = match name.kind {
                        NameKind::Table(table) => (table, None),
                        NameKind::Column(table, column) => (table, Some(column)),
                        NameKind::Value(..) => continue,
                    };
                    if name.score < 0.5 {
                        continue;
                    }
                    let reached = self.schema.reach(grain, table).or_else(|| {
                        let paired = self.schema.fan(grain, table);
                        paired.filter(|_| dimension.is_none() && self.is_each_sum(grain))
                    });
                    let Some(reached) = reached.filter(|reached| !reached.is_tied) else {
                        continue;
                    };
                    let of_party = reached.party.clone();
                    let is_party = self
                        .schema
                        .table_words(table)
                        .iter()
                        .any(|word| word == "customer");
                    let score = name.score - 0.004 * reached.cost as f64
                        + match dimension {
                            None => 0.08,
                            // "allergy type" of a table of that name is its column.
                            Some(column)
                                if name.score > 0.99
                                    && self.table_of(*at) == Some(table)
                                    && !self.schema.shown(table).contains(&column) =>
                            {
                                0.1
                            }
                            Some(_) => 0.0,
                        }
                        + if is_party { 0.02 } else { 0.0 };
                    let made = match dimension {
                        None => self.entity(table, reached.path),
                        Some(column)
                            if self.schema.is_reference(table, column) && name.score < 0.9 =>
                        {
                            None
                        }
                        Some(column) => self
                            .schema
                            .own_column(table, column, reached.path)
                            .map(Dimension::Column),
                    };
                    let Some(made) = made else { continue };
                    let says = match dimension {
                        None => format!("table {}", self.table_name(table)),
                        Some(column) => format!(
                            "{}.{}",
                            self.table_name(table),
                            self.schema
                                .column(table, column)
                                .map(|column| column.name.as_str())
                                .unwrap_or_default()
                        ),
                    };
                    match &best {
                        Some((known, _, _)) if (known - score).abs() < 0.009 => is_tied = true,
                        Some((known, _, _)) if *known > score => {}
                        _ => {
                            is_tied = false;
                            party = of_party;
                            best = Some((score, made, says));
                        }
                    }
                }
                if is_tied {
                    return Err(Misfit::Ambiguous);
                }
                let (_, dimension, says) = best.ok_or(Misfit::Unreachable)?;
                let text = self
                    .span(*at)
                    .map(|span| span.text.clone())
                    .unwrap_or_default();
                said.extend(party.map(|party| (format!("'{text}' is that of {party}"), true)));
                said.push((format!("'{text}' is {says}"), false));
                Ok(dimension)
            }
        }
    }

    /// Whether a row of the grain may count for each of several groups: not where things are told apart already.
    fn is_each_sum(&self, grain: usize) -> bool {
        let is_named = |group: &&Group| matches!(group, Group::Named(_));
        let is_own = |measured: &Measured| match &measured.what {
            What::Rows(table) => *table == grain,
            _ => true,
        };
        self.groups.iter().filter(is_named).count() == 1 && self.measures.iter().all(is_own)
    }

    pub(super) fn entity(
        &self,
        table: usize,
        path: Vec<text2sql_semantics::Step>,
    ) -> Option<Dimension> {
        crate::routes::entity(self.schema, table, path, &self.beside)
    }

    /// Figures over the first grain that all parts fit.
    pub(super) fn figures(&mut self, order: Option<Order>) -> Result<SemanticQuery, Stop> {
        self.read_beside();
        self.read_currency();
        self.read_asked_unit();
        for at in 0..self.spans.len() {
            let is_read = |other: Option<usize>| other.is_some_and(|other| self.is_used(other));
            let is_of_names = self.is(at, Concept::And) && !self.groups.is_empty();
            if is_of_names && is_read(self.before(at)) && is_read(self.after(at)) {
                self.take(at);
            }
            let is_named = |group: &Group| match group {
                Group::Named(group) => self
                    .table_of(*group)
                    .is_some_and(|table| self.schema.has_name(table)),
                Group::Part(_) => false,
            };
            if self.is(at, Concept::List)
                && !self.columns_of(at).is_empty()
                && self.groups.iter().any(is_named)
            {
                self.take(at);
            }
        }
        self.at_some_grain(|composer, grain| composer.figures_at(grain, order.clone()))
    }

    /// "our revenue in dollars": the currency that the amounts are in, where nothing names another one.
    fn read_currency(&mut self) {
        let Some(at) = self.find(Concept::Money) else {
            return;
        };
        let is_said = at.checked_sub(1).is_some_and(|before| {
            self.span(before)
                .is_some_and(|span| span.text.eq_ignore_ascii_case("in"))
        });
        let is_revenue = self.measures.iter().any(|one| one.what == What::Revenue);
        if is_said && is_revenue && !self.names_other_currency() {
            self.take(at);
            let text = self.span(at).map(|span| span.text.clone());
            let says = format!("amounts are taken to be in {}", text.unwrap_or_default());
            self.says(says, true);
        }
    }

    /// "the names and ids of each account": columns of the thing that figures are for.
    fn read_beside(&mut self) {
        for group in self.groups.clone() {
            let Group::Named(group) = group else { continue };
            let Some(table) = self.table_of(group).filter(|_| self.is_noun(group)) else {
                continue;
            };
            for at in 0..self.spans.len() {
                let is_plain = self.span(at).is_some_and(|span| span.concept.is_none());
                if self.is_used(at) || !is_plain || self.is_noun(at) {
                    continue;
                }
                let columns = self.columns_of(at);
                let own = columns
                    .iter()
                    .find(|(of, _, score)| *of == table && *score > 0.7);
                let Some((_, column, _)) = own else { continue };
                self.beside.push((table, *column));
                self.take(at);
                let is_name = |at: usize| self.is(at, Concept::List) && self.schema.has_name(table);
                for name in (0..self.spans.len())
                    .filter(|at| is_name(*at))
                    .collect::<Vec<_>>()
                {
                    self.take(name);
                }
                if let Some(and) = self.before(at).filter(|and| self.is(*and, Concept::And)) {
                    self.take(and);
                }
                if let Some(and) = self.after(at).filter(|and| self.is(*and, Concept::And)) {
                    self.take(and);
                }
            }
        }
    }

    pub(super) fn figures_at(
        &mut self,
        grain: usize,
        order: Option<Order>,
    ) -> Result<SemanticQuery, Stop> {
        let mut said: Said = Vec::new();
        let mut dimensions = Vec::new();
        for group in &self.groups {
            dimensions.push(self.dimension_at(grain, group, &mut said)?);
        }
        let mut conditions = place(self.schema, grain, &self.asked, &mut said)?;
        // "the average age of men and women": one figure or two.
        let is_mean = |one: &Measured| matches!(one.function, Function::Average | Function::Median);
        let has_several = self
            .asked
            .iter()
            .any(|one| matches!(one, Asked::Values { names, .. } if names.len() > 1));
        if has_several && self.has(Concept::And) && self.measures.iter().any(is_mean) {
            return stop("whether one figure or one for each is meant is not clear");
        }
        let mut measures = Vec::new();
        for measured in &self.measures {
            if let Some(measure) = self.defined_at(grain, measured)? {
                measures.push(measure);
                continue;
            }
            let (aggregate, says) = self
                .aggregate_at(grain, measured)
                .ok_or(Stop::from(Misfit::Unreachable))?;
            if !says.is_empty() {
                let is_default = matches!(measured.what, What::Revenue | What::Units);
                let word = self.name_of(measured);
                said.push((format!("{word} is {says}"), is_default));
            }
            measures.push(self.measure_in_unit(measured, aggregate));
        }
        self.leave_out_cancelled(grain, &mut conditions, &mut said);
        let answer = Answer::Figures {
            measures,
            dimensions,
        };
        self.said.extend(said);
        self.query(grain, conditions, answer, order)
    }

    /// Sold is what was not cancelled.
    pub(super) fn leave_out_cancelled(
        &self,
        grain: usize,
        conditions: &mut Vec<Condition>,
        said: &mut Said,
    ) {
        let is_sales = self
            .measures
            .iter()
            .any(|one| matches!(one.what, What::Revenue | What::Units));
        let is_own = money::revenue(self.schema)
            .iter()
            .any(|figure| figure.table == grain && figure.rank == 0);
        if !is_sales || is_own {
            return;
        }
        if let Some((says, condition)) = money::not_cancelled(self.schema, grain) {
            let asks = self.asked.iter().any(|one| matches!(one, Asked::Values { names, .. }
                if names.iter().flatten().any(|name| matches!(&name.kind, NameKind::Value(_, _, value) if says.contains(&format!("'{value}'"))))));
            if !asks {
                said.push((format!("without {says}"), true));
                conditions.push(condition);
            }
        }
    }

    pub(super) fn name_of(&self, measured: &Measured) -> String {
        let prefix = match measured.function {
            Function::Average => "average_",
            Function::Median => "median_",
            Function::Maximum => "highest_",
            Function::Minimum => "lowest_",
            Function::CountDistinct => "different_",
            Function::Sum | Function::Count => "",
        };
        let base = match &measured.what {
            What::Revenue if measured.function != Function::Sum => "order_value".to_owned(),
            What::Revenue => "revenue".to_owned(),
            What::Units => "units".to_owned(),
            What::Days(..) => "days".to_owned(),
            What::Rows(table) => self.table_name(*table),
            What::Term(term) => {
                let term = self.schema.terms.get(*term);
                term.map(|term| term.name.to_lowercase().replace(' ', "_"))
                    .unwrap_or_default()
            }
            What::Column(columns) => columns
                .first()
                .and_then(|(table, column)| self.schema.column(*table, *column))
                .map(|column| column.name.clone())
                .unwrap_or_default(),
        };
        format!("{prefix}{base}")
    }

    pub(super) fn place_all(&mut self, grain: usize) -> Result<Vec<Condition>, Stop> {
        let mut said = Vec::new();
        let conditions = place(self.schema, grain, &self.asked, &mut said)?;
        let is_related = |one: &Condition| match one {
            Condition::Exists { conditions, .. } => conditions
                .iter()
                .any(|one| matches!(one, Condition::OneOf { values, .. } if values.len() > 1)),
            _ => false,
        };
        if self.is_of_both && conditions.iter().any(is_related) {
            return stop("both or one of them is not said");
        }
        self.said.extend(said);
        Ok(conditions)
    }

    /// The query over the rows of the first table of which there is one; else why there is none of the best.
    pub(super) fn at_some_grain(
        &mut self,
        mut query_at: impl FnMut(&mut Self, usize) -> Result<SemanticQuery, Stop>,
    ) -> Result<SemanticQuery, Stop> {
        let mut first = None;
        for grain in self.grains() {
            match query_at(self, grain) {
                Ok(query) => return Ok(query),
                Err(stop) => {
                    first.get_or_insert(stop);
                }
            }
        }
        first.map_or_else(|| stop("there is nothing to measure it by"), Err)
    }

    /// A taught aggregate as a figure over the rows of a table; `None` where a word of the catalog is measured.
    pub(super) fn defined_at(
        &self,
        grain: usize,
        measured: &Measured,
    ) -> Result<Option<Measure>, Stop> {
        let What::Term(term) = measured.what else {
            return Ok(None);
        };
        let terms = self.schema.terms.get(term);
        match terms.filter(|term| term.kind == TermKind::Aggregate) {
            Some(term) if term.table != grain => Err(Misfit::Unreachable.into()),
            Some(term) => Ok(Some(Measure {
                name: self.name_of(measured),
                value: Value::Defined(term.defined(&[])),
            })),
            None => Ok(None),
        }
    }

    pub(super) fn query(
        &mut self,
        grain: usize,
        conditions: Vec<Condition>,
        answer: Answer,
        order: Option<Order>,
    ) -> Result<SemanticQuery, Stop> {
        let Some(table) = self.schema.table(grain) else {
            return stop("there is no such table");
        };
        let parts = self.said.iter().map(|(says, is_default)| Part {
            says: says.clone(),
            words: None,
            certainty: 1.0,
            is_default: *is_default,
        });
        Ok(SemanticQuery {
            subject: table_ref(table),
            conditions,
            answer,
            order,
            parts: parts.collect(),
        })
    }
}
