//! Works out the columns of a view from its query.

use std::sync::Arc;

use text2sql_domain::error::Error;
use text2sql_domain::schema::Column;

use super::tokens::Token;
use crate::given_schema::GivenSchema;
use crate::names;

/// The query of a view.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// The names of its columns, where it has a list of them.
    pub(super) names: Vec<String>,
    pub(super) sql: String,
}

/// How definitions of views end behind their query.
const ENDINGS: [&[&str]; 6] = [
    &["with", "check", "option"],
    &["with", "cascaded", "check", "option"],
    &["with", "local", "check", "option"],
    &["with", "no", "data"],
    &["with", "data"],
    &["with", "no", "schema", "binding"],
];

impl View {
    /// The query that the tokens are; none where there are none.
    pub(super) fn of(tokens: &[Token], text: &str) -> Option<Self> {
        let ending = ENDINGS.iter().find(|ending| {
            let start = tokens.len().saturating_sub(ending.len());
            let last = tokens.get(start..).unwrap_or_default();
            last.len() == ending.len() && last.iter().zip(**ending).all(|(t, word)| t.is(word))
        });
        let end = tokens.len() - ending.map_or(0, |ending| ending.len());
        let tokens = tokens.get(..end)?;
        let (first, last) = (tokens.first()?, tokens.last()?);
        Some(Self {
            names: Vec::new(),
            sql: text.get(first.start..last.end)?.to_owned(),
        })
    }

    /// Gives the table at that place the columns of the query. Where they cannot be worked out, it has none, and a
    /// query may use any.
    pub(super) fn describe(self, place: usize, schema: &mut GivenSchema) -> Result<(), Error> {
        let described = names::outputs(&self.sql, schema);
        let described = match described {
            Ok(described) => described,
            Err(error) if error.kind() == text2sql_domain::error::ErrorKind::Cancelled => {
                return Err(error);
            }
            Err(_) => None,
        };
        let name = schema.tables.get(place).map(|table| table.sql_name());
        let Some(described) = described else {
            schema.notes.push(format!(
                "the columns of {} could not be worked out from its query",
                name.unwrap_or_default()
            ));
            return Ok(());
        };
        let mut columns: Vec<Column> = Vec::new();
        for (number, output) in described.columns.iter().enumerate() {
            let known = output
                .origin
                .and_then(|(table, column)| schema.tables.get(table)?.columns.get(column).cloned());
            let known = known.unwrap_or_default();
            columns.push(Column {
                number: i16::try_from(number + 1).unwrap_or(i16::MAX),
                name: self.names.get(number).unwrap_or(&output.name).clone(),
                not_null: false,
                is_identity: false,
                is_generated: false,
                ..known
            });
        }
        if let Some(table) = schema.tables.get_mut(place) {
            let table = Arc::make_mut(table);
            table.columns = columns;
            table.made_of = described
                .tables
                .iter()
                .map(|place| GivenSchema::oid_at(*place))
                .collect();
        }
        Ok(())
    }
}
