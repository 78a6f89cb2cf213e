//! What replaced names that are gone: the page that says so to people is the list.

const PAGE: &str = include_str!("../../../docs/reference/renamed.md");

/// What replaced a function, setting or view; functions and views of `text2sql` have no schema in their names here.
pub(crate) fn successor(name: &str) -> Option<String> {
    PAGE.lines().find_map(|line| {
        let (old, new) = line.strip_prefix("| `")?.split_once("` | ")?;
        let old = old.split_once('(').map_or(old, |(called, _)| called);
        (old == name).then(|| new.trim_end_matches(" |").replace('`', ""))
    })
}
