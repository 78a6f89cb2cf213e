//! Ties of a ranking: an additional query counts the rows that share the first place, and those equal to
//! the last row shown.

use crate::binding::select::{Select, Shape};
use crate::linking::readable_names::singular;
use crate::rendering::sql::render_sql;
use text2sql_domain::language::Language;
use text2sql_domain::schema::quote_identifier;
use text2sql_domain::sentence_checks::Ranking;
use text2sql_domain::sql_result::{Cell, Execution};
use text2sql_language::sentences::fill;

/// The output column of the additional query with the ranked value.
const MEASURE: &str = "ranked_by";

/// Maximum number of tied rows that a sentence names.
const MAX_NAMED: u64 = 3;

/// The result of the additional query.
#[derive(Debug, Clone, PartialEq)]
pub struct TieReport {
    /// A sentence that names the first rows, if they have names.
    pub sentence: Option<String>,
    /// A note about equal rows that are not shown; `None` if there are none.
    pub note: Option<String>,
}

/// The ranking of a statement that shows the first rows of an order.
pub(crate) fn ranking_of(select: &Select, note: &str, language: Language) -> Option<Ranking> {
    let (Shape::Leader { names, .. }, Some(limit), Some(ranked)) =
        (&select.shape, select.limit, &select.ranked)
    else {
        return None;
    };
    let named = |name: &String| {
        let mut columns = select.columns.iter();
        columns.find(|(_, known)| known == name).cloned()
    };
    let mut columns: Vec<(String, String)> = names.iter().filter_map(named).collect();
    let known = columns.len();
    columns.push((ranked.expression.clone(), MEASURE.to_owned()));
    let inner = render_sql(&Select {
        columns,
        order_by: vec![format!("{MEASURE}{}", ranked.direction)],
        limit: None,
        ..select.clone()
    });
    let names_sql: Vec<String> = names.iter().map(|name| quote_identifier(name)).collect();
    let order = format!("{MEASURE}{}, {}", ranked.direction, names_sql.join(", "));
    Some(Ranking {
        sql: format!(
            "SELECT {}, {MEASURE}, count(*) OVER () AS reached, \
             count(*) OVER (PARTITION BY {MEASURE}) AS equal\nFROM ({inner}\nFETCH FIRST {limit} \
             ROWS WITH TIES) AS reaching\nORDER BY {order}\nLIMIT {MAX_NAMED}",
            names_sql.join(", ")
        ),
        note: note.to_owned(),
        names: (known == names.len()).then(|| names.clone())?,
        limit,
        ranked: ranked.clone(),
        language,
    })
}

/// Describes the ties between the rows shown and the others.
pub fn report(ranking: &Ranking, shown: &Execution, found: &Execution) -> Option<TieReport> {
    let first = found.rows.first()?;
    let place = ranking.names.len();
    let number = |at: usize| first.get(at)?.text.as_deref()?.parse::<u64>().ok();
    let (reached, equal) = (number(place + 1)?, number(place + 2)?);
    let rows: Vec<&[Cell]> = found.rows.iter().map(Vec::as_slice).collect();
    let is_one = first.get(place)?.text.as_deref() == Some("1");
    Some(TieReport {
        sentence: sentence(ranking, shown, found, rows.len() as u64, equal, is_one),
        note: note_of(ranking, reached, equal),
    })
}

fn note_of(ranking: &Ranking, reached: u64, equal: u64) -> Option<String> {
    let left_out = reached
        .checked_sub(ranking.limit)
        .filter(|more| *more > 0)?;
    Some(match (ranking.limit, ranking.language) {
        (1, Language::English) => {
            format!("{equal} rows share the first place: one of them is shown")
        }
        (1, Language::German) => {
            format!("{equal} Zeilen teilen sich den ersten Platz: eine davon wird gezeigt")
        }
        (_, Language::English) if left_out == 1 => {
            "1 more row is equal to the last one and is not shown".to_owned()
        }
        (_, Language::English) => {
            format!("{left_out} more rows are equal to the last one and are not shown")
        }
        (_, Language::German) if left_out == 1 => {
            "1 weitere Zeile ist gleichauf mit der letzten und wird nicht gezeigt".to_owned()
        }
        (_, Language::German) => format!(
            "{left_out} weitere Zeilen sind gleichauf mit der letzten und werden nicht gezeigt"
        ),
    })
}

fn sentence(
    ranking: &Ranking,
    shown: &Execution,
    found: &Execution,
    rows: u64,
    equal: u64,
    is_one: bool,
) -> Option<String> {
    let label = &ranking.ranked.label;
    let value = format!("{{rows[0].{MEASURE}}}");
    let measure = match (ranking.ranked.counts, ranking.language) {
        (true, Language::English) if is_one => format!(" with {value} {}", singular(label)),
        (true, Language::English) => format!(" with {value} {label}"),
        (true, Language::German) => format!(" mit {value} {label}"),
        (false, _) => format!(": {label} {value}"),
    };
    let leads = !ranking.ranked.direction.is_empty();
    if equal > 1 && (equal > MAX_NAMED || rows < equal) {
        // The row shown, which is not necessarily the first of the tied rows here.
        let name = fill(
            &name(ranking, 0),
            &shown.columns,
            &shown.rows,
            shown.is_truncated,
        )?;
        let rest = match ranking.language {
            Language::English if leads => format!("is one of {equal} that lead{measure}."),
            Language::English => format!("is one of {equal} that come first{measure}."),
            Language::German => format!("ist eine von {equal} Zeilen ganz vorn{measure}."),
        };
        let rest = fill(&rest, &found.columns, &found.rows, false)?;
        return Some(format!("{name} {rest}"));
    }
    let names: Vec<String> = (0..equal).map(|row| name(ranking, row)).collect();
    let template = match (names.as_slice(), ranking.language) {
        ([only], Language::English) if leads => format!("{only} leads{measure}."),
        ([only], Language::English) => format!("{only} comes first{measure}."),
        ([only], Language::German) => format!("{only} steht vorn{measure}."),
        ([front @ .., last], Language::English) => {
            let lead = if leads { "lead" } else { "come first" };
            format!("{} and {last} {lead}{measure} each.", front.join(", "))
        }
        ([front @ .., last], Language::German) => {
            let together = "stehen gemeinsam vorn";
            format!("{} und {last} {together}, je{measure}.", front.join(", "))
        }
        ([], _) => return None,
    };
    let template = template.replace("je:", "je").replace(", je mit", " mit je");
    fill(&template, &found.columns, &found.rows, false)
}

/// The placeholders that name a row.
fn name(ranking: &Ranking, row: u64) -> String {
    let names = ranking.names.iter();
    let names: Vec<String> = names
        .map(|name| format!("{{rows[{row}].{name}}}"))
        .collect();
    names.join(" ")
}
