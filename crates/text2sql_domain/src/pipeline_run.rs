//! The context of one question.

use std::cell::RefCell;

use serde_json::Value;

use crate::config::{Config, Egress};
use crate::engines::Engine;
use crate::ports::search_index::SearchIndex;
use crate::ports::{Catalog, Database, PassageSearch, Session, Transport};
use crate::progress::{News, Progress};
use crate::shown::Shows;
use crate::trace::{StageTrace, Trace};

/// The context of one question: ports, configuration and trace.
pub struct Run<'a> {
    /// The tables that the caller may read.
    pub catalog: &'a dyn Catalog,
    /// The search index; [`NoIndex`](crate::ports::search_index::NoIndex) if none was built.
    pub index: &'a dyn SearchIndex,
    /// Searches the texts beside the tables; [`NoTexts`](crate::ports::NoTexts) if there are none.
    pub texts: &'a dyn PassageSearch,
    /// Checks and runs generated SQL.
    pub database: &'a dyn Database,
    /// Sends requests to endpoints.
    pub transport: &'a dyn Transport,
    /// Clock and notices.
    pub session: &'a dyn Session,
    /// The configuration.
    pub config: &'a Config,
    /// The trace so far.
    pub trace: RefCell<Trace>,
}

impl Run<'_> {
    /// Begins a stage and reports it as progress.
    pub fn stage(&self, stage: &'static str) -> Stage<'_> {
        if self.session.reports_progress() {
            let news = self.trace.borrow_mut().news.take();
            self.session.progress(&Progress { stage, news });
        }
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

    /// Notes what the next report of progress says, where one is wanted.
    pub fn note(&self, note: impl FnOnce(&mut News)) {
        if self.session.reports_progress() {
            note(&mut self.trace.borrow_mut().news);
        }
    }

    /// Runs `work` with that engine and the same trace.
    pub fn with_engine<R>(&self, engine: &Engine, work: impl FnOnce(&Run<'_>) -> R) -> R {
        let config = Config {
            model: engine.model.clone(),
            confidence: engine.confidence,
            side_models: engine.side_models.clone(),
            ..self.config.clone()
        };
        let run = Run {
            catalog: self.catalog,
            index: self.index,
            texts: self.texts,
            database: self.database,
            transport: self.transport,
            session: self.session,
            config: &config,
            trace: RefCell::new(self.trace.take()),
        };
        let result = work(&run);
        self.trace.replace(run.trace.into_inner());
        result
    }

    /// What may be sent to the model of this run.
    pub fn egress(&self) -> Egress {
        self.config.model.egress()
    }

    /// What the model of this run is shown of tables.
    pub fn shows(&self) -> Shows {
        Shows::of(self.config)
    }
}

/// A running stage. It is recorded when it is dropped, also after an error.
pub struct Stage<'r> {
    run: &'r Run<'r>,
    start: f64,
    trace: StageTrace,
}

impl Stage<'_> {
    /// Ends the stage and records its input and output, which contain no row value.
    pub fn end(mut self, input: Value, output: Value) {
        (self.trace.input, self.trace.output) = (input, output);
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        // Rounded: nanoseconds are of no use in the trace.
        let milliseconds = self.run.session.elapsed_ms() - self.start;
        self.trace.milliseconds = (milliseconds * 1000.0).round() / 1000.0;
        let mut trace = self.run.trace.borrow_mut();
        trace.stages.push(self.trace.clone());
    }
}
