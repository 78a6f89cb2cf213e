//! Compiled statements against a naive evaluation, over random meanings and random rows of a small database.

mod naive;

use std::error::Error;
use std::sync::Arc;

use postgres::{Client, SimpleQueryMessage};
use text2sql_domain::schema::{Table, TypeCategory};
use text2sql_semantics::{
    Aggregate, Answer, ColumnRef, Condition, Dimension, Expression, Function, Key, Literal,
    Measure, Operator, Related, SemanticQuery, Shown, Step, TableRef, Value, compile,
};

use self::naive::{Cell, Row, Rows, evaluate};

const SCHEMA: &str = "semantic_random";

const TABLES: &str = "
    CREATE TABLE region (id int PRIMARY KEY, name text);
    CREATE TABLE client (id int PRIMARY KEY, region_id int REFERENCES region, name text NOT NULL, vip boolean);
    CREATE TABLE sale (id int PRIMARY KEY, client_id int NOT NULL REFERENCES client, amount int, day date NOT NULL);
    CREATE TABLE part (sale_id int REFERENCES sale, no int, pieces int NOT NULL, kind text, PRIMARY KEY (sale_id, no));
    CREATE TABLE note (id int PRIMARY KEY, sale_id int, no int, weight int, FOREIGN KEY (sale_id, no) REFERENCES part);
";

/// A random choice that can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % most.max(1)
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}

/// Compares that many meanings; fails on the first that differs.
pub(crate) fn compare(client: &mut Client, count: usize) -> Result<String, Box<dyn Error>> {
    client.batch_execute(&format!(
        "DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}; SET search_path = {SCHEMA}; {TABLES}"
    ))?;
    let tables: Vec<Arc<Table>> = practice_catalog::read_tables(client)?
        .into_iter()
        .filter(|table| table.schema == SCHEMA)
        .collect();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let (mut compared, mut refused) = (0, 0);
    let mut rows = Rows::new();
    for round in 0..count {
        if round % 20 == 0 {
            rows = fill(client, &mut dice)?;
        }
        let query = meaning(&mut dice, &tables);
        let Ok(compiled) = compile(&query, &tables) else {
            refused += 1;
            continue;
        };
        let theirs = run(client, &compiled.sql)
            .map_err(|error| format!("{error}\n{}\n{query:?}", compiled.sql))?;
        let ours = evaluate(&query, &rows);
        if ours != theirs {
            return Err(format!(
                "{}\n{query:?}\nnaive: {ours:?}\nserver: {theirs:?}",
                compiled.sql
            )
            .into());
        }
        compared += 1;
    }
    client.batch_execute(&format!("DROP SCHEMA {SCHEMA} CASCADE"))?;
    Ok(format!(
        "{compared} meanings evaluated alike, {refused} refused"
    ))
}

/// New rows in the database, and the same here.
fn fill(client: &mut Client, dice: &mut Dice) -> Result<Rows, Box<dyn Error>> {
    let mut rows = Rows::new();
    let counts = [
        dice.below(4),
        1 + dice.below(6),
        1 + dice.below(12),
        dice.below(20),
        dice.below(15),
    ];
    let [regions, clients, sales, parts, notes] = counts;
    let text = |dice: &mut Dice| match dice.below(4) {
        0 => Cell::Null,
        letter => Cell::Text(
            ["a", "b", "c"]
                .get(letter - 1)
                .copied()
                .unwrap_or("a")
                .to_owned(),
        ),
    };
    let number = |dice: &mut Dice| match dice.below(5) {
        0 => Cell::Null,
        number => Cell::Number(number as f64),
    };
    let own = |at: usize| Cell::Number(at as f64);
    let row = |cells: Vec<(&str, Cell)>| -> Row {
        cells
            .into_iter()
            .map(|(name, cell)| (name.to_owned(), cell))
            .collect()
    };
    let reference = |dice: &mut Dice, count: usize, may_miss: bool| match dice.below(4) {
        0 if may_miss => Cell::Null,
        _ if count == 0 => Cell::Null,
        _ => Cell::Number(dice.below(count) as f64),
    };
    let mut add = |name: &str, row: Row| rows.entry(name.to_owned()).or_default().push(row);
    for at in 0..regions {
        add("region", row(vec![("id", own(at)), ("name", text(dice))]));
    }
    for at in 0..clients {
        let vip = match dice.below(3) {
            0 => Cell::Null,
            one => Cell::Truth(one == 1),
        };
        let name = Cell::Text(
            ["a", "b"]
                .get(dice.below(2))
                .copied()
                .unwrap_or("a")
                .to_owned(),
        );
        let region = reference(dice, regions, true);
        add(
            "client",
            row(vec![
                ("id", own(at)),
                ("region_id", region),
                ("name", name),
                ("vip", vip),
            ]),
        );
    }
    for at in 0..sales {
        let client = reference(dice, clients, false);
        let day = Cell::Text(format!("2025-0{}-11", 1 + dice.below(4)));
        add(
            "sale",
            row(vec![
                ("id", own(at)),
                ("client_id", client),
                ("amount", number(dice)),
                ("day", day),
            ]),
        );
    }
    let mut keys: Vec<(usize, usize)> = Vec::new();
    for _ in 0..parts {
        let key = (dice.below(sales), dice.below(3));
        if keys.contains(&key) {
            continue;
        }
        keys.push(key);
        let pieces = Cell::Number(dice.below(5) as f64);
        add(
            "part",
            row(vec![
                ("sale_id", own(key.0)),
                ("no", own(key.1)),
                ("pieces", pieces),
                ("kind", text(dice)),
            ]),
        );
    }
    for at in 0..notes {
        let key = match dice.below(4) {
            0 => None,
            _ => dice.one(&keys).copied(),
        };
        let of = |part: Option<usize>| part.map_or(Cell::Null, |part| Cell::Number(part as f64));
        add(
            "note",
            row(vec![
                ("id", own(at)),
                ("sale_id", of(key.map(|key| key.0))),
                ("no", of(key.map(|key| key.1))),
                ("weight", number(dice)),
            ]),
        );
    }
    let mut script = "TRUNCATE region, client, sale, part, note;".to_owned();
    for name in ["region", "client", "sale", "part", "note"] {
        for row in rows.entry(name.to_owned()).or_default() {
            let columns: Vec<&str> = row.keys().map(String::as_str).collect();
            let cells: Vec<String> = row
                .values()
                .map(|cell| match cell {
                    Cell::Null => "NULL".to_owned(),
                    Cell::Number(number) => number.to_string(),
                    Cell::Text(text) => format!("'{text}'"),
                    Cell::Truth(truth) => truth.to_string(),
                })
                .collect();
            script.push_str(&format!(
                "INSERT INTO {name} ({}) VALUES ({});",
                columns.join(", "),
                cells.join(", ")
            ));
        }
    }
    client.batch_execute(&script)?;
    Ok(rows)
}

fn table_ref(name: &str) -> TableRef {
    TableRef {
        schema: SCHEMA.to_owned(),
        name: name.to_owned(),
    }
}

/// The step from a table along its key.
fn step_from(name: &str) -> Option<Step> {
    let (to, keys): (&str, &[(&str, &str)]) = match name {
        "client" => ("region", &[("region_id", "id")]),
        "sale" => ("client", &[("client_id", "id")]),
        "part" => ("sale", &[("sale_id", "id")]),
        "note" => ("part", &[("sale_id", "sale_id"), ("no", "no")]),
        _ => return None,
    };
    let key = keys.iter().map(|(own, other)| Key {
        own: (*own).to_owned(),
        other: (*other).to_owned(),
    });
    Some(Step {
        to: table_ref(to),
        key: key.collect(),
        fans_out: false,
    })
}

/// The path from one table up to the other.
fn path_to(from: &str, to: &str) -> Option<Vec<Step>> {
    let (mut at, mut path) = (from.to_owned(), Vec::new());
    while at != to {
        let step = step_from(&at)?;
        at = step.to.name.clone();
        path.push(step);
    }
    Some(path)
}

const NAMES: [&str; 5] = ["region", "client", "sale", "part", "note"];

/// A column that is reached from the table, of one of the categories.
fn column(
    dice: &mut Dice,
    tables: &[Arc<Table>],
    from: &str,
    wanted: &[TypeCategory],
) -> Option<ColumnRef> {
    for _ in 0..20 {
        let to = *dice.one(&NAMES)?;
        let Some(path) = path_to(from, to) else {
            continue;
        };
        let table = tables.iter().find(|table| table.name == to)?;
        let columns: Vec<&str> = table
            .columns
            .iter()
            .filter(|column| wanted.contains(&column.category))
            .map(|column| column.name.as_str())
            .collect();
        if let Some(name) = dice.one(&columns) {
            return Some(ColumnRef {
                path,
                column: (*name).to_owned(),
            });
        }
    }
    None
}

fn conditions(
    dice: &mut Dice,
    tables: &[Arc<Table>],
    subject: &str,
    depth: usize,
) -> Vec<Condition> {
    let mut found = Vec::new();
    for _ in 0..dice.below(3) {
        found.extend(condition(dice, tables, subject, depth));
    }
    found
}

fn condition(
    dice: &mut Dice,
    tables: &[Arc<Table>],
    subject: &str,
    depth: usize,
) -> Option<Condition> {
    let is_negated = dice.below(2) == 0;
    let numbers = [TypeCategory::Integer];
    let operators = [
        Operator::Equal,
        Operator::NotEqual,
        Operator::Less,
        Operator::AtMost,
        Operator::Greater,
        Operator::AtLeast,
    ];
    let operator = *dice.one(&operators)?;
    let number = Literal::Number(dice.below(4).to_string());
    Some(match dice.below(8) {
        0 => Condition::Compare {
            left: Expression::Column(column(dice, tables, subject, &numbers)?),
            operator,
            right: number,
        },
        1 => {
            let values = ["a", "b", "c"]
                .iter()
                .take(1 + dice.below(2))
                .map(|one| Literal::Text((*one).to_owned()));
            let values = values.collect();
            Condition::OneOf {
                column: column(dice, tables, subject, &[TypeCategory::Text])?,
                values,
                is_negated,
            }
        }
        2 => Condition::Null {
            column: column(
                dice,
                tables,
                subject,
                &[TypeCategory::Integer, TypeCategory::Text],
            )?,
            is_negated,
        },
        3 => Condition::Truth {
            column: column(dice, tables, subject, &[TypeCategory::Boolean])?,
            is_negated,
        },
        4 => Condition::Period {
            column: column(dice, tables, subject, &[TypeCategory::Date])?,
            from: Some("2025-02-01".to_owned()),
            before: is_negated.then(|| "2025-04-01".to_owned()),
        },
        5 if depth == 0 => {
            let (table, link) = referring(dice, subject)?;
            let conditions = conditions(dice, tables, table, 1);
            Condition::Exists {
                table: table_ref(table),
                link,
                of: Vec::new(),
                conditions,
                is_negated,
            }
        }
        6 if depth == 0 => Condition::Compare {
            left: related(dice, tables, subject)?,
            operator,
            right: number,
        },
        _ => Condition::CompareColumns {
            left: Expression::Column(column(dice, tables, subject, &numbers)?),
            operator: if operator == Operator::NotEqual {
                Operator::Less
            } else {
                operator
            },
            right: Expression::Column(column(dice, tables, subject, &numbers)?),
        },
    })
}

fn referring(dice: &mut Dice, subject: &str) -> Option<(&'static str, Vec<Step>)> {
    let below: Vec<(&str, Vec<Step>)> = NAMES
        .iter()
        .filter_map(|name| Some((*name, path_to(name, subject)?)))
        .filter(|(_, path)| !path.is_empty())
        .collect();
    dice.one(&below).cloned()
}

fn related(dice: &mut Dice, tables: &[Arc<Table>], subject: &str) -> Option<Expression> {
    let (table, link) = referring(dice, subject)?;
    let (function, of) = function(dice, tables, table)?;
    let conditions = conditions(dice, tables, table, 1);
    Some(Expression::Related(Box::new(Related {
        table: table_ref(table),
        link,
        function,
        of,
        conditions,
    })))
}

fn function(
    dice: &mut Dice,
    tables: &[Arc<Table>],
    from: &str,
) -> Option<(Function, Option<Expression>)> {
    let functions = [
        Function::Count,
        Function::CountDistinct,
        Function::Sum,
        Function::Average,
        Function::Minimum,
        Function::Maximum,
    ];
    let function = *dice.one(&functions)?;
    let of = match function {
        Function::Count => None,
        _ => Some(Expression::Column(column(
            dice,
            tables,
            from,
            &[TypeCategory::Integer],
        )?)),
    };
    Some((function, of))
}

fn meaning(dice: &mut Dice, tables: &[Arc<Table>]) -> SemanticQuery {
    let subject = dice.one(&NAMES).copied().unwrap_or("sale");
    let conditions = conditions(dice, tables, subject, 0);
    let answer = answer(dice, tables, subject).unwrap_or(Answer::Exists);
    SemanticQuery {
        subject: table_ref(subject),
        conditions,
        answer,
        order: None,
        parts: Vec::new(),
    }
}

fn answer(dice: &mut Dice, tables: &[Arc<Table>], subject: &str) -> Option<Answer> {
    let all = [TypeCategory::Integer, TypeCategory::Text];
    Some(match dice.below(5) {
        0 => Answer::Exists,
        1 => {
            let mut columns = vec![Shown {
                value: Expression::Column(column(dice, tables, subject, &all)?),
                name: None,
            }];
            if let Some(value) = related(dice, tables, subject) {
                columns.push(Shown {
                    value,
                    name: Some("value".to_owned()),
                });
            }
            Answer::Rows {
                columns,
                distinct: dice.below(2) == 0,
            }
        }
        _ => {
            let (function, of) = function(dice, tables, subject)?;
            let only = conditions(dice, tables, subject, 0);
            let mut measures = vec![Measure {
                name: "value".to_owned(),
                value: Value::Aggregate(Aggregate { function, of, only }),
            }];
            if let Some(of) = related(dice, tables, subject) {
                let aggregate = Aggregate {
                    function: Function::Sum,
                    of: Some(of),
                    only: Vec::new(),
                };
                measures.push(Measure {
                    name: "related".to_owned(),
                    value: Value::Aggregate(aggregate),
                });
            }
            let mut dimensions = Vec::new();
            match dice.below(3) {
                0 => dimensions.push(Dimension::Column(column(dice, tables, subject, &all)?)),
                1 => {
                    let path = path_to(subject, "client").or_else(|| path_to(subject, "region"))?;
                    let of = |name: &str| ColumnRef {
                        path: path.clone(),
                        column: name.to_owned(),
                    };
                    dimensions.push(Dimension::Entity {
                        key: vec![of("id")],
                        names: vec![of("name")],
                        label: None,
                    });
                }
                _ => {}
            }
            Answer::Figures {
                measures,
                dimensions,
            }
        }
    })
}

fn run(client: &mut Client, sql: &str) -> Result<Vec<Vec<String>>, String> {
    let messages = client.simple_query(sql).map_err(|error| {
        error
            .as_db_error()
            .map_or_else(|| error.to_string(), |error| error.message().to_owned())
    })?;
    let mut rows: Vec<Vec<String>> = messages
        .iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(
                (0..row.len())
                    .map(|at| match row.get(at) {
                        None => "null".to_owned(),
                        Some(text) => text
                            .parse::<f64>()
                            .map_or_else(|_| text.to_owned(), |number| format!("{number:.6}")),
                    })
                    .collect(),
            ),
            _ => None,
        })
        .collect();
    rows.sort();
    Ok(rows)
}
