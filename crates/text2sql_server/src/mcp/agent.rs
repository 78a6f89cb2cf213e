//! The identity that an agent acts for, and its access to the database.

use std::sync::Arc;

use rmcp::model::RequestStateCodec;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::links::Links;
use crate::database::Parameter;
use crate::identity::Identity;
use crate::problem::Problem;
use crate::questions::{Events, Question, Questions};

/// What all agents of this process share.
pub(super) struct Shared {
    pub(super) questions: Questions,
    pub(super) links: Links,
    pub(super) codec: RequestStateCodec,
}

/// One agent, with the rights of one identity.
pub(super) struct Agent {
    pub(super) shared: Arc<Shared>,
    pub(super) identity: Identity,
    /// Whether the client stays connected between messages, as over stdio.
    pub(super) keeps_connection: bool,
}

impl Agent {
    pub(super) fn role(&self) -> &str {
        self.identity.role()
    }

    pub(super) fn codec(&self) -> &RequestStateCodec {
        &self.shared.codec
    }

    pub(super) fn keeps_connection(&self) -> bool {
        self.keeps_connection
    }

    /// The address of all rows of a query.
    pub(super) fn link(&self, sql: &str) -> String {
        format!(
            "text2sql://result/{}.csv",
            self.shared.links.keep(self.role(), sql).simple()
        )
    }

    /// The SQL that a link of this agent stands for.
    pub(super) fn linked_sql(&self, id: Uuid) -> Option<String> {
        self.shared.links.sql(self.role(), id)
    }

    pub(super) fn ask(&self, question: Question) -> Events {
        let questions = &self.shared.questions;
        questions
            .ask(self.identity.clone(), question)
            .unwrap_or_else(Events::failed)
    }

    /// Runs a statement that returns one JSON value, until the client cancels.
    pub(super) async fn json(
        &self,
        context: &RequestContext<RoleServer>,
        statement: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Box<RawValue>, Problem> {
        tokio::select! {
            () = context.ct.cancelled() => Err(Problem::cancelled()),
            json = self.shared.questions.database().json(&self.identity, statement, parameters) => json,
        }
    }
}
