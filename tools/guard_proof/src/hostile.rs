//! What an attacker makes of a harmless statement.

use crate::catalog::Catalog;
use crate::random::Random;

/// Turns a harmless statement into one that must be refused, or fail, without a trace.
pub(crate) fn twist(sql: &str, catalog: &Catalog, random: &mut Random) -> String {
    let closed = random
        .pick(&catalog.closed_relations)
        .map_or("pg_catalog.pg_authid", String::as_str);
    match random.below(16) {
        0 => format!("{sql} FOR UPDATE"),
        1 => format!("WITH gone AS (DELETE FROM shop.orders RETURNING *) {sql}"),
        2 => format!(
            "WITH made AS (INSERT INTO public.tags VALUES ('x') RETURNING *) SELECT * FROM made, ({sql}) s"
        ),
        3 => format!("{sql}; DELETE FROM shop.orders"),
        4 => sql.replacen(" FROM ", " INTO fresh FROM ", 1),
        5 => format!("CREATE TABLE fresh AS {sql}"),
        6 => format!("SELECT * FROM ({sql}) s, {closed} LIMIT 1"),
        7 => format!("SELECT (SELECT count(*) FROM {closed}), * FROM ({sql}) s"),
        8 => format!("EXPLAIN ANALYZE {sql}"),
        9 => format!("SELECT nextval('shop.counter'), * FROM ({sql}) s"),
        10 => format!(
            "SELECT s.*, set_config('work_mem', '64kB', false), pg_notify('c', 'x') FROM ({sql}) s"
        ),
        11 => format!("SELECT s.*, lo_create(0), pg_advisory_lock(4711) FROM ({sql}) s"),
        12 => format!("SELECT shop.write_note('x') FROM ({sql}) s"),
        13 => format!("COPY ({sql}) TO PROGRAM 'touch guard_proof_was_here'"),
        14 => format!("DO $$BEGIN PERFORM 1; END$$; {sql}"),
        _ => without_a_word(sql, random),
    }
}

/// The statement without one of its words: usually invalid SQL.
fn without_a_word(sql: &str, random: &mut Random) -> String {
    let words: Vec<&str> = sql.split(' ').collect();
    let missing = random.below(words.len());
    let rest = words
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != missing);
    rest.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}
