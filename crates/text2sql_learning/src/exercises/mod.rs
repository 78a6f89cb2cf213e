//! Exercises in SQL from the tables that a learner may read, and the mark of an attempt.
//!
//! An exercise is made anew from its identifier, which is a hash of its query: nothing is stored that a learner
//! could read instead of thinking, and the exercise is the same in another session, for another learner with the
//! same tables, and after other tables were added.

mod exercise;
mod marking;
mod schema_exercises;

pub use self::exercise::{Exercise, Level, chosen_from};
pub use self::marking::{Mark, Marked, mark};
pub use self::schema_exercises::exercises;
