//! From measurements to the rows of the report, and the aims they are held against.

use crate::advice_cost::Advice;
use crate::builtin_cost::BuiltinCost;
use crate::guard_cost::GuardCost;
use crate::pipeline_cost::PipelineCost;
use crate::report::{Aim, Section};
use crate::server_cost::ServerCost;
use crate::session_cost::{ColdParts, MemoryGrowth, SessionCost};
use crate::statistics::{differences, median, percentile, ratios};
use crate::subject::Subject;

/// A query that takes longer hides the cost of the pipeline.
const LONGEST_QUERY_MS: f64 = 2.0;
/// Tens of microseconds: below a hundred.
const GUARD_US: f64 = 99.0;
/// A question against the same SQL and one request: how many times as long, and how many milliseconds more.
const RATIO: f64 = 2.0;
const MORE_THAN_RATIO_MS: f64 = 1.0;
/// What text2sql-server may add to a question: median and 95th percentile.
const SERVER_MS: (f64, f64) = (5.0, 15.0);
/// Time until the asker sees that something happens.
const FIRST_STEP_MS: f64 = 50.0;
/// What a thousand tables may add to a question after the first of a session.
const LARGE_CATALOG_MS: f64 = 5.0;

/// The section on the whole pipeline.
pub(crate) fn pipeline(subject: &Subject<'_>, cost: &PipelineCost) -> Section {
    let mut section = Section::new(format!("{}: a question, warm", subject.title));
    section.series("the same SQL, sent directly", "ms", &cost.direct);
    section.series("one loopback request of the same size", "ms", &cost.request);
    section.series("both: the baseline", "ms", &cost.baseline);
    section.series("text2sql.ask", "ms", &cost.ask);
    section.series(
        "added by text2sql",
        "ms",
        &differences(&cost.ask, &cost.baseline),
    );
    section.series(
        "ratio, pair by pair",
        "x",
        &ratios(&cost.ask, &cost.baseline),
    );
    let characters: Vec<f64> = subject
        .questions
        .iter()
        .map(|asked| asked.prompt_characters as f64)
        .collect();
    section.series("prompt", "characters", &characters);
    let bytes: Vec<f64> = subject
        .questions
        .iter()
        .map(|asked| asked.body.len() as f64)
        .collect();
    section.series("request body", "bytes", &bytes);
    section.note(format!(
        "{} pairs in turn, {} questions",
        cost.ask.len(),
        subject.questions.len()
    ));
    if cost.slowest_query >= LONGEST_QUERY_MS {
        section.note(format!(
            "a query takes {:.1} ms, more than {LONGEST_QUERY_MS} ms: it hides the cost",
            cost.slowest_query
        ));
    }
    section
}

/// The section on where the time of a question goes.
pub(crate) fn stages(subject: &Subject<'_>, stages: &[(String, Vec<f64>)]) -> Section {
    let mut section = Section::new(format!("{}: stages of a question, warm", subject.title));
    for (stage, times) in stages {
        section.series(stage, "ms", times);
    }
    section.note("by progress notices, which cost some microseconds each");
    section.note("generate holds the loopback request, the last stage also call and reply");
    section
}

/// The section on the first question of a session.
pub(crate) fn sessions(subject: &Subject<'_>, cost: &SessionCost, parts: &ColdParts) -> Section {
    let mut section = Section::new(format!("{}: a new session", subject.title));
    section.series("first question", "ms", &cost.first);
    section.series("the same question again", "ms", &cost.second);
    section.series(
        "later, a question about other tables",
        "ms",
        &cost.later_new,
    );
    section.series("later, a question asked before", "ms", &cost.later_repeated);
    section.series(
        "first SQL sent directly, without text2sql",
        "ms",
        &cost.direct_first,
    );
    section.series("the same SQL again", "ms", &cost.direct_second);
    section.series("part: loading the library", "ms", &parts.library);
    section.series(
        "part: first prompt (catalog read cold)",
        "ms",
        &parts.prompt_cold,
    );
    section.series("part: prompt about other tables", "ms", &parts.prompt_new);
    section.series(
        "part: same prompt again (catalog warm)",
        "ms",
        &parts.prompt_warm,
    );
    section.series(
        "part: first answer after that (helper, guard, query)",
        "ms",
        &parts.ask_after,
    );
    section.note(format!("{} new sessions each", cost.first.len()));
    section
}

/// The section on the memory of a backend.
pub(crate) fn memory(
    subject: &Subject<'_>,
    count: usize,
    asking: Option<&MemoryGrowth>,
    querying: Option<&MemoryGrowth>,
) -> Section {
    let mut section = Section::new(format!("{}: memory of a backend", subject.title));
    let distinct = subject.questions.len();
    for (who, growth) in [("asking", asking), ("same SQL directly", querying)] {
        let Some(growth) = growth else {
            section.note(format!("{who}: /proc does not tell"));
            continue;
        };
        let before = growth.before.anonymous as f64;
        let mut row = |when: &str, kilobytes: u64| {
            let gain = kilobytes as f64 - before;
            section.number(&format!("{who}: gain after {when}"), "kB", gain);
        };
        row("the first", growth.after_first.anonymous);
        row(
            &format!("{distinct} different ones"),
            growth.after_each.anonymous,
        );
        row(&format!("{count}"), growth.after_all.anonymous);
        section.number(&format!("{who}: before the first"), "kB", before);
        let files = growth.after_all.files as f64 - growth.before.files as f64;
        section.number(&format!("{who}: gain of shared file pages"), "kB", files);
    }
    section.note("RssAnon, RssFile of /proc/PID/status");
    section
}

/// The section on the guard.
pub(crate) fn guard(statements: &[(&str, GuardCost)]) -> Section {
    let mut section = Section::new("Guard: text2sql.run_json against the same SQL, demo database");
    for (name, cost) in statements {
        section.series(&format!("{name}: directly"), "ms", &cost.direct);
        section.series(&format!("{name}: added"), "µs", &cost.added());
    }
    section.note("holds guard, sandbox, JSON and the call; pair by pair");
    section
}

/// The section on the built-in engine.
pub(crate) fn builtin(subject: &Subject<'_>, cost: &BuiltinCost) -> Section {
    let mut section = Section::new(format!("{}: the built-in engine, warm", subject.title));
    let asked = cost.answered + cost.declined_questions.len();
    section.series("question answered", "ms", &cost.ask);
    section.series("the same SQL, sent directly", "ms", &cost.direct);
    section.series(
        "added by text2sql",
        "ms",
        &differences(&cost.ask, &cost.direct),
    );
    section.series("question declined", "ms", &cost.declined);
    section.note(format!("{} of {asked} questions answered", cost.answered));
    for question in &cost.declined_questions {
        section.note(format!("declined: {question}"));
    }
    section
}

/// The section on what `text2sql.optimize` proposes.
pub(crate) fn advice(measured: Option<&[Advice]>) -> Section {
    let mut section = Section::new("Indexes that text2sql.optimize proposes, demo database");
    for advice in measured.unwrap_or_default() {
        let name = advice.name;
        section.series(&format!("{name}: before"), "ms", &advice.before);
        section.series(&format!("{name}: with the index"), "ms", &advice.after);
        section.number(
            &format!("{name}: times faster"),
            "x",
            median(&advice.before) / median(&advice.after),
        );
        section.number(
            &format!("{name}: times cheaper, as estimated"),
            "x",
            advice.promised,
        );
    }
    section.note(match measured {
        Some(_) => "each index is made, measured and dropped; times hold the round trip",
        None => "NOT MEASURED: the package hypopg is not installed on the server",
    });
    section
}

/// The aims for one catalog against the other.
pub(crate) fn aims(
    small: (&PipelineCost, &SessionCost),
    large: (&PipelineCost, &SessionCost),
    statements: &[(&str, GuardCost)],
) -> Vec<Aim> {
    let question = median(&small.0.ask);
    let mut aims = vec![
        Aim::at_most(
            "demo, question, more than 2 times the baseline",
            question - RATIO * median(&small.0.baseline),
            MORE_THAN_RATIO_MS,
            "ms",
        ),
        Aim::at_most(
            "1,000 tables, new question of a session, more than demo",
            median(&large.1.later_new) - median(&small.1.later_new),
            LARGE_CATALOG_MS,
            "ms",
        ),
        Aim::at_most(
            "1,000 tables, repeated question, more than demo",
            median(&large.0.ask) - question,
            LARGE_CATALOG_MS,
            "ms",
        ),
    ];
    // The first calls a function that does nothing: no guard in it.
    for (name, cost) in statements.iter().skip(1) {
        aims.push(Aim::at_most(
            &format!("guard, {name}"),
            cost.median_added(),
            GUARD_US,
            "µs",
        ));
    }
    for (name, cost) in [("demo", small.0), ("1,000 tables", large.0)] {
        let aim = format!("{name}, slowest query itself");
        aims.push(Aim::at_most(
            &aim,
            cost.slowest_query,
            LONGEST_QUERY_MS,
            "ms",
        ));
    }
    aims
}

/// The section on text2sql-server.
pub(crate) fn server(cost: Option<&ServerCost>) -> Section {
    let mut section = Section::new("Demo database: text2sql-server");
    let Some(cost) = cost else {
        section.note("not measured: text2sql-server is not built");
        return section;
    };
    section.series("text2sql.ask in a session", "ms", &cost.session);
    section.series("POST /api/v1/ask", "ms", &cost.http);
    section.series(
        "added by the server",
        "ms",
        &differences(&cost.http, &cost.session),
    );
    section.series("first step of a stream", "ms", &cost.first_step);
    section.note("in turn, with connections that are kept; the streams on new ones");
    section
}

/// What text2sql-server may cost.
pub(crate) fn server_aims(cost: Option<&ServerCost>) -> Vec<Aim> {
    let Some(cost) = cost else {
        return Vec::new();
    };
    let added = differences(&cost.http, &cost.session);
    vec![
        Aim::at_most("text2sql-server, added", median(&added), SERVER_MS.0, "ms"),
        Aim::at_most(
            "text2sql-server, added, 95th percentile",
            percentile(&added, 95.0),
            SERVER_MS.1,
            "ms",
        ),
        Aim::at_most(
            "text2sql-server, first step",
            median(&cost.first_step),
            FIRST_STEP_MS,
            "ms",
        ),
    ]
}
