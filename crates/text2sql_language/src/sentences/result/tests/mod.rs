//! Sentences that a person agreed to: a question with a result, and what is said.
//!
//! A case is `question | columns | rows | facts`. A column is `name type`, with its role after a colon; cells are
//! separated by commas, rows by semicolons.

use expect_test::expect_file;
use serde_json::value::RawValue;

use super::facts::{Order, Output, Places, QueryFacts, Reason, Role, TimeUnit};
use super::format::amount;
use super::grammar::Unread;
use super::kinds::{Single, SingleKind};
use super::phrases::Phrases;
use super::worded::Worded;
use super::{Found, sentence};
use crate::understanding::Understanding;
use text2sql_domain::sql_result::{Cell, Execution, ResultColumn};
use text2sql_phrases::Language;

const TODAY: &str = "2026-11-21";

#[test]
fn sentences_are_those_a_person_agreed_to() {
    let files = [
        expect_file!["english.txt"],
        expect_file!["german.txt"],
        expect_file!["others.txt"],
    ];
    let cases: usize = files
        .iter()
        .map(|file| golden_text::check(file, said))
        .sum();
    assert!(cases >= 60, "{cases} cases");
}

/// The sentence for a case.
fn said(case: &str) -> String {
    let mut parts = case.split('|').map(str::trim);
    let question = parts.next().unwrap_or_default();
    let columns = parts.next().unwrap_or_default();
    let rows = parts.next().unwrap_or_default();
    let (columns, outputs): (Vec<_>, Vec<_>) =
        columns.split(',').map(|text| column(text.trim())).unzip();
    let mut facts = QueryFacts {
        outputs,
        ..QueryFacts::default()
    };
    let mut execution = Execution {
        columns,
        rows: rows_of(rows),
        ..Execution::default()
    };
    let (mut places, mut reasons) = (None, Vec::new());
    let mut is_off_topic = false;
    for fact in parts.next().unwrap_or_default().split('&').map(str::trim) {
        let (word, rest) = fact.split_once(' ').unwrap_or((fact, ""));
        match word {
            "grouped" => facts.is_grouped = true,
            "partial" => facts.is_partial = true,
            "cut" => execution.is_truncated = true,
            "off-topic" => is_off_topic = true,
            "limit" => facts.limit = rest.parse().ok(),
            "all" => facts.all = rest.parse().ok(),
            "order" => facts.order = Some(order(rest, &facts)),
            "places" => places = Some(places_of(rest)),
            "why" => reasons.push(reason(rest)),
            "" => {}
            other => panic!("{other} is no fact"),
        }
    }
    sentence(&Found {
        understanding: &Understanding::of(question, TODAY),
        execution: &execution,
        facts: &facts,
        is_off_topic,
        places: places.as_ref(),
        reasons: &reasons,
    })
}

fn column(text: &str) -> (ResultColumn, Output) {
    let (column, role) = text.split_once(':').unwrap_or((text, ""));
    let (name, type_name) = column.trim().split_once(' ').unwrap_or((column, "text"));
    let column = ResultColumn {
        name: name.to_owned(),
        type_name: type_name.trim().to_owned(),
    };
    (column, output(role))
}

fn output(text: &str) -> Output {
    let (text, unit) = text.split_once('~').unwrap_or((text, ""));
    let (text, taught) = text.split_once('!').unwrap_or((text, ""));
    let (role, label) = text.split_once('=').unwrap_or((text, ""));
    let said = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
    Output {
        role: match role.trim() {
            "" => Role::Unknown,
            "value" => Role::Value,
            "id" => Role::Id,
            "count" => Role::Count,
            "distinct" => Role::DistinctCount,
            "sum" => Role::Sum,
            "measure" => Role::Measure,
            "year" => Role::Time(TimeUnit::Year),
            "quarter" => Role::Time(TimeUnit::Quarter),
            "month" => Role::Time(TimeUnit::Month),
            "week" => Role::Time(TimeUnit::Week),
            "day" => Role::Time(TimeUnit::Day),
            other => panic!("{other} is no role"),
        },
        label: said(label),
        taught: said(taught).into_iter().collect(),
        unit: said(unit),
    }
}

fn rows_of(text: &str) -> Vec<Vec<Cell>> {
    let row = |row: &str| row.split(',').map(|cell| cell_of(cell.trim())).collect();
    text.split(';')
        .map(str::trim)
        .filter(|row| !row.is_empty())
        .map(row)
        .collect()
}

fn cell_of(text: &str) -> Cell {
    Cell {
        text: (text != "NULL").then(|| text.to_owned()),
        json: RawValue::from_string("null".to_owned()).unwrap(),
    }
}

/// `2 desc`: the second column; `hidden sum=total desc`: a column that is not shown.
fn order(text: &str, facts: &QueryFacts) -> Order {
    let (what, direction) = text.rsplit_once(' ').unwrap_or((text, ""));
    let hidden = what.strip_prefix("hidden ");
    let at = what.parse::<usize>().ok().map(|at| at - 1);
    Order {
        output: at,
        is_descending: direction == "desc",
        is: match (hidden, at) {
            (Some(hidden), _) => output(hidden),
            (None, Some(at)) => facts.outputs[at].clone(),
            (None, None) => Output::default(),
        },
    }
}

/// `bigint 2 0: rows`: the type of the measure, how many share the first place, how many are left out.
fn places_of(text: &str) -> Places {
    let (head, rows) = text.split_once(':').unwrap_or((text, ""));
    let [measure_type, equal, left_out] = head.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{head} are no places");
    };
    Places {
        rows: rows_of(rows),
        measure_type: measure_type.to_owned(),
        equal: equal.parse().unwrap(),
        left_out: left_out.parse().unwrap(),
    }
}

fn reason(text: &str) -> Reason {
    let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
    match kind {
        "period" => Reason::Period {
            from: Some(first.to_owned()),
            to: Some(second.to_owned()),
        },
        "last" => Reason::LastDate {
            column: first.to_owned(),
            day: second.to_owned(),
        },
        "first" => Reason::FirstDate {
            column: first.to_owned(),
            day: second.to_owned(),
        },
        "filter" => {
            let (sql, nearest) = rest.split_once("->").unwrap_or((rest, ""));
            Reason::Condition {
                sql: sql.trim().to_owned(),
                nearest: nearest
                    .split('/')
                    .map(str::trim)
                    .filter(|one| !one.is_empty())
                    .map(str::to_owned)
                    .collect(),
            }
        }
        "having" => Reason::GroupCondition(rest.to_owned()),
        "together" => {
            Reason::Together(rest.split('/').map(|part| part.trim().to_owned()).collect())
        }
        "empty" => Reason::EmptyTable(rest.to_owned()),
        "values" => Reason::NoValues,
        other => panic!("{other} is no reason"),
    }
}

#[test]
fn a_made_up_language_says_what_its_file_has() {
    let file = include_str!("../../../../../text2sql_phrases/tests/made_up.po");
    let words = Worded {
        question: String::new(),
        language: Language::of_file("xx", file),
        grammar: &Unread,
    };
    let single = Single {
        value: amount(&words, "12345", "bigint"),
        kind: SingleKind::Amount,
        label: None,
    };
    let frame = words.frame("Kei nalu ruun?");
    assert_eq!(words.single(&frame, &single), "E 12'345.");
    assert_eq!(words.rows(0, false), "Na ruu.");
    assert_eq!(words.rows(2, false), "2 ruun.");
    // The rest is English.
    assert_eq!(words.rows(2, true), "At least 2 rows were found.");
}
