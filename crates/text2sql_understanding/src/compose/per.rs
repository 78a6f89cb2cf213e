//! The average of a figure of each thing: "how many orders does a customer have on average".

use super::*;

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
        let (Some(table), Some(owner)) = (
            self.schema.table(counted_table),
            self.schema.table(of_table),
        ) else {
            return Ok(None);
        };
        let periods = std::mem::take(&mut self.periods);
        let days: Vec<Asked> = periods
            .into_iter()
            .map(|period| Asked::Days { period, by: None })
            .collect();
        let mut said = Vec::new();
        let inner = place(self.schema, counted_table, &days, &mut said)?;
        self.said.extend(said);
        self.finish_conditions(Some(of_table))?;
        let mut conditions = self.place_all(of_table)?;
        conditions.push(Condition::Exists {
            table: table_ref(table),
            link: reached.path.clone(),
            of: Vec::new(),
            conditions: inner.clone(),
            is_negated: false,
        });
        let says = format!("{} without any {} are left out", owner.name, table.name);
        self.says(says, true);
        let value = Expression::Related(Box::new(Related {
            table: table_ref(table),
            link: reached.path,
            function: Function::Count,
            of: None,
            conditions: inner,
        }));
        let measure = Measure {
            name: format!("average_{}_per_{}", table.name, owner.name),
            value: Value::Aggregate(Aggregate {
                function: Function::Average,
                of: Some(value),
                only: Vec::new(),
            }),
        };
        let answer = Answer::Figures {
            measures: vec![measure],
            dimensions: Vec::new(),
        };
        self.query(of_table, conditions, answer, None).map(Some)
    }
}
