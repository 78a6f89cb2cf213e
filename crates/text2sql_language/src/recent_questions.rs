//! The last questions of a session: one that is asked again was analysed before.

use std::cell::{OnceCell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use crate::question_kind::{Decision, decide};
use crate::understanding::Understanding;

/// Maximum number of questions: those of a dashboard. Some ten kilobytes each.
const MAX_QUESTIONS: usize = 32;

/// Maximum length of a question that is kept, in bytes.
const MAX_BYTES: usize = 2_000;

thread_local! {
    /// Latest first.
    static RECENT: RefCell<VecDeque<Rc<Analysed>>> = const { RefCell::new(VecDeque::new()) };
}

/// A question, and which side answers it once that was asked for.
struct Analysed {
    understanding: Rc<Understanding>,
    side: OnceCell<Decision>,
}

/// The analysis of a question asked on the day `today`, `YYYY-MM-DD`. It depends on nothing else.
pub fn understood(text: &str, today: &str) -> Rc<Understanding> {
    Rc::clone(&analysed(text, today).understanding)
}

/// The same, and which side answers the question.
pub fn with_side(text: &str, today: &str) -> (Rc<Understanding>, Decision) {
    let analysed = analysed(text, today);
    let understanding = &analysed.understanding;
    let decided = || decide(understanding.text(), understanding.language());
    (
        Rc::clone(understanding),
        analysed.side.get_or_init(decided).clone(),
    )
}

fn analysed(text: &str, today: &str) -> Rc<Analysed> {
    let is_same = |one: &&Rc<Analysed>| {
        one.understanding.text() == text && one.understanding.today() == today
    };
    let known = RECENT.with_borrow(|recent| recent.iter().find(is_same).cloned());
    known.unwrap_or_else(|| {
        let made = Rc::new(Analysed {
            understanding: Rc::new(Understanding::of(text, today)),
            side: OnceCell::new(),
        });
        if text.len() <= MAX_BYTES {
            RECENT.with_borrow_mut(|recent| {
                recent.push_front(Rc::clone(&made));
                recent.truncate(MAX_QUESTIONS);
            });
        }
        made
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_question_on_the_same_day_is_analysed_once() {
        let first = understood("orders of last month", "2026-11-21");
        assert!(Rc::ptr_eq(
            &first,
            &understood("orders of last month", "2026-11-21")
        ));
        let later = understood("orders of last month", "2026-12-21");
        assert_ne!(first.periods(), later.periods());
        let long = "orders ".repeat(400);
        let kept = understood(&long, "2026-11-21");
        assert!(!Rc::ptr_eq(&kept, &understood(&long, "2026-11-21")));
    }
}
