//! Rows that are compared with those that are alike: the first of each group, groups with so many rows; what a rank is
//! about where its noun does not say it.

use super::ranks::DURATIONS;
use super::*;

impl Composer<'_> {
    /// "the dearest product of each category", each of several that are equally dear.
    pub(super) fn first_of_each(
        &mut self,
        table: usize,
        value: ColumnRef,
        each: &Group,
        is_descending: bool,
    ) -> Result<SemanticQuery, Stop> {
        if !self.asked.is_empty() {
            return stop("the first of each group among some is not understood");
        }
        let mut said = Vec::new();
        let (key, names) = match self.dimension_at(table, each, &mut said)? {
            Dimension::Entity { key, names, .. } => (key, names),
            Dimension::Column(column) => (vec![column.clone()], vec![column]),
            Dimension::Date(..) => return stop("the first of each group is not understood"),
        };
        let is_own = |column: &ColumnRef| column.path.is_empty() && key.contains(column);
        let fans_out = |column: &ColumnRef| column.path.iter().any(|step| step.fans_out);
        // Each customer is the only one of each customer.
        let own_key = self
            .schema
            .table(table)
            .map(|table| table.primary_key.as_slice());
        let is_itself = key.iter().all(is_own)
            && own_key.is_some_and(|own| key.iter().map(|one| &one.column).eq(own));
        if is_itself || key.iter().any(fans_out) || key.contains(&value) {
            return stop("the first of each group is not understood");
        }
        self.said.extend(said);
        let shown = |column: ColumnRef| Shown {
            value: Expression::Column(column),
            name: None,
        };
        let order = names.first().map(|name| Order {
            by: OrderBy::Value(Expression::Column(name.clone())),
            is_descending: false,
            limit: None,
        });
        let mut columns: Vec<Shown> = names.into_iter().map(shown).collect();
        columns.extend(self.shown_of(table));
        columns.push(shown(value.clone()));
        let first = Condition::AmongAlike {
            each: key,
            function: match is_descending {
                true => Function::Maximum,
                false => Function::Minimum,
            },
            of: Some(value),
            than: None,
        };
        let answer = Answer::Rows {
            columns,
            distinct: false,
        };
        self.query(table, vec![first], answer, order)
    }

    /// "countries with more than 5 customers", where the country is a column of the customers that are counted.
    pub(super) fn values_with_rows(
        &mut self,
        found: &[(usize, usize, usize)],
    ) -> Result<Option<SemanticQuery>, Stop> {
        let (
            [(at, ..)],
            [
                Asked::Counted {
                    table,
                    operator,
                    number,
                },
            ],
        ) = (found, self.asked.as_slice())
        else {
            return Ok(None);
        };
        let (at, table, than) = (*at, *table, (*operator, Literal::Number(number.clone())));
        if !self.periods.is_empty() {
            return Ok(None);
        }
        let mut said = Vec::new();
        let Ok(Dimension::Column(column)) = self.dimension_at(table, &Group::Named(at), &mut said)
        else {
            return Ok(None);
        };
        self.take(at);
        self.asked.clear();
        self.finish_conditions(None)?;
        if !self.asked.is_empty() {
            return stop("among which rows is not clear");
        }
        self.said.extend(said);
        let value = Expression::Column(column.clone());
        let answer = Answer::Rows {
            columns: vec![Shown {
                value: value.clone(),
                name: None,
            }],
            distinct: true,
        };
        let alike = Condition::AmongAlike {
            each: vec![column],
            function: Function::Count,
            of: None,
            than: Some(than),
        };
        let order = Order {
            by: OrderBy::Value(value),
            is_descending: false,
            limit: None,
        };
        self.query(table, vec![alike], answer, Some(order))
            .map(Some)
    }

    /// "the dearest item": the one of the tables of that name that has a price.
    pub(super) fn priced(&mut self, rank: Rank) -> Option<usize> {
        let at = rank.at + 1;
        let is_dear = matches!(rank.concept, Concept::Dear | Concept::Cheap);
        if !is_dear || self.is_used(at) || self.span(at)?.concept.is_some() {
            return None;
        }
        let prices = self.price_columns();
        let has_price = |name: &Name| match name.kind {
            NameKind::Table(table) => {
                self.schema.has_name(table)
                    && prices.iter().filter(|(of, _)| *of == table).count() == 1
            }
            _ => false,
        };
        let mut priced = self
            .names(at)
            .iter()
            .filter(|name| has_price(name))
            .cloned();
        let only = priced.next().filter(|_| priced.next().is_none())?;
        let span = self.spans.get_mut(at)?;
        span.names = vec![Name { score: 1.0, ..only }];
        Some(at)
    }

    /// "the genre with the longest tracks on average": the average duration of the rows of another table.
    pub(super) fn average_length(&mut self, table: usize, subject: usize) -> Result<(), Stop> {
        let noun = (0..self.spans.len()).find(|at| {
            !self.is_used(*at) && self.is_noun(*at) && self.table_of(*at) != Some(table)
        });
        let Some((noun, of)) = noun.and_then(|at| Some((at, self.table_of(at)?))) else {
            return stop("what it is ranked by is not clear");
        };
        let column = self.sole_column(of, DURATIONS)?;
        if !self.groups.is_empty() {
            return stop("the first of each group is not understood");
        }
        self.function_before(noun);
        self.take(noun);
        self.groups.push(Group::Named(subject));
        self.measures.push(Measured {
            function: Function::Average,
            what: What::Column(vec![(of, column)]),
        });
        self.finish_conditions(Some(of))
    }

    /// "the best paid teacher"
    pub(super) fn is_of_pay(&self, rank: Rank) -> bool {
        let text = self.span(rank.at).map(|span| span.text.to_lowercase());
        let text = text.unwrap_or_default();
        ["paid", "earn", "bezahlt", "verdien"]
            .iter()
            .any(|part| text.contains(part))
    }

    /// "the medicine that is prescribed most often": the rows that are called by the verb.
    pub(super) fn event_of_groups(&self, verb: usize) -> Option<usize> {
        let [Group::Named(at)] = self.groups.as_slice() else {
            return None;
        };
        self.event_of_root(verb, self.table_of(*at)?)
    }
}
