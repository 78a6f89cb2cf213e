//! The joins of a definition: as people write them, and which of them keep the rows of the definition's table
//! as they are.
//!
//! A join is written as a path of tables (`orders -> customers -> countries`), along foreign keys and accepted
//! joins, or as equal columns (`orders.customer_id = customers.customer_id`).

use std::sync::Arc;

use text2sql_domain::schema::{DefinitionJoin, Table, TableName, quote_identifier};

/// Maximum number of joined tables.
pub const MAX_JOINS: usize = 12;

/// One element of `joins`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// Names of tables, each joined to the next.
    Path(Vec<String>),
    /// Names of columns that are equal.
    Columns(Vec<(String, String)>),
}

/// A join whose names were resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Along the only key between two tables, by OID.
    Between(u32, u32),
    /// Equal columns of two tables, by OID and name.
    Columns(Vec<[(u32, String); 2]>),
}

/// Why a path cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// Why.
    pub detail: Option<String>,
    /// Joins that can be used instead, as elements of the argument.
    pub instead: Vec<String>,
    /// What to do where nothing can be used instead.
    pub advice: Option<String>,
}

/// Reads one element of `joins`.
pub fn read(text: &str) -> Result<Written, String> {
    let unreadable = || {
        format!(
            "\"{}\" is neither a path of tables nor equal columns",
            text.trim()
        )
    };
    let path = split_outside_quotes(text, "->");
    if path.len() > 1 {
        let names: Vec<String> = path.iter().map(|name| name.trim().to_owned()).collect();
        return match names.iter().all(|name| is_name(name)) {
            true => Ok(Written::Path(names)),
            false => Err(unreadable()),
        };
    }
    let mut pairs = Vec::new();
    for condition in split_outside_quotes(text, " and ") {
        let sides = split_outside_quotes(condition, "=");
        let [one, other] = sides.as_slice() else {
            return Err(unreadable());
        };
        let (one, other) = (one.trim(), other.trim());
        if !is_name(one) || !is_name(other) || !one.contains('.') || !other.contains('.') {
            return Err(unreadable());
        }
        pairs.push((one.to_owned(), other.to_owned()));
    }
    Ok(Written::Columns(pairs))
}

/// The parts between separators that are in no quoted name, whatever their case.
fn split_outside_quotes<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut start, mut is_quoted) = (0, false);
    let mut place = 0;
    while let Some(first) = text.get(place..).and_then(|rest| rest.chars().next()) {
        let here = text.get(place..place + separator.len());
        if first == '"' {
            is_quoted = !is_quoted;
        } else if !is_quoted && here.is_some_and(|here| same_word(here, separator)) {
            parts.extend(text.get(start..place));
            place += separator.len();
            start = place;
            continue;
        }
        place += first.len_utf8();
    }
    parts.extend(text.get(start..));
    parts
}

/// Whether two texts are equal but for case and the kind of white space.
fn same_word(one: &str, other: &str) -> bool {
    one.chars().count() == other.chars().count()
        && one
            .chars()
            .zip(other.chars())
            .all(|(a, b)| a.eq_ignore_ascii_case(&b) || (a.is_whitespace() && b.is_whitespace()))
}

/// Whether the text looks like a name of SQL, with quoted parts or without.
fn is_name(text: &str) -> bool {
    let mut is_quoted = false;
    for c in text.chars() {
        if c == '"' {
            is_quoted = !is_quoted;
        } else if !is_quoted && !c.is_alphanumeric() && !matches!(c, '_' | '$' | '.') {
            return false;
        }
    }
    !text.is_empty() && !is_quoted
}

/// The steps from the table that a definition applies to, or why they cannot be used. `tables` describes all
/// tables that are named.
pub fn steps(
    base: u32,
    tables: &[Arc<Table>],
    asked: &[Asked],
) -> Result<Vec<DefinitionJoin>, Refusal> {
    let mut path = Path {
        tables,
        base: described(tables, base)?,
        steps: Vec::new(),
    };
    for join in asked {
        path.add(join)?;
    }
    Ok(path.steps)
}

fn described(tables: &[Arc<Table>], oid: u32) -> Result<&Table, Refusal> {
    let found = tables.iter().find(|table| table.oid == oid);
    found.map(Arc::as_ref).ok_or_else(|| Refusal {
        message: "a table of the path cannot be read".to_owned(),
        ..Refusal::default()
    })
}

/// A key between two tables, from the first to the second.
struct Edge {
    columns: Vec<(String, String)>,
}

/// A path while it is built.
struct Path<'a> {
    tables: &'a [Arc<Table>],
    base: &'a Table,
    steps: Vec<DefinitionJoin>,
}

impl Path<'_> {
    fn has(&self, oid: u32) -> bool {
        self.base.oid == oid || self.steps.iter().any(|step| step.to.oid == oid)
    }

    fn add(&mut self, join: &Asked) -> Result<(), Refusal> {
        let (from, to, edge) = match join {
            Asked::Between(from, to) => {
                let known = self
                    .steps
                    .iter()
                    .any(|step| step.from.oid == *from && step.to.oid == *to);
                // Two paths may begin with the same steps.
                if known {
                    return Ok(());
                }
                let (from, to) = (described(self.tables, *from)?, described(self.tables, *to)?);
                self.check_new(from, to)?;
                (from, to, only_key(from, to)?)
            }
            Asked::Columns(pairs) => {
                let Some([one, other]) = pairs.first() else {
                    return Ok(());
                };
                let (mut from, mut to) = (one.0, other.0);
                if !self.has(from) && self.has(to) {
                    (from, to) = (to, from);
                }
                let mut columns = Vec::new();
                for [one, other] in pairs {
                    columns.push(match (one.0 == from, other.0 == to) {
                        (true, true) => (one.1.clone(), other.1.clone()),
                        _ if one.0 == to && other.0 == from => (other.1.clone(), one.1.clone()),
                        _ => {
                            return Err(Refusal {
                                message: "one join compares columns of more than two tables"
                                    .to_owned(),
                                ..Refusal::default()
                            });
                        }
                    });
                }
                let (from, to) = (described(self.tables, from)?, described(self.tables, to)?);
                self.check_new(from, to)?;
                (from, to, Edge { columns })
            }
        };
        self.check_single(from, to, &edge)?;
        self.steps.push(DefinitionJoin {
            from: named(from),
            to: named(to),
            columns: edge.columns,
        });
        Ok(())
    }

    /// Refuses a step that does not go from a table of the path to a new one.
    fn check_new(&self, from: &Table, to: &Table) -> Result<(), Refusal> {
        let refused = |message: String| {
            Err(Refusal {
                message,
                ..Refusal::default()
            })
        };
        let (own, other) = (qualified(from), qualified(to));
        if from.oid == to.oid {
            return refused(format!("{own} is joined with itself"));
        }
        if !self.has(from.oid) {
            return Err(Refusal {
                message: format!("the join from {own} does not continue the path"),
                detail: Some(format!(
                    "A path begins at {}, the table whose rows the definition is about, or at a table that an earlier join added.",
                    qualified(self.base)
                )),
                ..Refusal::default()
            });
        }
        if self.has(to.oid) {
            return refused(format!("{other} is joined twice"));
        }
        let names = self.steps.iter().map(|step| step.to.name.as_str());
        if names
            .chain([self.base.name.as_str()])
            .any(|name| name == to.name)
        {
            return refused(format!(
                "two tables of the path are called {}",
                quote_identifier(&to.name)
            ));
        }
        match self.steps.len() < MAX_JOINS {
            true => Ok(()),
            false => refused(format!("the path has more than {MAX_JOINS} joins")),
        }
    }

    /// Refuses a step that repeats rows: each row must meet at most one of the next table.
    fn check_single(&self, from: &Table, to: &Table, edge: &Edge) -> Result<(), Refusal> {
        let own: Vec<String> = edge.columns.iter().map(|(own, _)| own.clone()).collect();
        let other: Vec<String> = edge
            .columns
            .iter()
            .map(|(_, other)| other.clone())
            .collect();
        if is_key(to, &other) {
            return Ok(());
        }
        let (base, many) = (qualified(self.base), qualified(to));
        let columns: Vec<String> = other.iter().map(|name| quote_identifier(name)).collect();
        let detail = format!(
            "Each row of {base} would be counted once for each of its rows in {many}, because no primary key and no unique index of {many} says that ({}) is there once.",
            columns.join(", ")
        );
        let (instead, advice) = match is_key(from, &own) {
            true => (self.reversed(from, to, edge), None),
            false => (
                Vec::new(),
                Some(format!(
                    "Declare what is unique: CREATE UNIQUE INDEX ON {many} ({}). Or ask for such rows in a condition: EXISTS (SELECT FROM {many} WHERE …)",
                    columns.join(", ")
                )),
            ),
        };
        Err(Refusal {
            message: format!("the join with {many} repeats rows of {base}"),
            detail: Some(detail),
            instead,
            advice,
        })
    }

    /// The same path from its other end, where the rows of `to` are counted.
    fn reversed(&self, from: &Table, to: &Table, edge: &Edge) -> Vec<String> {
        let mut joins = vec![condition(from, to, edge)];
        let mut here = from.oid;
        while let Some(step) = self.steps.iter().find(|step| step.to.oid == here) {
            joins.push(step.condition());
            here = step.from.oid;
        }
        joins
    }
}

/// The only key between two tables.
fn only_key(from: &Table, to: &Table) -> Result<Edge, Refusal> {
    let mut edges: Vec<Edge> = Vec::new();
    for key in from.foreign_keys.iter().filter(|key| key.target == to.oid) {
        let columns = key.columns.iter().cloned();
        edges.push(Edge {
            columns: columns.zip(key.target_columns.iter().cloned()).collect(),
        });
    }
    for key in to.foreign_keys.iter().filter(|key| key.target == from.oid) {
        let columns = key.target_columns.iter().cloned();
        edges.push(Edge {
            columns: columns.zip(key.columns.iter().cloned()).collect(),
        });
    }
    let (own, other) = (qualified(from), qualified(to));
    if edges.len() > 1 {
        return Err(Refusal {
            message: format!("{own} and {other} are connected in several ways"),
            detail: Some("A path names tables, and does not say which key is meant.".to_owned()),
            advice: Some(format!(
                "Name the columns: joins => '{{\"{}\"}}'",
                edges
                    .first()
                    .map(|edge| condition(from, to, edge))
                    .unwrap_or_default()
            )),
            ..Refusal::default()
        });
    }
    edges.pop().ok_or_else(|| Refusal {
        message: format!("no foreign key and no accepted join connects {own} and {other}"),
        advice: Some(format!(
            "Name the columns: joins => '{{\"{0}.… = {1}.…\"}}', or declare the join: SELECT text2sql.add_join('{{{own}.…}}', '{{{other}.…}}');",
            quote_identifier(&from.name),
            quote_identifier(&to.name)
        )),
        ..Refusal::default()
    })
}

fn condition(from: &Table, to: &Table, edge: &Edge) -> String {
    DefinitionJoin {
        from: named(from),
        to: named(to),
        columns: edge.columns.clone(),
    }
    .condition()
}

/// Whether at most one row has the same values in these columns.
fn is_key(table: &Table, columns: &[String]) -> bool {
    let holds =
        |key: &Vec<String>| !key.is_empty() && key.iter().all(|column| columns.contains(column));
    holds(&table.primary_key) || table.unique_keys.iter().any(holds)
}

fn named(table: &Table) -> TableName {
    TableName {
        oid: table.oid,
        schema: table.schema.clone(),
        name: table.name.clone(),
        is_visible: false,
    }
}

fn qualified(table: &Table) -> String {
    named(table).sql_name()
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema::ForeignKey;

    fn table(oid: u32, name: &str, keys: &[(&str, u32, &str)]) -> Arc<Table> {
        Arc::new(Table {
            oid,
            schema: "shop".to_owned(),
            name: name.to_owned(),
            primary_key: vec!["id".to_owned()],
            foreign_keys: keys
                .iter()
                .map(|(column, target, target_column)| ForeignKey {
                    columns: vec![(*column).to_owned()],
                    target: *target,
                    target_columns: vec![(*target_column).to_owned()],
                    ..ForeignKey::default()
                })
                .collect(),
            ..Table::default()
        })
    }

    fn shop() -> Vec<Arc<Table>> {
        vec![
            table(1, "countries", &[]),
            table(2, "customers", &[("country", 1, "id")]),
            table(
                3,
                "orders",
                &[("customer", 2, "id"), ("ship", 5, "id"), ("bill", 5, "id")],
            ),
            table(4, "items", &[("order_id", 3, "id")]),
            table(5, "addresses", &[]),
        ]
    }

    #[test]
    fn joins_are_paths_or_equal_columns() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(
            read("shop.orders -> \"Cust -> omers\"->countries").unwrap(),
            Written::Path(names(&["shop.orders", "\"Cust -> omers\"", "countries"]))
        );
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(
            read("a.x = b.y AND a.\"z and = w\"=b.w").unwrap(),
            Written::Columns(vec![pair("a.x", "b.y"), pair("a.\"z and = w\"", "b.w")])
        );
        for text in [
            "",
            "orders",
            "a.x = 1 + b.y",
            "a.x < b.y",
            "x = y",
            "a -> ",
            "a -> b; c",
            "a.x = b.y OR 1 = 1",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_path_goes_to_one_row_at_a_time() {
        let found = steps(
            3,
            &shop(),
            &[
                Asked::Between(3, 2),
                Asked::Between(2, 1),
                Asked::Between(3, 2),
            ],
        )
        .unwrap();
        let conditions: Vec<String> = found.iter().map(DefinitionJoin::condition).collect();
        assert_eq!(
            conditions,
            [
                "customers.id = orders.customer",
                "countries.id = customers.country"
            ]
        );
        let written = [[(1, "id".to_owned()), (2, "country".to_owned())]];
        let found = steps(2, &shop(), &[Asked::Columns(written.to_vec())]).unwrap();
        assert_eq!(found[0].condition(), "countries.id = customers.country");
    }

    #[test]
    fn a_path_that_repeats_rows_is_refused_with_its_other_end() {
        let refused = steps(2, &shop(), &[Asked::Between(2, 3), Asked::Between(3, 4)]).unwrap_err();
        assert_eq!(
            refused.message,
            "the join with shop.orders repeats rows of shop.customers"
        );
        assert_eq!(refused.instead, ["orders.customer = customers.id"]);
        let refused = steps(3, &shop(), &[Asked::Between(3, 2), Asked::Between(3, 4)]).unwrap_err();
        assert!(refused.detail.unwrap().contains("(order_id) is there once"));
        let pair = [(3, "customer".to_owned()), (2, "country".to_owned())];
        let refused = steps(3, &shop(), &[Asked::Columns(vec![pair])]).unwrap_err();
        assert!(
            refused.instead.is_empty() && refused.advice.unwrap().contains("CREATE UNIQUE INDEX")
        );
    }

    #[test]
    fn a_path_is_connected_and_says_which_key() {
        let why = |base: u32, asked: &[Asked]| steps(base, &shop(), asked).unwrap_err().message;
        assert_eq!(
            why(3, &[Asked::Between(3, 5)]),
            "shop.orders and shop.addresses are connected in several ways"
        );
        assert_eq!(
            why(3, &[Asked::Between(3, 1)]),
            "no foreign key and no accepted join connects shop.orders and shop.countries"
        );
        assert_eq!(
            why(4, &[Asked::Between(3, 2)]),
            "the join from shop.orders does not continue the path"
        );
        assert_eq!(
            why(3, &[Asked::Between(3, 3)]),
            "shop.orders is joined with itself"
        );
        let back = [(2, "id".to_owned()), (3, "customer".to_owned())];
        assert_eq!(
            why(3, &[Asked::Between(3, 2), Asked::Columns(vec![back])]),
            "shop.orders is joined twice"
        );
    }
}
