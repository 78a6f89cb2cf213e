//! What fails a query.

use crate::repair_trigger::RepairTrigger;

/// What fails a query by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It did not run.
    NotRun,
    /// This check is certain that it does not do what it appears to do.
    Certain(&'static str),
    /// Question and query have little in common.
    OffTopic,
    /// The model finds that it hardly answers the question.
    Irrelevant,
    /// It leaves out too much of what the question names.
    Incomplete,
    /// Many small doubts: the total is below the threshold.
    LowTotal,
}

impl Fault {
    /// The name used in the trace; that of a check is its own.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotRun => "not_run",
            Self::Certain(check) => check,
            Self::OffTopic => "off_topic",
            Self::Irrelevant => "irrelevant",
            Self::Incomplete => "incomplete",
            Self::LowTotal => "low_total",
        }
    }

    /// The reason, in one sentence.
    pub fn reason(self) -> String {
        match self {
            Self::NotRun => "It did not run.".to_owned(),
            Self::Certain(check) => {
                format!("The check {check} is certain that it does not do what it seems to.")
            }
            Self::OffTopic => "Question and query have little in common.".to_owned(),
            Self::Irrelevant => "The model says that it hardly answers the question.".to_owned(),
            Self::Incomplete => "It leaves out much of what the question names.".to_owned(),
            Self::LowTotal => "The score is below the threshold.".to_owned(),
        }
    }

    /// The lowest value of `repair_on` at which it sends a query back.
    ///
    /// What is proved, what hardly ever speaks about a right query, and an opinion that a call was paid for do so by
    /// default. The figures are in `docs/reference/evaluation.md`.
    pub fn repaired_from(self) -> RepairTrigger {
        match self {
            Self::NotRun => RepairTrigger::Errors,
            Self::Certain(_) | Self::OffTopic | Self::Irrelevant => RepairTrigger::Findings,
            Self::Incomplete | Self::LowTotal => RepairTrigger::Gate,
        }
    }
}
