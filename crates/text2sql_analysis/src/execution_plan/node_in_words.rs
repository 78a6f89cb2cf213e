//! What each kind of step does, in plain words.

use super::{Plan, PlanNode};

/// A step in words.
pub(super) fn explanation(plan: &Plan, position: usize) -> String {
    let Some(step) = plan.steps.get(position) else {
        return String::new();
    };
    let mut sentence = what(plan, position, step);
    for (name, before) in [
        ("Filter", "keeps the rows where"),
        ("Join Filter", "keeps the pairs where"),
        ("One-Time Filter", "runs only if"),
    ] {
        if let Some(condition) = step.text(name) {
            sentence.push_str(&format!("; {before} {}", plain(condition)));
        }
    }
    if let Some(workers) = step.maybe_number("Workers Planned") {
        sentence.push_str(&format!("; {workers:.0} helper processes share the work"));
    }
    sentence.push('.');
    sentence
}

fn what(plan: &Plan, position: usize, step: &PlanNode) -> String {
    let relation = || {
        let name = step.relation().unwrap_or_else(|| "a table".to_owned());
        match step.text("Alias") {
            Some(alias) if Some(alias) != step.text("Relation Name") => {
                format!("{name} (as {alias})")
            }
            _ => name,
        }
    };
    let condition = |name: &str| step.text(name).map(plain).unwrap_or_default();
    let index = step
        .text("Index Name")
        .map_or_else(|| "on it".to_owned(), str::to_owned);
    let keys = |name: &str| {
        let list: Vec<String> = step.list(name).into_iter().map(plain).collect();
        list.join(", ")
    };
    let partial = match step.text("Partial Mode") {
        Some("Partial") => " (its own share; a later step puts the shares together)",
        Some("Finalize") => " (putting the shares of the helpers together)",
        _ => "",
    };
    match step.kind() {
        "Seq Scan" => format!("Reads every row of {}", relation()),
        "Sample Scan" => format!("Reads a sample of {}", relation()),
        "Index Scan" => match step.text("Index Cond") {
            Some(found) => format!(
                "Finds rows of {} by the index {index}: {}",
                relation(),
                plain(found)
            ),
            None => format!("Reads {} in the order of the index {index}", relation()),
        },
        "Index Only Scan" => match step.text("Index Cond") {
            Some(found) => format!(
                "Answers from the index {index} of {} alone: {}",
                relation(),
                plain(found)
            ),
            None => format!("Reads the whole index {index} instead of {}", relation()),
        },
        "Bitmap Heap Scan" => format!(
            "Reads the pages of {} that the index step below marked",
            relation()
        ),
        "Bitmap Index Scan" => format!(
            "Marks pages by the index {index}: {}",
            condition("Index Cond")
        ),
        "BitmapAnd" => "Keeps the pages that all indexes below marked".to_owned(),
        "BitmapOr" => "Takes the pages that any index below marked".to_owned(),
        "Tid Scan" | "Tid Range Scan" => format!("Reads rows of {} by their place", relation()),
        "Nested Loop" => format!(
            "For each row of the first input, looks through the second{}",
            kept(step)
        ),
        "Hash Join" => format!(
            "Joins by a hash table of the second input, where {}{}",
            condition("Hash Cond"),
            kept(step)
        ),
        "Merge Join" => format!(
            "Joins two sorted inputs in one pass, where {}{}",
            condition("Merge Cond"),
            kept(step)
        ),
        "Hash" => "Puts the rows below into a hash table in memory".to_owned(),
        "Sort" => format!("Sorts by {}", keys("Sort Key")),
        "Incremental Sort" => format!(
            "Sorts by {}, of which the first part is sorted already ({})",
            keys("Sort Key"),
            keys("Presorted Key")
        ),
        "Aggregate" => {
            let groups = keys("Group Key");
            match (step.text("Strategy"), groups.is_empty()) {
                (_, true) => format!("Brings all rows down to one{partial}"),
                (Some("Hashed"), false) => {
                    format!("Groups by {groups} with a hash table{partial}")
                }
                (Some("Sorted"), false) => format!("Groups sorted rows by {groups}{partial}"),
                (_, false) => format!("Groups by {groups}{partial}"),
            }
        }
        "Group" => format!("Keeps one row for each value of {}", keys("Group Key")),
        "WindowAgg" => "Works out window functions over the rows below".to_owned(),
        "Unique" => "Drops rows that equal the one before".to_owned(),
        "Limit" => "Stops when enough rows are there".to_owned(),
        "Append" => "Puts the rows of its inputs one after the other".to_owned(),
        "Merge Append" => format!("Merges sorted inputs, by {}", keys("Sort Key")),
        "Gather" => "Collects the rows of helper processes".to_owned(),
        "Gather Merge" => "Collects the sorted rows of helper processes".to_owned(),
        "Materialize" => "Keeps the rows below, to read them again".to_owned(),
        "Memoize" => format!("Remembers what it found for {}", condition("Cache Key")),
        "CTE Scan" => format!(
            "Reads the helper result {}",
            step.text("CTE Name").unwrap_or_default()
        ),
        "WorkTable Scan" => "Reads the rows of the last round".to_owned(),
        "Recursive Union" => "Repeats its second input until no new rows come".to_owned(),
        "Subquery Scan" => format!(
            "Passes on the sub-query {}",
            step.text("Alias").unwrap_or_default()
        ),
        "Function Scan" => format!(
            "Takes the rows of the function {}",
            step.text("Function Name").unwrap_or_default()
        ),
        "Values Scan" => "Takes a fixed list of rows".to_owned(),
        "SetOp" => format!(
            "Compares two results ({})",
            step.text("Command").unwrap_or_default()
        ),
        "ProjectSet" => "Makes several rows of one by a function".to_owned(),
        "Result" if plan.children(position).next().is_none() => {
            "Works out values without reading a table".to_owned()
        }
        "Result" => "Passes rows on".to_owned(),
        other => format!("Runs the step {other}"),
    }
}

/// The rows that a join keeps, unless it is an inner join.
fn kept(step: &PlanNode) -> &'static str {
    match step.text("Join Type") {
        Some("Left") => ", keeping rows of the first without a match",
        Some("Right") => ", keeping rows of the second without a match",
        Some("Full") => ", keeping rows of both without a match",
        Some("Semi") => ", keeping rows of the first that have a match",
        Some("Anti") => ", keeping rows of the first that have no match",
        Some("Right Semi") => ", keeping rows of the second that have a match",
        Some("Right Anti") => ", keeping rows of the second that have no match",
        _ => "",
    }
}

/// A condition without the outer parentheses and casts that PostgreSQL adds.
pub(super) fn plain(condition: &str) -> String {
    let mut text = condition
        .replace("::text", "")
        .replace("::bpchar", "")
        .replace("::date", "")
        .replace("::numeric", "")
        .replace("::character varying", "");
    while let Some(inner) = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        && closes_at_end(inner)
    {
        text = inner.to_owned();
    }
    text
}

/// Whether the parentheses around `inner` match each other.
pub(super) fn closes_at_end(inner: &str) -> bool {
    let mut depth = 0i32;
    for c in inner.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}
