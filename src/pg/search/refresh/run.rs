//! One run over the index: who reads, who writes, the settings, and how it shares the index with others.

use std::cell::Cell;

use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_language::terms::Analyzer;

use super::locks::{self, Lock};
use super::progress::Progress;
use crate::pg::search::search_index::embedder;
use crate::pg::server::settings::{self, GuardPolicy, Overrides};
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};
use crate::pg::stored::models;
use crate::pg::stored::record::audit;

/// Writes a new version of the row, by which sessions know a state of the index.
const TOUCH: &str = "UPDATE text2sql._index_state SET done = done";

/// What started the refresh, which decides what it may wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// A call of `refresh()`: everything that changed, and it may take its time.
    Called,
    /// The background worker: gives way to others.
    Worker,
    /// The transaction that changed what is indexed: it does not commit.
    Transaction,
}

/// One run.
pub(super) struct Refresh {
    pub(super) way: Way,
    /// The owner of the index, who writes it.
    pub(super) owner: EffectiveRole,
    /// The role that reads values: only what it can read is read.
    pub(super) reader: EffectiveRole,
    /// The limits for reading one table.
    pub(super) limits: Limits,
    pub(super) policy: GuardPolicy,
    pub(super) analyzer: Analyzer,
    pub(super) embedder: Box<dyn Embedder>,
    /// Length of the vectors, once it is known.
    pub(super) dimensions: Cell<usize>,
    pub(super) progress: Progress,
    /// Whether it has changed something that the state of the index must tell the sessions.
    pub(super) has_begun: Cell<bool>,
    /// Its trace_id in the egress log.
    pub(super) trace_id: pgrx::Uuid,
}

impl Refresh {
    /// A run with the settings of this session.
    pub(super) fn new(
        way: Way,
        owner: EffectiveRole,
        reader: EffectiveRole,
        language: &str,
    ) -> Result<Self, Error> {
        let analyzer = Analyzer::new(language);
        let embedder = embedder::for_refresh(&analyzer)?;
        Ok(Self::with(way, owner, reader, analyzer, embedder))
    }

    /// A run with that embedder.
    pub(super) fn with(
        way: Way,
        owner: EffectiveRole,
        reader: EffectiveRole,
        analyzer: Analyzer,
        embedder: Box<dyn Embedder>,
    ) -> Self {
        Self {
            way,
            owner,
            reader,
            limits: settings::limits(&Overrides::default()),
            policy: settings::guard_policy(),
            embedder,
            analyzer,
            dimensions: Cell::new(0),
            progress: Progress::default(),
            has_begun: Cell::new(false),
            trace_id: models::new_trace_id(),
        }
    }

    /// Whether its vectors come from an endpoint, for which no lock is held.
    pub(super) fn waits(&self) -> bool {
        self.embedder.endpoint().is_some()
    }

    /// The length of its vectors. Some endpoints reveal it only by returning one.
    pub(super) fn length(&self) -> Result<usize, Error> {
        match self.embedder.dimensions() {
            0 => {
                let vectors = audit::with_trace(self.trace_id, || {
                    self.embedder.embed(&["table"], Purpose::Document)
                })?;
                Ok(vectors.first().map_or(0, Vec::len))
            }
            known => Ok(known),
        }
    }

    /// Runs `work` with the privileges of the index's owner.
    pub(super) fn as_owner<T>(&self, work: impl FnOnce() -> T) -> T {
        with_role(&self.owner, work)
    }

    /// Takes the locks of this transaction.
    pub(super) fn lock(&self) -> Result<(), Error> {
        match self.way {
            Way::Called => {
                // Held by others for one batch at most.
                Lock::Writer.take();
                Ok(())
            }
            Way::Worker if !Lock::Workers.try_take() => Err(gives_way()),
            Way::Worker | Way::Transaction => match Lock::Writer.try_take() {
                true => Ok(()),
                false => Err(gives_way()),
            },
        }
    }

    /// Has sessions read again what they keep of the index. To be called before a commit of what no other column of
    /// the state shows.
    pub(super) fn touch(&self) -> Result<(), Error> {
        self.as_owner(|| spi::write(TOUCH, &[], |_| Ok(())))
            .map(drop)
    }

    /// Commits, checks for interrupts, and takes the locks again.
    pub(super) fn commit(&self) -> Result<(), Error> {
        if self.way == Way::Transaction {
            return Ok(());
        }
        let is_wanted = self.way == Way::Worker && locks::should_give_way();
        spi::commit();
        pgrx::check_for_interrupts!();
        if is_wanted {
            return Err(gives_way());
        }
        self.lock()
    }

    /// Whether a message would have a reader.
    pub(super) fn has_caller(&self) -> bool {
        self.way == Way::Called
    }
}

/// The end of a run that others need to be over. Never shown: see [`is_giving_way`].
fn gives_way() -> Error {
    failure!(Cancelled, "the index is in use")
}

/// Whether the run ended for others, and not because something failed.
pub(super) fn is_giving_way(error: &Error) -> bool {
    error.kind() == ErrorKind::Cancelled
}
