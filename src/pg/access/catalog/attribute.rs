//! Columns of a table, with what the current user may read of them.

/// A column of the table, readable or not.
pub(super) struct Attribute {
    pub(super) number: i16,
    pub(super) name: String,
    pub(super) is_readable: bool,
}

/// Names of the columns, if all of them are readable.
pub(super) fn readable_names(numbers: &[i16], attributes: &[Attribute]) -> Option<Vec<String>> {
    let name = |number: &i16| {
        let found = attributes.iter().find(|known| known.number == *number)?;
        found.is_readable.then(|| found.name.clone())
    };
    numbers.iter().map(name).collect()
}
