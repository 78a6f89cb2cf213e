//! A line-by-line difference of two statements.

use text2sql_sql::tree as sql_tree;

/// Maximum number of lines compared: the table of the longest common subsequence grows quadratically.
const MAX_LINES: usize = 2_000;

/// Number of unchanged lines that are shown before and after a change of a long text.
const CONTEXT: usize = 3;

/// The lines of both statements in the same format: removed lines have the prefix `- `, added lines `+ `,
/// unchanged lines two spaces.
pub fn line_difference(before: &str, after: &str) -> String {
    let (old, new) = match (sql_tree::read_query(before), sql_tree::read_query(after)) {
        (Some(old), Some(new)) => (format!("{old:#}"), format!("{new:#}")),
        _ => (before.to_owned(), after.to_owned()),
    };
    difference(&lines_of(&old), &lines_of(&new))
}

/// The same of two texts as they are written, without the lines that are far from a change.
pub fn lines_that_differ(before: &str, after: &str) -> String {
    let whole = difference(
        &before.lines().collect::<Vec<&str>>(),
        &after.lines().collect::<Vec<&str>>(),
    );
    let lines: Vec<&str> = whole.lines().collect();
    let is_near = |place: usize| {
        let near = place.saturating_sub(CONTEXT)..(place + CONTEXT + 1).min(lines.len());
        lines
            .get(near)
            .is_some_and(|near| near.iter().any(|line| !line.starts_with("  ")))
    };
    let mut shown: Vec<&str> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        if is_near(place) {
            shown.push(line);
        } else if shown.last() != Some(&"  …") {
            shown.push("  …");
        }
    }
    shown.join("\n")
}

fn difference(old: &[&str], new: &[&str]) -> String {
    let mut lines: Vec<String> = Vec::new();
    if old.len().max(new.len()) > MAX_LINES {
        lines.extend(old.iter().map(|line| format!("- {line}")));
        lines.extend(new.iter().map(|line| format!("+ {line}")));
        return lines.join("\n");
    }
    let common = common_lengths(old, new);
    let length = |i: usize, j: usize| common.get(i).and_then(|row| row.get(j)).copied();
    let (mut i, mut j) = (0, 0);
    loop {
        match (old.get(i), new.get(j)) {
            (None, None) => return lines.join("\n"),
            (Some(a), Some(b)) if a == b => {
                lines.push(format!("  {a}"));
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), other) if other.is_none() || length(i + 1, j) >= length(i, j + 1) => {
                lines.push(format!("- {a}"));
                i += 1;
            }
            (_, Some(b)) => {
                lines.push(format!("+ {b}"));
                j += 1;
            }
            (Some(_), None) => i += 1,
        }
    }
}

fn lines_of(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect()
}

/// The length of the longest common subsequence of the remaining lines, for each pair of positions.
fn common_lengths(old: &[&str], new: &[&str]) -> Vec<Vec<usize>> {
    let mut rows = vec![vec![0; new.len() + 1]];
    for a in old.iter().rev() {
        let mut row = vec![0; new.len() + 1];
        let below = rows.last().cloned().unwrap_or_default();
        for (j, b) in new.iter().enumerate().rev() {
            let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(0);
            let length = match a == b {
                true => at(&below, j + 1) + 1,
                false => at(&below, j).max(at(&row, j + 1)),
            };
            if let Some(cell) = row.get_mut(j) {
                *cell = length;
            }
        }
        rows.push(row);
    }
    rows.reverse();
    rows
}
