//! A change of a script: what a model wants, and what comes of it.

/// What happens to a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// It is replaced.
    Change,
    /// It is removed.
    Remove,
    /// Another one follows it; 0 stands for the beginning of the script.
    Add,
}

/// A change that a model wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptChange {
    /// The number of the statement.
    pub number: usize,
    /// What happens to it.
    pub action: Action,
    /// The new statement; not used where one is removed.
    pub sql: String,
}

/// A changed script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisedScript {
    /// The whole script.
    pub sql: String,
    /// The statements that differ, in order.
    pub statements: Vec<RevisedStatement>,
}

/// A statement that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisedStatement {
    /// Its number in the given script; of one that was added, that of the statement before it.
    pub number: usize,
    /// As it was; `None` if it was added.
    pub before: Option<String>,
    /// As it is; `None` if it was removed.
    pub after: Option<String>,
    /// What changes, one sentence without full stop for each.
    pub changes: Vec<String>,
    /// The lines that go and those that come.
    pub diff: String,
    /// What nobody asked for, as far as rules can tell.
    pub beyond: Vec<String>,
}
