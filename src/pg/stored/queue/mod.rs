//! Questions that are answered by background workers: `submit()`, `ask_batch()` and `work()`.
//!
//! # As whom a question is answered
//!
//! A worker logs in as the role that had logged in when the question was submitted, with the settings that the server gives
//! that role and database ([`worker`]). It then does what that session had done: it sets what the session had set, with the
//! privileges of that login ([`session_settings`]), and becomes the role that asked by SET ROLE, which the server allows or
//! refuses as it would in any session. So nothing here has a right that the login does not have at that moment, whoever
//! started the worker.
//!
//! # Once, and not lost
//!
//! A worker holds a lock of its session on the question that it answers ([`locks`]), from before the row is marked as
//! running until the outcome is stored. The lock ends with the process, whatever ends it; a row that is marked as running and
//! whose lock is free is taken up again. The outcome is stored only in a row that is still running, in the transaction that
//! records the question.

pub(crate) mod crew;
pub(crate) mod locks;
pub(crate) mod progress;
pub(crate) mod report;
pub(crate) mod session_settings;
pub(crate) mod start;
pub(crate) mod store;
pub(crate) mod worker;

pub(crate) use self::start::take_up;
