//! Reads the data model of Cube, as YAML or JSON.

use serde_json::Value;
use text2sql_domain::words;

use super::super::dbt::{list, text};
use super::views::{Filter, Join, Kind, Member, Project, View, table_parts};

/// The cubes of a document.
pub(super) fn read(document: &Value) -> Result<Project, String> {
    let mut project = Project::default();
    if document.get("cubes").and_then(Value::as_array).is_none() {
        return Err("it has no list of \"cubes\"".to_owned());
    }
    for cube in list(document, "cubes") {
        let Some(name) = text(cube, "name") else {
            project
                .left_out
                .push(("cube".to_owned(), "it has no name".to_owned()));
            continue;
        };
        project.views.push(view(cube, name));
        for join in list(cube, "joins") {
            project.joins.push(joined(name, join));
        }
        for part in ["pre_aggregations", "access_policy"] {
            if !list(cube, part).is_empty() {
                let why = "nothing here corresponds to it".to_owned();
                project.left_out.push((format!("{name}.{part}"), why));
            }
        }
    }
    for view in list(document, "views") {
        let name = text(view, "name").unwrap_or("view");
        let why = "it only selects members of cubes";
        project.left_out.push((name.to_owned(), why.to_owned()));
    }
    Ok(project)
}

fn view(cube: &Value, name: &str) -> View {
    let table = match (text(cube, "sql_table"), text(cube, "sql")) {
        (Some(table), _) => table_parts(table),
        (None, Some(sql)) => of_query(sql),
        (None, None) => Err("it has no table".to_owned()),
    };
    let table = match text(cube, "extends") {
        Some(_) => Err("it extends another cube".to_owned()),
        None => table,
    };
    let members = |part: &str, kind: fn(&Value) -> Kind| -> Vec<Member> {
        let found = list(cube, part).iter();
        found
            .filter_map(|found| member(found, kind(found)))
            .collect()
    };
    let mut all = members("dimensions", |dimension| match text(dimension, "type") {
        Some("time") => Kind::Time,
        _ => Kind::Dimension,
    });
    all.extend(members("measures", |measure| {
        Kind::Measure(text(measure, "type").unwrap_or("number").to_owned())
    }));
    all.extend(members("segments", |_| Kind::Condition));
    View {
        name: name.to_owned(),
        table,
        description: text(cube, "description").map(str::to_owned),
        members: all,
    }
}

/// The table of `SELECT * FROM shop.orders`.
fn of_query(sql: &str) -> Result<Vec<String>, String> {
    let mut words = sql.split_whitespace();
    let starts = ["select", "*", "from"].iter().all(|word| {
        words
            .next()
            .is_some_and(|found| found.eq_ignore_ascii_case(word))
    });
    match (starts, words.next(), words.next()) {
        (true, Some(table), None) => table_parts(table),
        _ => Err("its table is a query, not a name".to_owned()),
    }
}

fn member(found: &Value, kind: Kind) -> Option<Member> {
    let problem = words!("case, sub_query, rolling_window, multi_stage, time_shift")
        .iter()
        .find(|part| found.get(part).is_some_and(|part| !part.is_null()))
        .map(|part| format!("it has a {part}, which depends on the query that asks for it"));
    let sql = match found.get("sql") {
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => text(found, "sql").map(str::to_owned),
    };
    Some(Member {
        name: text(found, "name")?.to_owned(),
        label: text(found, "title").map(str::to_owned),
        description: text(found, "description").map(str::to_owned),
        kind,
        sql,
        filters: list(found, "filters")
            .iter()
            .filter_map(|filter| Some(Filter::Sql(text(filter, "sql")?.to_owned())))
            .collect(),
        problem,
    })
}

fn joined(from: &str, join: &Value) -> Join {
    let relationship = text(join, "relationship").unwrap_or("many_to_one");
    Join {
        from: from.to_owned(),
        to: text(join, "name").unwrap_or_default().to_owned(),
        sql: text(join, "sql").map(str::to_owned),
        is_to_one: words!("many_to_one, one_to_one, belongsTo, belongs_to, hasOne, has_one")
            .contains(&relationship),
        is_from_one: words!("one_to_many, one_to_one, hasMany, has_many, hasOne, has_one")
            .contains(&relationship),
    }
}
