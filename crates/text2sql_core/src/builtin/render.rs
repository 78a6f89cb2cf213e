//! The statement as text, and the sentence that reads its rows.

use super::bind::speak;
use super::request::Request;
use super::select::{Select, Shape};
use crate::schema::{Table, quote_identifier};

/// Writes the statement.
pub(super) fn render_sql(select: &Select) -> String {
    let columns: Vec<String> = select
        .columns
        .iter()
        .map(|(expression, name)| {
            let name = quote_identifier(name);
            let same = expression
                .split_once('.')
                .is_some_and(|(_, column)| column == name);
            if same {
                expression.clone()
            } else {
                format!("{expression} AS {name}")
            }
        })
        .collect();
    let mut sql = format!(
        "SELECT {}{}",
        if select.is_distinct { "DISTINCT " } else { "" },
        columns.join(", ")
    );
    for (i, line) in select.scope.from.iter().enumerate() {
        sql.push_str(if i == 0 { "\nFROM " } else { "\n" });
        sql.push_str(line);
    }
    if !select.scope.wheres.is_empty() {
        sql.push_str(&format!("\nWHERE {}", select.scope.wheres.join(" AND ")));
    }
    if !select.group_by.is_empty() {
        sql.push_str(&format!("\nGROUP BY {}", select.group_by.join(", ")));
    }
    if !select.order_by.is_empty() {
        sql.push_str(&format!("\nORDER BY {}", select.order_by.join(", ")));
    }
    if let Some(limit) = select.limit {
        sql.push_str(&format!("\nLIMIT {limit}"));
    }
    sql
}

/// Says the answer, with placeholders for what the rows hold.
pub(super) fn render_sentence(
    select: &Select,
    request: &Request,
    subject: Option<&Table>,
) -> String {
    let noun = subject.map_or_else(|| "rows".to_owned(), |table| speak(&table.name));
    let tail = if request.phrases.is_empty() {
        String::new()
    } else {
        format!(" {}", request.phrases.join(" "))
    };
    match &select.shape {
        Shape::List => match request.limit {
            _ if select.is_distinct => format!("There are {{row_count}} different values{tail}."),
            _ => format!("There are {{row_count}} {noun}{tail}."),
        },
        Shape::Aggregates(words) => {
            let counted = matches!(
                request.targets.as_slice(),
                [super::request::Target::Count(_) | super::request::Target::CountDistinct { .. }]
            );
            match (words.as_slice(), counted) {
                ([(name, said)], true) => format!("There are {{rows[0].{name}}} {said}{tail}."),
                _ => {
                    let parts: Vec<String> = words
                        .iter()
                        .map(|(name, said)| {
                            format!(
                                "the {said}{} is {{rows[0].{name}}}",
                                if words.len() == 1 { tail.as_str() } else { "" }
                            )
                        })
                        .collect();
                    let text = parts.join(" and ");
                    let mut letters = text.chars();
                    letters.next().map_or(String::new(), |first| {
                        format!("{}{}.", first.to_uppercase(), letters.as_str())
                    })
                }
            }
        }
        Shape::Groups => "The answer has {row_count} groups.".to_owned(),
        Shape::Leader { name, measure } => match measure {
            Some((output, said)) => {
                format!("{{rows[0].{name}}} leads with {{rows[0].{output}}} {said}.")
            }
            None => format!("It is {{rows[0].{name}}}."),
        },
    }
}
