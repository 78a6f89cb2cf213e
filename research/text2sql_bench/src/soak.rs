//! Very many questions in one session: does the backend grow, does it slow down?

use crate::demo;
use crate::error::Fallible;
use crate::memory;
use crate::report::{Aim, Section};
use crate::statistics::median;
use crate::subject::Subject;

/// Total number of questions, and of the windows they are divided into.
const QUESTIONS: usize = 20_000;
const WINDOWS: usize = 10;
/// The first window fills the caches; what comes after it should stay. The allocator moves by some
/// hundred kilobytes without a leak; a leak of a hundred bytes a question would be two megabytes.
const GROWTH_KB: f64 = 1_024.0;

/// Asks the double and the built-in engine in turn and reports memory and time window by window.
pub(crate) fn soak(subject: &Subject<'_>) -> Fallible<(Section, Vec<Aim>)> {
    let mut session = subject.session()?;
    let backend = session.backend()?;
    let builtin = demo::builtin_questions();
    let mut builtin = builtin.iter().cycle();
    let mut section = Section::new("Soak: one session, windows of 2,000 questions");
    let mut held = Vec::new();
    let mut asked = subject.rotation(0);
    for window in 1..=WINDOWS {
        let mut times = Vec::new();
        for _ in 0..QUESTIONS / WINDOWS / 2 {
            if let Some(asked) = asked.next() {
                times.push(session.ask(&asked.question)?);
            }
            if let Some(text) = builtin.next() {
                let options = r#"{"model": "builtin"}"#;
                session.run(&format!(
                    "SELECT * FROM text2sql.ask('{text}', options => '{options}')"
                ))?;
            }
        }
        let memory = memory::of_process(backend).ok_or("/proc does not tell")?;
        held.push(memory.anonymous as f64);
        section.series(
            &format!("window {window}: question to the double"),
            "ms",
            &times,
        );
        section.number(
            &format!("window {window}: memory held"),
            "kB",
            memory.anonymous as f64,
        );
    }
    let (first, last) = (held.first().copied(), held.last().copied());
    let growth = last.unwrap_or(f64::NAN) - first.unwrap_or(f64::NAN);
    section.number("memory held, median of the windows", "kB", median(&held));
    let aim = Aim::at_most(
        "memory, growth after the first window",
        growth,
        GROWTH_KB,
        "kB",
    );
    Ok((section, vec![aim]))
}
