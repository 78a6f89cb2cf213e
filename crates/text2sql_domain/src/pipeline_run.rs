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
    /// Begins a stage and tells the person who waits.
    pub fn stage(&self, stage: &'static str) -> Stage<'_> {
        self.session.progress(stage);
        Stage {
            run: self,
            start: self.session.elapsed_ms(),
            trace: StageTrace {
                stage,
                milliseconds: 0.0,
                input: Value::Null,
                output: Value::Null,
            },
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

/// A stage under way. It ends, and is on record, when this is dropped: after an error too.
pub struct Stage<'r> {
    run: &'r Run<'r>,
    start: f64,
    trace: StageTrace,
}

impl Stage<'_> {
    /// Ends the stage, with what went into it and what came out of it; never a row value.
    pub fn end(mut self, input: Value, output: Value) {
        (self.trace.input, self.trace.output) = (input, output);
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        // Nobody needs nanoseconds on record.
        let milliseconds = self.run.session.elapsed_ms() - self.start;
        self.trace.milliseconds = (milliseconds * 1000.0).round() / 1000.0;
        let mut trace = self.run.trace.borrow_mut();
        trace.stages.push(self.trace.clone());
    }
}
