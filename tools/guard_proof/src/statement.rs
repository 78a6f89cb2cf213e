//! Whole statements: most of them such as an analyst writes, some such as an attacker does.

use crate::catalog::{Function, Kind, Operator, TypeId};
use crate::expression::{BOOLEAN, INTEGER, JSONB, TEXT, Visible, Writer};

/// A query and its columns, which are `c1`, `c2`, ….
struct Query {
    text: String,
    types: Vec<TypeId>,
}

/// Deepest nesting of queries.
const DEPTH: usize = 2;

impl Writer<'_> {
    /// A statement with the function in its select list or FROM clause.
    pub(crate) fn featuring(&mut self, function: &Function) -> Option<String> {
        self.visible.clear();
        let from = self.from(DEPTH)?;
        if function.gives_rows && function.kind == Kind::Plain && self.random.percent(60) {
            let call = self.call(function, 1)?;
            let condition = self.value(BOOLEAN, 1)?;
            return Some(format!(
                "SELECT f.* FROM {from} CROSS JOIN LATERAL {call} AS f WHERE {condition} LIMIT 50"
            ));
        }
        let call = self.call(function, 1)?;
        let with = self.prelude()?;
        Some(match function.kind {
            Kind::Aggregate | Kind::OrderedSet(_)
                if self.random.percent(30) && function.kind == Kind::Aggregate =>
            {
                // Only the plain form of an aggregate can be a window function.
                let window = self.window()?;
                let plain = call.split(" FILTER ").next().unwrap_or_default();
                format!("{with}SELECT {plain} OVER ({window}) AS x FROM {from} LIMIT 100")
            }
            Kind::Aggregate | Kind::OrderedSet(_) => {
                let groups = self.groups()?;
                format!("{with}SELECT {call} AS x, count(*) FROM {from}{groups}")
            }
            Kind::Plain | Kind::Window => {
                let tail = self.tail()?;
                let second = self.any_type();
                let second = self.value(second, 2)?;
                format!("{with}SELECT {call} AS x, {second} AS y FROM {from}{tail}")
            }
        })
    }

    /// A statement with the operator in its condition or its select list.
    pub(crate) fn featuring_operator(&mut self, operator: &Operator) -> Option<String> {
        self.visible.clear();
        let from = self.from(1)?;
        let operation = self.operation(operator, 1)?;
        let tail = self.tail()?;
        Some(if operator.result == BOOLEAN && self.random.percent(50) {
            format!("SELECT count(*) FROM {from} WHERE {operation}")
        } else {
            format!("SELECT {operation} AS x FROM {from}{tail}")
        })
    }

    /// Any statement.
    pub(crate) fn free(&mut self) -> Option<String> {
        self.visible.clear();
        self.query(DEPTH).map(|query| query.text)
    }

    fn query(&mut self, depth: usize) -> Option<Query> {
        let before = self.visible.len();
        let query = match self.random.below(10) {
            0..5 => self.plain(depth),
            5..7 => self.grouped(depth),
            7 => self.set_operation(depth),
            8 if depth > 0 => self.with(depth),
            _ => self.recursive(),
        };
        self.visible.truncate(before);
        query
    }

    fn plain(&mut self, depth: usize) -> Option<Query> {
        let from = self.from(depth)?;
        let (list, types) = self.select_list(depth)?;
        let tail = self.tail()?;
        let distinct = if self.random.percent(10) {
            "DISTINCT "
        } else {
            ""
        };
        Some(Query {
            text: format!("SELECT {distinct}{list} FROM {from}{tail}"),
            types,
        })
    }

    fn select_list(&mut self, depth: usize) -> Option<(String, Vec<TypeId>)> {
        let mut types = Vec::new();
        let mut list = Vec::new();
        for number in 1..=1 + self.random.below(4) {
            let type_id = self.any_type();
            list.push(format!("{} AS c{number}", self.value(type_id, depth + 1)?));
            types.push(type_id);
        }
        Some((list.join(", "), types))
    }

    fn grouped(&mut self, depth: usize) -> Option<Query> {
        let from = self.from(depth)?;
        let type_id = self.any_type();
        let key = self.value(type_id, 1)?;
        let catalog = self.catalog;
        let aggregates: Vec<&Function> = catalog
            .functions
            .iter()
            .filter(|function| function.kind == Kind::Aggregate && function.is_reviewed)
            .filter(|function| catalog.types.contains_key(&function.result))
            .collect();
        let aggregate = *self.random.pick(&aggregates)?;
        let call = self.call(aggregate, 2)?;
        let how = self.random.word(&[
            "1",
            "ROLLUP (1)",
            "1",
            "CUBE (1)",
            "GROUPING SETS ((1), ())",
        ]);
        // Ordinals do not reach into grouping sets.
        let group = how.replace('1', if how == "1" { "1" } else { &key });
        Some(Query {
            text: format!(
                "SELECT {key} AS c1, {call} AS c2 FROM {from} GROUP BY {group} HAVING count(*) > 0"
            ),
            types: vec![type_id, aggregate.result],
        })
    }

    fn set_operation(&mut self, depth: usize) -> Option<Query> {
        let from = self.from(depth.saturating_sub(1))?;
        let (list, types) = self.select_list(1)?;
        let how = self
            .random
            .word(&["UNION ALL", "UNION", "EXCEPT", "INTERSECT", "EXCEPT ALL"]);
        let values: Option<Vec<String>> = types.iter().map(|id| self.literal(*id)).collect();
        Some(Query {
            text: format!(
                "SELECT {list} FROM {from} {how} SELECT {}",
                values?.join(", ")
            ),
            types,
        })
    }

    fn with(&mut self, depth: usize) -> Option<Query> {
        let inner = self.query(depth - 1)?;
        let name = self.fresh("w");
        let alias = self.fresh("a");
        let before = self.visible.len();
        self.show(&alias, &inner.types);
        let selected = self.select_list(1);
        let tail = self.tail();
        self.visible.truncate(before);
        let (list, types) = selected?;
        let kind = self
            .random
            .word(&["", "", "MATERIALIZED ", "NOT MATERIALIZED "]);
        let text = format!(
            "WITH {name} AS {kind}({}) SELECT {list} FROM {name} AS {alias}{}",
            inner.text, tail?
        );
        Some(Query { text, types })
    }

    fn recursive(&mut self) -> Option<Query> {
        let name = self.fresh("r");
        let last = 1 + self.random.below(20);
        let how = self.random.word(&[
            "",
            " SEARCH BREADTH FIRST BY n SET o",
            " CYCLE n SET y USING p",
        ]);
        let before = self.visible.len();
        self.visible.push(Visible {
            text: format!("{name}.n"),
            type_id: INTEGER,
        });
        let value = self.value(INTEGER, 2);
        self.visible.truncate(before);
        Some(Query {
            text: format!(
                "WITH RECURSIVE {name}(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM {name} WHERE n < {last}){how} \
                 SELECT {} AS c1 FROM {name}",
                value?
            ),
            types: vec![INTEGER],
        })
    }

    /// Sometimes a CTE in front.
    fn prelude(&mut self) -> Option<String> {
        if !self.random.percent(10) {
            return Some(String::new());
        }
        let hidden = std::mem::take(&mut self.visible);
        let inner = self.query(1);
        self.visible = hidden;
        Some(format!("WITH unused AS ({}) ", inner?.text))
    }

    fn show(&mut self, alias: &str, types: &[TypeId]) {
        for (index, type_id) in types.iter().enumerate() {
            self.visible.push(Visible {
                text: format!("{alias}.c{}", index + 1),
                type_id: *type_id,
            });
        }
    }

    /// One to three items; their columns come into sight.
    fn from(&mut self, depth: usize) -> Option<String> {
        let mut text = self.item(depth)?;
        for _ in 0..self.random.below(3) {
            let lateral = self.visible.len();
            let item = self.item(depth.saturating_sub(1))?;
            if self.random.percent(40) {
                let condition = self.value(BOOLEAN, 1)?;
                let how = self.random.word(&["JOIN", "LEFT JOIN"]);
                text = format!("{text} {how} {item} ON {condition}");
            } else {
                text = format!("{text} CROSS JOIN {item}");
            }
            // A product of three tables is enough work.
            if lateral > 60 {
                break;
            }
        }
        Some(text)
    }

    fn item(&mut self, depth: usize) -> Option<String> {
        let catalog = self.catalog;
        let alias = self.fresh("t");
        match self.random.below(10) {
            0 => {
                self.show(&alias, &[INTEGER]);
                Some(format!("generate_series(1, 5) AS {alias}(c1)"))
            }
            1 => {
                let type_id = self.any_type();
                let (one, other) = (self.literal(type_id)?, self.literal(type_id)?);
                self.show(&alias, &[type_id]);
                Some(format!("(VALUES ({one}), ({other})) AS {alias}(c1)"))
            }
            4 if catalog.major >= 17 && depth > 0 => {
                let document = self.value(JSONB, depth - 1)?;
                self.show(&alias, &[INTEGER, TEXT]);
                Some(format!(
                    "JSON_TABLE({document}, '$[*]' COLUMNS (c1 FOR ORDINALITY, c2 text PATH '$.a')) AS {alias}"
                ))
            }
            2 if depth > 0 => {
                let hidden = std::mem::take(&mut self.visible);
                let inner = self.query(depth - 1);
                self.visible = hidden;
                let inner = inner?;
                self.show(&alias, &inner.types);
                Some(format!("({}) AS {alias}", inner.text))
            }
            3 if depth > 0 => {
                let inner = self.query(depth - 1)?;
                self.show(&alias, &inner.types);
                Some(format!(
                    "LATERAL (SELECT * FROM ({}) AS b LIMIT 3) AS {alias}",
                    inner.text
                ))
            }
            _ => {
                let relation = self.random.pick(&catalog.relations)?;
                for column in &relation.columns {
                    self.visible.push(Visible {
                        text: format!("{alias}.{}", column.name),
                        type_id: column.type_id,
                    });
                }
                Some(format!("{} AS {alias}", relation.name))
            }
        }
    }

    fn groups(&mut self) -> Option<String> {
        Some(match self.random.below(4) {
            0 => String::new(),
            1 => format!(" GROUP BY {}", self.value(INTEGER, 1)?),
            2 => format!(" GROUP BY ROLLUP ({})", self.value(INTEGER, 1)?),
            _ => format!(" WHERE {}", self.value(BOOLEAN, 2)?),
        })
    }

    fn tail(&mut self) -> Option<String> {
        let mut tail = String::new();
        if self.random.percent(50) {
            tail = format!(" WHERE {}", self.value(BOOLEAN, 2)?);
        }
        if self.random.percent(20) {
            tail.push_str(" ORDER BY 1 DESC NULLS LAST");
        }
        if self.random.percent(70) {
            tail.push_str(" LIMIT 20");
        }
        Some(tail)
    }
}
