//! The questions on the demo database, and the statements that show what the guard costs. Every
//! query reads small tables, so that its own time hides nothing.

use crate::workload::Question;

/// The demo database.
pub(crate) const DATABASE: &str = "demo";

/// Questions for the model double.
pub(crate) fn questions() -> Vec<Question> {
    vec![
        Question::new(
            "Which five stores opened last?",
            "SELECT name, city, opened_on FROM stores ORDER BY opened_on DESC, name LIMIT 5",
            "{rows[0].name} in {rows[0].city} opened last, on {rows[0].opened_on}.",
        ),
        Question::new(
            "How many suppliers are still active?",
            "SELECT count(*) AS suppliers FROM suppliers WHERE flg_act = 'Y'",
            "{rows[0].suppliers} suppliers are active.",
        ),
        Question::new(
            "How many products are on offer in each category?",
            "SELECT c.name AS category, count(*) AS products\n\
             FROM products p JOIN categories c USING (category_id)\n\
             WHERE p.discontinued_on IS NULL\n\
             GROUP BY c.name ORDER BY products DESC, category LIMIT 10",
            "{rows[0].category} has the most products: {rows[0].products}.",
        ),
        Question::new(
            "What did we plan to spend on campaigns, by medium?",
            "SELECT medium, count(*) AS campaigns, sum(budget) AS budget\n\
             FROM campaigns GROUP BY medium ORDER BY budget DESC",
            "Most is planned for {rows[0].medium}: {rows[0].budget} euros.",
        ),
        Question::new(
            "In which countries do our stores have a workshop?",
            "SELECT k.name AS country, count(*) AS stores,\n\
             count(*) FILTER (WHERE s.has_workshop) AS with_workshop\n\
             FROM stores s JOIN countries k USING (country_code)\n\
             WHERE s.closed_on IS NULL\n\
             GROUP BY k.name ORDER BY with_workshop DESC, country",
            "{rows[0].country} leads with {rows[0].with_workshop} of {rows[0].stores} stores.",
        ),
    ]
}

/// Questions that the built-in engine should be able to answer alone.
pub(crate) fn builtin_questions() -> Vec<String> {
    [
        "How many stores are there?",
        "How many suppliers are there?",
        "How many campaigns per medium?",
        "What is the average budget of campaigns?",
        "Top 5 stores by floor area",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// A simple statement for the guard.
pub(crate) const SIMPLE_STATEMENT: &str =
    "SELECT name, city, opened_on FROM stores WHERE store_id = 1";

/// How many parts of fifteen lines the long statement has.
const PARTS: usize = 11;

/// A statement of about 200 lines for the guard: common table expressions with joins, window
/// functions, CASE and date arithmetic, as reports have them.
pub(crate) fn long_statement() -> String {
    let mut sql = "WITH\n".to_owned();
    let mut union = String::new();
    for part in 1..=PARTS {
        if part > 1 {
            sql.push_str(",\n");
            union.push_str("UNION ALL\n");
        }
        sql.push_str(&format!(
            "part_{part} AS (\n\
             \x20 SELECT\n\
             \x20   s.country_code,\n\
             \x20   lower(s.city) AS city,\n\
             \x20   coalesce(s.floor_area_sqm, 0) + {part} AS area,\n\
             \x20   CASE\n\
             \x20     WHEN s.floor_area_sqm > {part}00 THEN 'large'\n\
             \x20     WHEN s.has_workshop THEN 'workshop'\n\
             \x20     ELSE 'small'\n\
             \x20   END AS kind,\n\
             \x20   rank() OVER (PARTITION BY s.country_code ORDER BY s.opened_on DESC) AS place\n\
             \x20 FROM stores AS s\n\
             \x20 WHERE s.opened_on < date '2030-01-01' - interval '{part} days'\n\
             \x20   AND s.name NOT LIKE 'zz%'\n\
             )"
        ));
        union.push_str(&format!(
            "SELECT {part} AS part, kind, count(*) AS stores, sum(area) AS area\n\
             FROM part_{part} WHERE place <= 5 GROUP BY kind\n"
        ));
    }
    format!("{sql}\n{union}ORDER BY part, kind\nLIMIT 20")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::tests::check_patterns;

    #[test]
    fn every_question_is_recognised_as_itself() {
        check_patterns(&questions());
    }

    #[test]
    fn the_long_statement_has_about_two_hundred_lines() {
        let lines = long_statement().lines().count();
        assert!((190..=250).contains(&lines), "{lines}");
    }
}
