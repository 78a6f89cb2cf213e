//! Arguments that are arrays. An element that is NULL is an error: left out, it would make a longer list of a shorter one,
//! or of one name all.

use crate::pg::server::error::{ErrorReport, report};
use text2sql_domain::error::failure;

/// The elements of the argument; none if it is NULL.
pub(super) fn elements<T>(
    array: Option<impl IntoIterator<Item = Option<T>>>,
    argument: &str,
) -> Result<Vec<T>, ErrorReport> {
    let array = array.into_iter().flatten();
    let elements = (1..).zip(array).map(|(place, element): (usize, _)| {
        element.ok_or_else(|| {
            report(
                failure!(Missing, "element {place} of {argument} must not be null").with_hint(
                    format!("To leave out null elements: {argument} => array_remove(…, NULL)"),
                ),
            )
        })
    });
    elements.collect()
}

/// The elements of the argument; `None` if it is NULL.
pub(super) fn elements_if_given<T>(
    array: Option<impl IntoIterator<Item = Option<T>>>,
    argument: &str,
) -> Result<Option<Vec<T>>, ErrorReport> {
    array
        .map(|array| elements(Some(array), argument))
        .transpose()
}
