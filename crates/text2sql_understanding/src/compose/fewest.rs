//! The things with the fewest rows, those with none as well.

use super::*;

impl Composer<'_> {
    /// Rows are counted for each thing, not for each group of rows: that would miss those without any.
    pub(super) fn fewest(
        &mut self,
        table: usize,
        counted: usize,
        rank: Rank,
    ) -> Result<SemanticQuery, Stop> {
        self.groups.clear();
        self.measures.clear();
        let periods = std::mem::take(&mut self.periods);
        self.finish_conditions(Some(table))?;
        let Some(reached) = self
            .schema
            .reach(counted, table)
            .or_else(|| self.schema.fan(counted, table))
            .filter(|reached| !reached.is_tied && !reached.path.is_empty())
        else {
            return stop("the parts are not related");
        };
        let Some(of) = self.schema.table(counted) else {
            return stop("there is no such table");
        };
        let mut said = Vec::new();
        let days: Vec<Asked> = periods
            .into_iter()
            .map(|period| Asked::Days { period, by: None })
            .collect();
        let conditions = place(self.schema, counted, &days, &mut said)?;
        self.said.extend(said);
        let related = Expression::Related(Box::new(Related {
            table: table_ref(of),
            link: reached.path,
            function: Function::Count,
            of: None,
            conditions,
        }));
        let mut columns = self.shown_of(table);
        columns.push(Shown {
            value: related.clone(),
            name: Some("count".to_owned()),
        });
        let conditions = self.place_all(table)?;
        let order = Order {
            by: OrderBy::Value(related),
            is_descending: false,
            limit: rank.limit.or(Some(1)),
        };
        self.query(
            table,
            conditions,
            Answer::Rows {
                columns,
                distinct: false,
            },
            Some(order),
        )
    }
}
