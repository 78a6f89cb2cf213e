//! The lines of `status()` about definitions, examples and joins: their numbers, and those that are broken.

use serde::Deserialize;
use text2sql_domain::error::Error;

use super::definitions;
use crate::pg::access::objects::own_tables::may_read;
use crate::pg::server::spi;
use crate::pg::stored::knowledge::example_validity::is_accepted;
use crate::pg::stored::knowledge::prompts;

const COUNT: &str = "
    SELECT json_build_object(
        'descriptions', (SELECT count(*) FROM text2sql._annotations),
        'definitions', (SELECT count(*) FROM text2sql._definitions),
        'examples', (SELECT count(*) FROM text2sql._examples),
        'instructions', (SELECT count(*) FROM text2sql._instructions),
        'own_prompts', (
            SELECT count(*) FROM (SELECT DISTINCT ON (p.name) p.text FROM text2sql._prompts p
                                  ORDER BY p.name, p.version DESC) AS newest WHERE newest.text IS NOT NULL),
        'verified', (SELECT count(*) FROM text2sql._examples WHERE verified_at IS NOT NULL),
        'joins', (SELECT count(*) FROM text2sql._joins WHERE status = 'accepted'),
        'suggested_joins', (SELECT count(*) FROM text2sql._joins WHERE status = 'suggested'))::text";

const VERIFIED: &str = "SELECT e.sql FROM text2sql._examples e WHERE e.verified_at IS NOT NULL";

/// Above this number of definitions, or examples, only those that questions use are judged: the views
/// `definitions` and `examples` judge each row that is read.
const MAX_JUDGED: i64 = 500;

/// An item, its value, and a hint.
type Item = (String, String, Option<String>);

#[derive(Deserialize)]
struct Counts {
    descriptions: i64,
    definitions: i64,
    instructions: i64,
    own_prompts: i64,
    examples: i64,
    verified: i64,
    joins: i64,
    suggested_joins: i64,
}

/// The items, for the tables that the caller can read.
pub(crate) fn items() -> Vec<Item> {
    let own_tables = [
        c"_annotations",
        c"_definitions",
        c"_examples",
        c"_joins",
        c"_instructions",
        c"_prompts",
    ];
    if !own_tables.into_iter().all(may_read) {
        let note = "Allow a role to use it: SELECT text2sql.grant_access('…');";
        return vec![("knowledge".into(), "not readable".into(), Some(note.into()))];
    }
    match count() {
        Ok(items) => items,
        Err(error) => vec![("knowledge".into(), error.message().into(), None)],
    }
}

fn count() -> Result<Vec<Item>, Error> {
    let counts: Counts = spi::read_json(COUNT, &[])?;
    let broken = if counts.definitions > MAX_JUDGED {
        Vec::new()
    } else {
        definitions::broken()?
            .iter()
            .map(|term| format!("\"{term}\""))
            .collect::<Vec<_>>()
    };
    let of_definitions = (!broken.is_empty()).then(|| {
        format!(
            "broken and not used: {}. List them: SELECT * FROM text2sql.definitions WHERE status = 'broken';",
            broken.join(", ")
        )
    });
    let mut of_examples = Vec::new();
    if counts.verified < counts.examples {
        let waiting = counts.examples - counts.verified;
        of_examples.push(format!("{waiting} not verified and not used. List them: SELECT * FROM text2sql.examples WHERE verified_at IS NULL;"));
    }
    if counts.verified <= MAX_JUDGED {
        let mut broken = 0;
        for sql in spi::read_rows(VERIFIED, &[], 0, |row| row.read::<String>(1))?
            .into_iter()
            .flatten()
        {
            broken += usize::from(!is_accepted(&sql)?);
        }
        if broken > 0 {
            of_examples.push(format!("{broken} broken and not used. List them: SELECT * FROM text2sql.examples WHERE status = 'broken';"));
        }
    }
    let of_examples = (!of_examples.is_empty()).then(|| of_examples.join("; "));
    let of_joins = (counts.suggested_joins > 0).then(|| {
        let waiting = counts.suggested_joins;
        format!("{waiting} suggested: SELECT * FROM text2sql.joins WHERE status = 'suggested'")
    });
    let unfit = prompts::unfit()?;
    let unfit: Vec<String> = unfit
        .into_iter()
        .map(|(name, problem)| format!("\"{name}\" is not used: it {problem}"))
        .collect();
    let of_prompts = (!unfit.is_empty()).then(|| {
        format!(
            "{}. Set it again, or SELECT text2sql.set_prompt('…', NULL);",
            unfit.join("; ")
        )
    });
    let mut items = vec![
        (
            "described objects".into(),
            counts.descriptions.to_string(),
            None,
        ),
        (
            "definitions".into(),
            counts.definitions.to_string(),
            of_definitions,
        ),
        ("examples".into(), counts.examples.to_string(), of_examples),
        ("known joins".into(), counts.joins.to_string(), of_joins),
        ("instructions".into(), counts.instructions.to_string(), None),
    ];
    // Most databases use those of the extension.
    if counts.own_prompts > 0 {
        items.push((
            "own prompts".into(),
            counts.own_prompts.to_string(),
            of_prompts,
        ));
    }
    Ok(items)
}
