//! The stages up to a complete question with its context. Every way through the pipeline starts with them.

use std::rc::Rc;

use crate::conversation::Turn;
use crate::stages::given_meaning;
use crate::stages::interpret::{Interpreted, interpret};
use crate::stages::retrieve::{self, retrieve};
use crate::stages::route;
use crate::stages::understand::{recall, understand};
use text2sql_builtin::Doubt;
use text2sql_domain::config::{Egress, ModelConfig, SchemaChars};
use text2sql_domain::error::Error;
use text2sql_domain::interrupts;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// A question as it was understood once, for all engines.
pub(super) struct Understood {
    understanding: Rc<Understanding>,
    /// Whether it picks a reading of the last turn.
    is_reading: bool,
    /// The earlier turns that the caller may still read.
    turns: Vec<Turn>,
    /// What was retrieved, by what the prompt of an engine may show.
    retrieved: Vec<(Option<Shown>, Context)>,
}

/// What the prompt of an engine may show; the built-in engine has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shown {
    egress: Egress,
    chars: SchemaChars,
}

/// A complete question with the context retrieved for it.
pub(super) struct Prepared {
    pub(super) understanding: Rc<Understanding>,
    pub(super) context: Rc<Context>,
    /// The earlier turns that the caller may still read.
    pub(super) turns: Vec<Turn>,
    /// Whether it is a follow-up that cannot be resolved.
    pub(super) is_unresolved: bool,
    /// What is doubtful by its names and values alone.
    pub(super) doubt: Option<Doubt>,
}

impl Understood {
    /// Reads the question. `turns` are the earlier turns, oldest first.
    pub(super) fn of(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Self, Error> {
        let turns = recall(cx, turns)?;
        let (understanding, is_reading) = understand(cx, question, &turns);
        Ok(Self {
            understanding,
            is_reading,
            turns,
            retrieved: Vec::new(),
        })
    }

    /// Completes it for the engine of this run. What was retrieved is kept if another engine may need it.
    pub(super) fn prepare(&mut self, cx: &Run<'_>, keeps: bool) -> Result<Prepared, Error> {
        interrupts::check()?;
        let mut context = self.context(cx, keeps)?;
        interrupts::check()?;
        if let Some(meaning) = &cx.config.meaning {
            given_meaning::take(cx, meaning, &self.understanding, &mut context)?;
            return Ok(Prepared {
                understanding: Rc::clone(&self.understanding),
                context: Rc::new(context),
                turns: Vec::new(),
                is_unresolved: false,
                doubt: None,
            });
        }
        let Interpreted {
            understanding,
            is_unresolved,
        } = interpret(
            cx,
            Rc::clone(&self.understanding),
            self.is_reading,
            &self.turns,
            &mut context,
        )?;
        interrupts::check()?;
        let doubt = route::doubt(cx, &understanding, &context, self.turns.is_empty());
        if let Some(doubt) = &doubt {
            context.facts.readings = route::left_to_model(doubt, cx.egress()).to_vec();
        }
        Ok(Prepared {
            understanding,
            context: Rc::new(context),
            turns: self.turns.clone(),
            is_unresolved,
            doubt,
        })
    }

    /// What is retrieved for an engine, or was for one with the same kind of prompt.
    fn context(&mut self, cx: &Run<'_>, keeps: bool) -> Result<Context, Error> {
        let shown = match cx.config.model {
            ModelConfig::Builtin => None,
            ModelConfig::Endpoint(_) | ModelConfig::Replay(_) => Some(Shown {
                egress: cx.egress(),
                chars: cx.config.schema_chars(),
            }),
        };
        if let Some((_, context)) = self.retrieved.iter().find(|(known, _)| *known == shown) {
            cx.trace.borrow_mut().context.clone_from(&context.tables);
            return Ok(context.clone());
        }
        let context = retrieve(cx, &self.understanding, &self.turns)?;
        if keeps {
            self.retrieved.push((shown, context.clone()));
        }
        Ok(context)
    }
}

/// What the catalog has for a question, even if the whole schema would fit in a prompt.
pub fn find(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Context, Error> {
    let turns = recall(cx, turns)?;
    let (understanding, _) = understand(cx, question, &turns);
    retrieve::find(cx, &understanding, &turns)
}
