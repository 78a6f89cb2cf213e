//! The four levels of Spider, which its files do not name: counted from the parsed query, by the rules of its
//! evaluation (Yu et al. 2018, `evaluation.py`).

use serde_json::Value;

/// The place of `like` among the operators of Spider.
const LIKE: u64 = 9;

/// `easy`, `medium`, `hard` or `extra`; `None` where the query is not parsed in the form of Spider.
pub(super) fn level(sql: &Value) -> Option<&'static str> {
    sql.get("select")?;
    let clauses = clauses(sql);
    let nested = nested(sql);
    let others = others(sql);
    Some(match (clauses, others, nested) {
        (0..=1, 0, 0) => "easy",
        (0..=1, 0..=2, 0) | (0..=2, 0..=1, 0) => "medium",
        (0..=2, 3.., 0) | (3, 0..=2, 0) | (0..=1, 0, 0..=1) => "hard",
        _ => "extra",
    })
}

fn list<'a>(sql: &'a Value, name: &str) -> &'a [Value] {
    sql.get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Conditions of joins, WHERE and HAVING: each is followed by `and` or `or`.
fn conditions(sql: &Value) -> Vec<&Value> {
    let joins = sql.get("from").map_or(&[][..], |from| list(from, "conds"));
    joins
        .iter()
        .chain(list(sql, "where"))
        .chain(list(sql, "having"))
        .collect()
}

fn clauses(sql: &Value) -> usize {
    let is_there = |name: &str| usize::from(!list(sql, name).is_empty());
    let joined = sql
        .get("from")
        .map_or(0, |from| list(from, "table_units").len().saturating_sub(1));
    let limit = usize::from(sql.get("limit").is_some_and(|limit| !limit.is_null()));
    let conditions = conditions(sql);
    let alternatives = conditions.iter().filter(|one| one.as_str() == Some("or"));
    let patterns = conditions
        .iter()
        .filter(|one| one.get(1).and_then(Value::as_u64) == Some(LIKE));
    is_there("where")
        + is_there("groupBy")
        + is_there("orderBy")
        + limit
        + joined
        + alternatives.count()
        + patterns.count()
}

fn nested(sql: &Value) -> usize {
    let in_conditions = conditions(sql)
        .into_iter()
        .flat_map(|one| [one.get(3), one.get(4)])
        .flatten()
        .filter(|value| value.is_object());
    let in_sets = ["intersect", "except", "union"]
        .into_iter()
        .filter(|name| sql.get(name).is_some_and(Value::is_object));
    in_conditions.count() + in_sets.count()
}

/// Whether the first of a unit's numbers names an aggregate, as the published rule asks; the words between conditions
/// count as well, because there they do.
fn counts(unit: &Value) -> bool {
    match unit.get(0) {
        Some(Value::Number(number)) => number.as_u64() != Some(0),
        Some(Value::Bool(is_negated)) => *is_negated,
        _ => unit.is_string(),
    }
}

fn others(sql: &Value) -> usize {
    let select = sql
        .get("select")
        .and_then(|select| select.get(1))
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let filters = list(sql, "where");
    let groups = list(sql, "groupBy");
    let ordered = list(sql, "orderBy")
        .get(1)
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let sorted = ordered
        .iter()
        .flat_map(|unit| [unit.get(1), unit.get(2)])
        .flatten()
        .filter(|unit| unit.is_array());
    let aggregates = select.iter().filter(|one| counts(one)).count()
        + filters.iter().step_by(2).filter(|one| counts(one)).count()
        + groups.iter().filter(|one| counts(one)).count()
        + sorted.filter(|one| counts(one)).count()
        + list(sql, "having").iter().filter(|one| counts(one)).count();
    usize::from(aggregates > 1)
        + usize::from(select.len() > 1)
        + usize::from(filters.len() > 1)
        + usize::from(groups.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn query(changes: &Value) -> Value {
        let mut sql = json!({
            "select": [false, [[0, [0, [0, 1, false], null]]]],
            "from": {"table_units": [["table_unit", 0]], "conds": []},
            "where": [], "groupBy": [], "having": [], "orderBy": [], "limit": null,
            "intersect": null, "union": null, "except": null
        });
        if let (Some(sql), Some(changes)) = (sql.as_object_mut(), changes.as_object()) {
            sql.extend(changes.clone());
        }
        sql
    }

    #[test]
    fn the_four_levels_are_those_of_spider() {
        let equals = json!([false, 2, [0, [0, 3, false], null], "\"x\"", null]);
        let like = json!([false, 9, [0, [0, 3, false], null], "\"%x%\"", null]);
        let inner = json!([false, 8, [0, [0, 3, false], null], query(&json!({})), null]);
        let two = json!({"table_units": [["table_unit", 0], ["table_unit", 1]], "conds": [equals]});
        let counted = json!([
            false,
            [[0, [0, [0, 1, false], null]], [3, [0, [0, 0, false], null]]]
        ]);
        for (changes, expected) in [
            (json!({}), "easy"),
            (json!({"where": [equals]}), "easy"),
            (json!({"from": two, "where": [equals]}), "medium"),
            (
                json!({"select": counted, "from": two, "groupBy": [[0, 1, false]]}),
                "medium",
            ),
            (json!({"where": [inner]}), "hard"),
            (json!({"from": two, "where": [like], "limit": 1}), "extra"),
            (
                json!({"from": two, "where": [equals], "orderBy": ["asc", [[0, [0, 1, false], null]]]}),
                "hard",
            ),
            (json!({"from": two, "where": [inner]}), "extra"),
        ] {
            assert_eq!(level(&query(&changes)), Some(expected), "{changes}");
        }
        assert_eq!(level(&json!({"query": "SELECT 1"})), None);
    }
}
