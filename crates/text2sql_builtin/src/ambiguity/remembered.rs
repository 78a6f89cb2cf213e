//! The doubts about the last questions: one that is asked again is looked through once.
//!
//! A doubt follows from the question, its day, the tables and the definitions, and from nothing else. The
//! description of a table never changes once it is shared, so that equal pointers are equal tables: another role,
//! another schema, statistics or protection are other objects.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use super::doubt::Doubt;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::understanding::Understanding;

/// Maximum number of questions: those of a dashboard.
const MAX_QUESTIONS: usize = 32;

/// Maximum number of tables over which a doubt is kept: a pointer each.
const MAX_TABLES: usize = 500;

struct Known {
    question: String,
    today: String,
    /// Weak, so that a table is freed when its session has forgotten it; its address is not used again as long as
    /// one of these remains.
    tables: Vec<Weak<Table>>,
    definitions: Vec<Definition>,
    doubt: Option<Doubt>,
}

impl Known {
    fn is_of(
        &self,
        understanding: &Understanding,
        tables: &[Arc<Table>],
        definitions: &[Definition],
    ) -> bool {
        let is_same = |(known, table): (&Weak<Table>, &Arc<Table>)| {
            std::ptr::eq(known.as_ptr(), Arc::as_ptr(table))
        };
        self.question == understanding.text()
            && self.today == understanding.today()
            && self.tables.len() == tables.len()
            && self.tables.iter().zip(tables).all(is_same)
            && self.definitions == definitions
    }
}

thread_local! {
    /// Latest first.
    static KNOWN: RefCell<VecDeque<Known>> = const { RefCell::new(VecDeque::new()) };
}

/// The doubt as it was for the same question, or as `make` finds it.
pub(super) fn or_made(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    make: impl FnOnce() -> Option<Doubt>,
) -> Option<Doubt> {
    let known = KNOWN.with_borrow(|known| {
        let mut known = known.iter();
        let found = known.find(|one| one.is_of(understanding, tables, definitions))?;
        Some(found.doubt.clone())
    });
    if let Some(doubt) = known {
        return doubt;
    }
    let doubt = make();
    if tables.len() <= MAX_TABLES {
        let made = Known {
            question: understanding.text().to_owned(),
            today: understanding.today().to_owned(),
            tables: tables.iter().map(Arc::downgrade).collect(),
            definitions: definitions.to_vec(),
            doubt: doubt.clone(),
        };
        KNOWN.with_borrow_mut(|known| {
            known.push_front(made);
            known.truncate(MAX_QUESTIONS);
        });
    }
    doubt
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema_fixture::shop;

    fn doubt(question: &str) -> Option<Doubt> {
        Some(Doubt {
            question: question.to_owned(),
            readings: Vec::new(),
            may_be_settled: false,
            is_about_value: false,
        })
    }

    #[test]
    fn a_doubt_is_that_of_the_same_question_over_the_same_tables() {
        let question = |text: &str, day: &str| Understanding::of(text, day);
        let (tables, again) = (shop(), shop());
        let one = question("orders by country", "2026-11-21");
        let first = or_made(&one, &tables, &[], || doubt("first"));
        assert_eq!(first, doubt("first"));
        let unasked = || or_made(&one, &tables, &[], || doubt("never"));
        assert_eq!(unasked(), doubt("first"));
        let other_day = question("orders by country", "2026-11-22");
        assert_eq!(or_made(&other_day, &tables, &[], || None), None);
        let other = question("orders by city", "2026-11-21");
        assert_eq!(or_made(&other, &tables, &[], || None), None);
        // Equal, but other objects: a column may have become hidden in them.
        assert_eq!(or_made(&one, &again, &[], || None), None);
        assert_eq!(or_made(&one, &tables[1..], &[], || None), None);
        let definitions = [Definition::default()];
        assert_eq!(or_made(&one, &tables, &definitions, || None), None);
        assert_eq!(unasked(), doubt("first"));
    }
}
