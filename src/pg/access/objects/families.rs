//! Families of tables that one name stands for: `content__*`, `shop.sales_*.amount`.

use text2sql_domain::error::{Error, failure};
use text2sql_domain::object_name;

use super::search_path_oids;
use crate::pg::server::spi;

const TABLES_CALLED_ALIKE: &str = include_str!("../../../../sql/queries/tables_called_alike.sql");

/// The names of the objects that `name` stands for, one of each table of the family; `None` for the name of one object.
/// Names in double quotes have no star.
pub(crate) fn members(name: &str) -> Result<Option<Vec<String>>, Error> {
    if !name.contains('*') || name.contains('"') {
        return Ok(None);
    }
    let folded = name.trim().to_lowercase();
    let parts: Vec<&str> = folded.split('.').collect();
    let (schema, pattern, column) = match parts.as_slice() {
        [pattern] => (None, *pattern, None),
        [schema, pattern] if pattern.contains('*') => (Some(*schema), *pattern, None),
        [pattern, column] => (None, *pattern, Some(*column)),
        [schema, pattern, column] => (Some(*schema), *pattern, Some(*column)),
        _ => return Err(no_family(name, "has more than three parts")),
    };
    let has_star = |part: Option<&str>| part.is_some_and(|part| part.contains('*'));
    if pattern.matches('*').count() != 1 || has_star(schema) || has_star(column) {
        return Err(no_family(name, "has not one star in the name of a table"));
    }
    let escaped = pattern
        .replace('\\', "\\\\")
        .replace('_', "\\_")
        .replace('%', "\\%");
    let path = search_path_oids();
    let found = spi::read_rows(
        TABLES_CALLED_ALIKE,
        &[
            escaped.replace('*', "%").into(),
            schema.map(str::to_owned).into(),
            path.into(),
        ],
        0,
        |row| {
            let text = |column| Ok::<_, Error>(row.read::<String>(column)?.unwrap_or_default());
            Ok((text(1)?, text(2)?, text(3)?))
        },
    )?;
    let Some((first_schema, first, columns)) = found.first().filter(|_| found.len() > 1) else {
        return Err(no_family(name, "is the pattern of fewer than two tables"));
    };
    let other = found.iter().find(|(_, _, own)| own != columns);
    if let Some((other_schema, other, own)) = other {
        let one = object_name::join(&[first_schema, first]);
        let other = object_name::join(&[other_schema, other]);
        return Err(
            no_family(name, "is no family: its tables have other columns")
                .with_detail(format!("{one} has {columns}. {other} has {own}.")),
        );
    }
    let named = found.iter().map(|(schema, table, _)| {
        let parts = [schema.as_str(), table.as_str()];
        object_name::join(&parts.into_iter().chain(column).collect::<Vec<_>>())
    });
    Ok(Some(named.collect()))
}

fn no_family(name: &str, why: &str) -> Error {
    failure!(Undefined, "\"{name}\" {why}").with_hint(
        "Write the names of tables with the same columns with a star for the part in which they differ: \
         'sales_*', 'shop.sales_*', 'sales_*.amount'.",
    )
}
