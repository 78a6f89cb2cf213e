//! The average of a figure of each thing: "how many orders does a customer have on average".

use super::*;
use text2sql_semantics::Step;

impl Composer<'_> {
    pub(super) fn average_per(&mut self) -> Result<Option<SemanticQuery>, Stop> {
        let (Some(average), Some(count)) = (self.find(Concept::Average), self.find(Concept::Count))
        else {
            return Ok(None);
        };
        let mut nouns = (count + 1..self.spans.len()).filter(|at| self.is_noun(*at));
        let (Some(counted), Some(of)) = (nouns.next(), nouns.next()) else {
            return Ok(None);
        };
        let (Some(counted_table), Some(of_table)) = (self.table_of(counted), self.table_of(of))
        else {
            return Ok(None);
        };
        // "films per actor" are rows of the table that pairs them.
        let Ok((counted_table, reached)) = between(self.schema, counted_table, of_table) else {
            return Ok(None);
        };
        let is_direct = self.table_of(counted) == Some(counted_table);
        if !is_direct && !self.schema.pairs().any(|(at, _, _)| at == counted_table) {
            return Ok(None);
        }
        if !matches!(self.groups.as_slice(), [] | [Group::Named(_)])
            || self.groups.iter().any(|group| *group != Group::Named(of))
        {
            return Ok(None);
        }
        self.groups.clear();
        for at in [average, count, counted, of] {
            self.take(at);
        }
        for (at, verb) in self.verbs() {
            if self
                .event_of(verb)
                .is_none_or(|event| event == counted_table)
            {
                self.take(at);
            }
        }
        self.mean_of_rows(
            of_table,
            (counted_table, reached.path),
            Function::Count,
            None,
        )
        .map(Some)
    }

    /// "the average revenue per customer": the mean of what each has spent.
    pub(super) fn average_revenue_per(&mut self) -> Result<Option<SemanticQuery>, Stop> {
        let revenue = self
            .find(Concept::Revenue)
            .or_else(|| self.find(Concept::Verb("spend")));
        let (Some(average), Some(revenue), [Group::Named(of)], None) = (
            self.find(Concept::Average),
            revenue,
            self.groups.as_slice(),
            self.rank,
        ) else {
            return Ok(None);
        };
        let of = *of;
        let Some(of_table) = self.table_of(of).filter(|_| self.is_noun(of)) else {
            return Ok(None);
        };
        let is_other = self.has(Concept::OrderValue) || self.has(Concept::Compare);
        let figures = money::revenue(self.schema).into_iter();
        let found = figures
            .filter_map(|figure| {
                let reached = self.schema.reach(figure.table, of_table)?;
                (!reached.is_tied && !reached.path.is_empty()).then_some((figure, reached.path))
            })
            .next();
        let Some((figure, path)) = found.filter(|_| !is_other && self.is_party(of_table)) else {
            return Ok(None);
        };
        self.groups.clear();
        for at in [average, revenue, of] {
            self.take(at);
        }
        if let Some(sum) = self.find(Concept::Sum) {
            self.take(sum);
        }
        self.says(format!("revenue is {}", figure.says), true);
        self.mean_of_rows(
            of_table,
            (figure.table, path),
            Function::Sum,
            Some(figure.value),
        )
        .map(Some)
    }

    /// The mean, over rows of a table that have any, of an aggregate of the rows that refer to each.
    fn mean_of_rows(
        &mut self,
        of_table: usize,
        (inner_table, link): (usize, Vec<Step>),
        function: Function,
        of: Option<Expression>,
    ) -> Result<SemanticQuery, Stop> {
        let (Some(table), Some(owner)) =
            (self.schema.table(inner_table), self.schema.table(of_table))
        else {
            return stop("there is no such table");
        };
        let periods = std::mem::take(&mut self.periods);
        let days: Vec<Asked> = periods
            .into_iter()
            .map(|period| Asked::Days { period, by: None })
            .collect();
        let mut said = Vec::new();
        let mut inner = place(self.schema, inner_table, &days, &mut said)?;
        if function == Function::Sum
            && let Some((says, condition)) = money::not_cancelled(self.schema, inner_table)
        {
            said.push((format!("without {says}"), true));
            inner.push(condition);
        }
        self.said.extend(said);
        self.finish_conditions(Some(of_table))?;
        let mut conditions = self.place_all(of_table)?;
        // A customer who bought rock spent money on other music as well.
        let is_related = |one: &Condition| matches!(one, Condition::Exists { .. });
        if function == Function::Sum && conditions.iter().any(is_related) {
            return stop("whether the rest of what they spent counts is not clear");
        }
        conditions.push(Condition::Exists {
            table: table_ref(table),
            link: link.clone(),
            of: Vec::new(),
            conditions: inner.clone(),
            is_negated: false,
        });
        let says = format!("{} without any {} are left out", owner.name, table.name);
        self.says(says, true);
        let what = match function {
            Function::Sum => "revenue",
            _ => table.name.as_str(),
        };
        let measure = Measure {
            name: format!("average_{what}_per_{}", owner.name),
            value: Value::Aggregate(Aggregate {
                function: Function::Average,
                of: Some(Expression::Related(Box::new(Related {
                    table: table_ref(table),
                    link,
                    function,
                    of,
                    conditions: inner,
                }))),
                only: Vec::new(),
            }),
        };
        let answer = Answer::Figures {
            measures: vec![measure],
            dimensions: Vec::new(),
        };
        self.query(of_table, conditions, answer, None)
    }
}
