//! Lessons and exercises for people who learn SQL: each query runs as the caller, behind the guard, within the
//! caller's limits.

pub(crate) mod exercises;
pub(crate) mod lesson;
