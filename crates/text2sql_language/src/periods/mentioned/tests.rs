//! Which days periods are, in every language that is known here, and what is left alone.

use expect_test::expect_file;

use super::*;

#[test]
fn periods_are_the_days_a_person_agreed_to() {
    golden_text::check(&expect_file!["periods.txt"], |question| {
        let found = mentioned_periods(question, "2026-11-21");
        let days: Vec<String> = found.iter().map(MentionedPeriod::statement).collect();
        days.join("\n")
    });
}
