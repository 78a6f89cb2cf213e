//! What a query says about its result, for the sentence of the answer: which columns are counts, sums, periods, what
//! the rows are ordered by, and the queries that look up what the rows do not show.

mod conditions;
mod outputs;
mod places;
mod query;

use std::sync::Arc;

use sqlparser::ast::{Query, SetExpr};

use text2sql_domain::schema::Table;
use text2sql_language::sentences::result::facts::QueryFacts;
use text2sql_sql::tree::{self, Tree};

pub use self::conditions::{PeriodCondition, data_range_sql};
pub use self::places::places_of;
use self::query::is_grouped;

/// A query with what it says about its result.
#[derive(Debug)]
pub struct ReadQuery {
    query: Box<Query>,
    tables: Vec<Arc<Table>>,
    /// What it says.
    pub facts: QueryFacts,
}

impl ReadQuery {
    /// Reads a query over the tables that it names; `None` if it cannot be taken apart.
    pub fn read(sql: &str, tables: &[Arc<Table>]) -> Option<Self> {
        let query = tree::read_query(sql)?;
        let facts = outputs::facts_of(&query, tables).unwrap_or_default();
        Some(Self {
            query,
            tables: tables.to_vec(),
            facts,
        })
    }

    /// The tables that it names.
    pub fn tables(&self) -> &[Arc<Table>] {
        &self.tables
    }

    /// The query for the first places of the ranking, if it is one.
    pub fn places_sql(&self) -> Option<String> {
        places::sql(&self.query, &self.facts)
    }

    /// The query that counts the rows which LIMIT leaves out as well.
    pub fn all_sql(&self) -> String {
        let mut query = (*self.query).clone();
        let is_chosen_by_order =
            matches!(&*query.body, SetExpr::Select(select) if query::is_distinct_on(select));
        if !is_chosen_by_order {
            query.order_by = None;
        }
        query.limit_clause = None;
        query.fetch = None;
        format!("SELECT count(*) FROM ({query}) AS every")
    }

    /// The periods that the query keeps.
    pub fn periods(&self) -> Vec<PeriodCondition> {
        conditions::periods(&Tree::read(&self.query, &self.tables))
    }

    /// The query for the rows that the result is made of: of an aggregate, the rows that it adds up.
    pub fn rows_sql(&self) -> Option<String> {
        let mut query = (*self.query).clone();
        query.order_by = None;
        query.limit_clause = None;
        query.fetch = None;
        let SetExpr::Select(select) = &mut *query.body else {
            return Some(query.to_string());
        };
        if select.from.is_empty() {
            return None;
        }
        let is_one_row = !is_grouped(select)
            && (!tree::walk::aggregates(select, None).is_empty() || select.having.is_some());
        if is_one_row {
            select.projection = one();
            select.having = None;
            select.distinct = None;
        }
        Some(query.to_string())
    }

    /// Whether a private column is in a table of the query, or a table is unknown: then nothing is said of values
    /// that the query did not return.
    pub fn may_be_private(&self) -> bool {
        let tree = Tree::read(&self.query, &self.tables);
        tree.blocks
            .iter()
            .flat_map(|block| &block.sources)
            .any(|source| match &source.rows {
                tree::Rows::Table(table) => table.columns.iter().any(|column| column.is_private),
                tree::Rows::Result(_) => false,
                tree::Rows::Function | tree::Rows::Unknown => true,
            })
    }
}

/// `SELECT 1 AS found`
fn one() -> Vec<sqlparser::ast::SelectItem> {
    let parsed = tree::read_query("SELECT 1 AS found");
    let select = parsed.and_then(|query| match *query.body {
        SetExpr::Select(select) => Some(select.projection),
        _ => None,
    });
    select.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema_fixture::Build;
    use text2sql_language::sentences::result::facts::Role;

    fn facts(sql: &str) -> QueryFacts {
        let stores = Build::table(1, "stores")
            .columns("store_id integer!, name text!")
            .key(&["store_id"]);
        let orders = Build::table(2, "orders")
            .columns("order_id integer!, store_id integer!, total numeric")
            .key(&["order_id"])
            .refers("store_id", 1, "stores", "store_id");
        let campaigns = Build::table(3, "campaign_orders")
            .columns("campaign_id integer!, order_id integer!")
            .key(&["campaign_id", "order_id"])
            .refers("order_id", 2, "orders", "order_id");
        let posters = Build::table(4, "posters")
            .columns("poster_id integer!, title text!")
            .key(&["poster_id"]);
        let promotions = Build::table(5, "promotions")
            .columns("store_id integer!, poster_id integer!")
            .key(&["store_id", "poster_id"])
            .refers("store_id", 1, "stores", "store_id")
            .refers("poster_id", 4, "posters", "poster_id");
        let tables = [
            stores.done(),
            orders.done(),
            campaigns.done(),
            posters.done(),
            promotions.done(),
        ];
        ReadQuery::read(sql, &tables).expect("a query").facts
    }

    fn role(sql: &str) -> Role {
        facts(sql).outputs.last().expect("a column").role
    }

    #[test]
    fn only_sums_in_which_nothing_repeats_add_up() {
        let by_store = "SELECT s.name, sum(o.total) AS total FROM orders AS o JOIN stores AS s ON s.store_id = o.store_id GROUP BY s.name";
        assert_eq!(role(by_store), Role::Sum);
        // An order may be in several campaigns.
        let by_campaign = "SELECT c.campaign_id, sum(o.total) AS total FROM campaign_orders AS c JOIN orders AS o ON o.order_id = c.order_id GROUP BY c.campaign_id";
        assert_eq!(role(by_campaign), Role::Measure);
        // So may the store of a sum over what orders refer to, and a count of such pairs.
        let per_store = "SELECT p.title, sum(o.total) AS total FROM orders AS o JOIN stores AS s ON s.store_id = o.store_id JOIN promotions AS q ON q.store_id = s.store_id JOIN posters AS p ON p.poster_id = q.poster_id GROUP BY p.title";
        assert_eq!(role(per_store), Role::Measure);
        let of_pairs = "SELECT p.title, count(*) AS stores FROM stores AS s JOIN promotions AS q ON q.store_id = s.store_id JOIN posters AS p ON p.poster_id = q.poster_id GROUP BY p.title";
        assert_eq!(role(of_pairs), Role::DistinctCount);
        let orders = "SELECT s.name, count(*) AS orders FROM stores AS s JOIN orders AS o ON s.store_id = o.store_id GROUP BY s.name";
        assert_eq!(role(orders), Role::Count);
    }

    #[test]
    fn rows_of_subtotals_are_no_groups() {
        let sql = |groups: &str| {
            format!("SELECT o.store_id, sum(o.total) AS total FROM orders AS o GROUP BY {groups}")
        };
        assert!(facts(&sql("o.store_id")).is_grouped);
        for groups in [
            "ROLLUP (o.store_id)",
            "CUBE (o.store_id)",
            "GROUPING SETS ((o.store_id), ())",
        ] {
            assert!(!facts(&sql(groups)).is_grouped, "{groups}");
        }
    }
}
