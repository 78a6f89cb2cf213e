//! What one question runs with.

use std::cell::RefCell;

use serde_json::Value;

use crate::config::{Config, Egress, ModelConfig};
use crate::ports::search_index::SearchIndex;
use crate::ports::{Catalog, Database, Session, Transport};
use crate::trace::{StageTrace, Trace};

/// Everything one question runs with.
pub struct Run<'a> {
    /// What the caller may read.
    pub catalog: &'a dyn Catalog,
    /// Finds what a question is about; [`NoIndex`](crate::ports::search_index::NoIndex) where none was built.
    pub index: &'a dyn SearchIndex,
    /// Judges and runs generated SQL.
    pub database: &'a dyn Database,
    /// Speaks to endpoints.
    pub transport: &'a dyn Transport,
    /// Clock and notices.
    pub session: &'a dyn Session,
    /// What this run may vary.
    pub config: &'a Config,
    /// What it did.
    pub trace: RefCell<Trace>,
}

impl Run<'_> {
    /// Runs a stage, tells the person who waits, and keeps the time.
    pub fn stage<T>(&self, stage: &'static str, work: impl FnOnce() -> T) -> T {
        self.session.progress(stage);
        let start = self.session.elapsed_ms();
        let result = work();
        // Nobody needs nanoseconds on record.
        let milliseconds = ((self.session.elapsed_ms() - start) * 1000.0).round() / 1000.0;
        self.trace.borrow_mut().stages.push(StageTrace {
            stage,
            milliseconds,
            input: Value::Null,
            output: Value::Null,
        });
        result
    }

    /// Notes what went into the last stage and what came out of it; never a row value.
    pub fn note(&self, input: Value, output: Value) {
        if let Some(last) = self.trace.borrow_mut().stages.last_mut() {
            (last.input, last.output) = (input, output);
        }
    }

    /// What may leave the server for the model of this run.
    pub fn egress(&self) -> Egress {
        match &self.config.model {
            ModelConfig::Endpoint(endpoint) => endpoint.egress,
            ModelConfig::Builtin | ModelConfig::Replay(_) => Egress::Rows,
        }
    }
}
