//! Reads views and explores of LookML.

use super::lookml::{self, Value};
use super::views::{Filter, Join, Kind, Member, Project, View, table_parts};

type Pairs = [(String, Value)];

/// The views of a text, and the joins of its explores.
pub(super) fn read(content: &str) -> Result<Project, String> {
    let pairs = lookml::read(content)?;
    let mut project = Project::default();
    for (key, value) in &pairs {
        match (key.as_str(), value) {
            ("view", Value::Block(Some(name), pairs)) if !name.starts_with('+') => {
                project.views.push(view(name, pairs));
            }
            ("explore", Value::Block(Some(name), pairs)) if !name.starts_with('+') => {
                explore(name, pairs, &mut project);
            }
            ("view" | "explore", Value::Block(name, _)) => {
                let name = name.as_deref().unwrap_or(key);
                let why = "it refines something that is elsewhere".to_owned();
                project.left_out.push((name.to_owned(), why));
            }
            (_, Value::Block(name, _)) => {
                let name = name.as_deref().unwrap_or(key);
                let why = format!("nothing here corresponds to a {key}");
                project.left_out.push((name.to_owned(), why));
            }
            _ => {}
        }
    }
    match project.views.is_empty() && project.left_out.is_empty() {
        true => Err("it has no view".to_owned()),
        false => Ok(project),
    }
}

fn text<'a>(pairs: &'a Pairs, key: &str) -> Option<&'a str> {
    pairs.iter().find_map(|(known, value)| match value {
        Value::Text(text) if known == key && !text.is_empty() => Some(text.as_str()),
        _ => None,
    })
}

fn view(name: &str, pairs: &Pairs) -> View {
    let is_derived = pairs.iter().any(|(key, _)| key == "derived_table");
    let table = match (text(pairs, "sql_table_name"), is_derived) {
        (_, true) => Err("its table is a query, not a name".to_owned()),
        (Some(table), _) if table.contains("{%") || table.contains("${") => {
            Err("its SQL is made by a template".to_owned())
        }
        (Some(table), _) => table_parts(table),
        (None, _) => table_parts(name),
    };
    let table = match pairs.iter().any(|(key, _)| key == "extends") {
        true => Err("it extends another view".to_owned()),
        false => table,
    };
    let members = pairs.iter().filter_map(|(key, value)| match value {
        Value::Block(Some(name), pairs) => member(key, name, pairs),
        _ => None,
    });
    View {
        name: name.to_owned(),
        table,
        description: text(pairs, "description").map(str::to_owned),
        members: members.collect(),
    }
}

fn member(key: &str, name: &str, pairs: &Pairs) -> Option<Member> {
    let kind = match key {
        "dimension" if text(pairs, "type") == Some("yesno") => Kind::Condition,
        "dimension" => Kind::Dimension,
        "dimension_group" if text(pairs, "type") != Some("duration") => Kind::Time,
        "measure" => Kind::Measure(text(pairs, "type").unwrap_or("string").to_owned()),
        "filter" | "parameter" | "dimension_group" | "set" => Kind::Dimension,
        _ => return None,
    };
    let problem = match key {
        "filter" | "parameter" => Some(format!("a {key} depends on who looks")),
        "set" => Some("a set only selects members".to_owned()),
        "dimension_group" if kind != Kind::Time => {
            Some("a duration has several results".to_owned())
        }
        "dimension" if pairs.iter().any(|(key, _)| key == "case") => {
            Some("its cases are written without SQL".to_owned())
        }
        _ => None,
    };
    Some(Member {
        name: name.to_owned(),
        label: text(pairs, "label").map(str::to_owned),
        description: text(pairs, "description").map(str::to_owned),
        kind,
        sql: text(pairs, "sql").map(str::to_owned),
        filters: filters(pairs),
        problem,
    })
}

/// `filters: [status: "paid"]`, or in the older way `filters: { field: status value: "paid" }`.
fn filters(pairs: &Pairs) -> Vec<Filter> {
    let mut found = Vec::new();
    for (_, value) in pairs.iter().filter(|(key, _)| key == "filters") {
        match value {
            Value::List(elements) => found.extend(elements.iter().map(|(field, values)| {
                Filter::Values(field.clone().unwrap_or_default(), values.clone())
            })),
            Value::Block(_, pairs) => found.push(Filter::Values(
                text(pairs, "field").unwrap_or_default().to_owned(),
                text(pairs, "value").unwrap_or_default().to_owned(),
            )),
            Value::Text(_) => {}
        }
    }
    found
}

fn explore(name: &str, pairs: &Pairs, project: &mut Project) {
    let base = text(pairs, "from")
        .or_else(|| text(pairs, "view_name"))
        .unwrap_or(name);
    for part in ["sql_always_where", "always_filter", "access_filter"] {
        if pairs.iter().any(|(key, _)| key == part) {
            let why = "nothing here corresponds to it".to_owned();
            project.left_out.push((format!("{name}.{part}"), why));
        }
    }
    for (key, value) in pairs {
        let ("join", Value::Block(Some(to), join)) = (key.as_str(), value) else {
            continue;
        };
        if text(join, "from").is_some() {
            let why = "it joins a view under another name".to_owned();
            project.left_out.push((format!("join {name} -> {to}"), why));
            continue;
        }
        let sql = text(join, "sql_on").map(str::to_owned);
        let relationship = text(join, "relationship").unwrap_or("many_to_one");
        let from = sql.as_deref().and_then(|sql| other_view(sql, to));
        project.joins.push(Join {
            from: from.unwrap_or_else(|| base.to_owned()),
            to: to.clone(),
            sql,
            is_to_one: matches!(relationship, "many_to_one" | "one_to_one"),
            is_from_one: matches!(relationship, "one_to_many" | "one_to_one"),
        });
    }
}

/// The view that a condition compares with this one.
fn other_view(sql: &str, to: &str) -> Option<String> {
    sql.split("${").skip(1).find_map(|reference| {
        let (name, _) = reference.split_once('}')?;
        let (view, _) = name.split_once('.')?;
        (view.trim() != to).then(|| view.trim().to_owned())
    })
}
