//! Which days periods are, in every language that is known here, and what is left alone.

use expect_test::expect_file;

use super::*;
use crate::understanding::Understanding;

#[test]
fn periods_are_the_days_a_person_agreed_to() {
    golden_text::check(&expect_file!["periods.txt"], |question| {
        let understanding = Understanding::of(question, "2026-11-21");
        let periods = understanding.periods().iter();
        let days: Vec<String> = periods.map(MentionedPeriod::statement).collect();
        days.join("\n")
    });
}
