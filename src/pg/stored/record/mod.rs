//! What is recorded about questions: the history, conversations, boards, and lines of the server log.

pub(crate) mod approvals;
pub(crate) mod audit;
pub(crate) mod boards;
pub(crate) mod conversation;
pub(crate) mod history;
pub(crate) mod kept_answers;
