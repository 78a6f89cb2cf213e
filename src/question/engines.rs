//! The engines of a call: which models `text2sql.model` names, whether the caller may use them, and what one needs
//! before it is asked.

use std::cell::{Cell, RefCell};

use text2sql_domain::config::{BUILTIN, Config, ModelConfig, SideModel, SideModels};
use text2sql_domain::engines::{Engine, Engines};
use text2sql_domain::error::{Error, ErrorKind};

use crate::pg::search::search_index::embedder;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::stored::evaluation::confidence;
use crate::pg::stored::models::slots::SlotTransport;
use crate::pg::stored::models::{self, question_budgets};

/// The engines of a call.
pub(crate) struct CallEngines<'a> {
    names: Vec<String>,
    side_models: SideModelNames,
    transport: &'a SlotTransport,
    /// Whether a search may wait for an endpoint before a model is asked.
    question_waits: bool,
    /// Whether any role has a budget; `None` until the question is counted.
    has_budgets: Cell<Option<bool>>,
    /// The budget that is used up, as message, detail and hint.
    refused: RefCell<Option<[String; 3]>>,
}

/// The names of the models of other calls; `None` where the call is left to the model that writes the SQL.
struct SideModelNames {
    judge: Option<String>,
    narrator: Option<String>,
    table_chooser: Option<String>,
}

impl<'a> CallEngines<'a> {
    /// The engines that the settings and the options of the call name. The caller must have USAGE on all of them.
    pub(crate) fn of(
        overrides: &Overrides,
        config: &Config,
        transport: &'a SlotTransport,
    ) -> Result<Self, Error> {
        let names = match overrides.meaning {
            // Nothing is left for a model to find out.
            Some(_) => vec![BUILTIN.to_owned()],
            None => settings::models(overrides)?,
        };
        models::check_usage(&names)?;
        // A call that is not made needs no model.
        let (judges, narrates, chooses) = (
            config.score.enable_relevance_check,
            config.enable_narration,
            config.enable_table_choice,
        );
        Ok(Self {
            names,
            side_models: SideModelNames {
                judge: settings::judge_model(overrides).filter(|_| judges),
                narrator: settings::narration_model(overrides).filter(|_| narrates),
                table_chooser: settings::table_choice_model(overrides).filter(|_| chooses),
            },
            transport,
            question_waits: embedder::question_waits(config),
            has_budgets: Cell::default(),
            refused: RefCell::default(),
        })
    }

    /// Whether the call may wait for an endpoint.
    pub(crate) fn may_wait(&self) -> bool {
        self.question_waits || names_endpoint(&self.names)
    }

    /// Whether the tokens of the question count for a budget.
    pub(crate) fn counts_tokens(&self) -> bool {
        self.has_budgets.get() == Some(true)
    }

    /// Counts the question once. With others beside it, the built-in engine costs nothing.
    fn charge(&self, name: &str) -> Result<(), Error> {
        let is_free = name == BUILTIN && self.names.len() > 1;
        if is_free || self.has_budgets.get().is_some() {
            return Ok(());
        }
        if let Some([message, detail, hint]) = self.refused.borrow().as_ref() {
            return Err(Error::new(ErrorKind::Limit, message)
                .with_detail(detail)
                .with_hint(hint));
        }
        let charged = question_budgets::charge_question().inspect_err(|error| {
            let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
            self.refused.replace(Some([
                error.message().to_owned(),
                text(error.detail()),
                text(error.hint()),
            ]));
        });
        self.has_budgets.set(Some(charged?));
        Ok(())
    }

    fn ready(&self, name: &str) -> Result<Engine, Error> {
        self.charge(name)?;
        if self.question_waits {
            self.transport.take()?;
        }
        let model = models::model(name)?;
        if let ModelConfig::Endpoint(endpoint) = &model
            && self.counts_tokens()
        {
            question_budgets::check_currency(endpoint)?;
        }
        Ok(Engine {
            confidence: confidence::fit(name, &model)?,
            side_models: match model {
                ModelConfig::Builtin => SideModels::default(),
                ModelConfig::Endpoint(_) | ModelConfig::Replay(_) => self.side_models.resolved(),
            },
            model,
        })
    }
}

impl Engines for CallEngines<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn start(&self, place: usize) -> Result<Engine, Error> {
        let name = self.names.get(place).map_or("", String::as_str);
        // Whether the caller may use it was checked before: what is missing now is a matter of the model.
        self.ready(name).map_err(Error::of_endpoint)
    }
}

impl SideModelNames {
    fn resolved(&self) -> SideModels {
        SideModels {
            judge: side_model("judge_model", self.judge.as_deref()),
            narrator: side_model("narration_model", self.narrator.as_deref()),
            table_chooser: side_model("table_choice_model", self.table_chooser.as_deref()),
        }
    }
}

/// The model of a side call. One that cannot be used does not fail the question.
fn side_model(setting: &str, name: Option<&str>) -> SideModel {
    let Some(name) = name else {
        return SideModel::Writer;
    };
    match models::model(name) {
        Ok(ModelConfig::Endpoint(endpoint)) => SideModel::Endpoint(endpoint),
        Ok(ModelConfig::Builtin | ModelConfig::Replay(_)) => SideModel::None,
        Err(error) => SideModel::Unusable(format!("{setting} was not asked: {}", error.message())),
    }
}

/// Whether one of them is neither built in nor recorded.
pub(crate) fn names_endpoint(names: &[String]) -> bool {
    names
        .iter()
        .any(|name| !matches!(name.as_str(), BUILTIN | "replay"))
}

/// The model of the first prompt: the first one that is not the built-in engine, if there is one.
pub(crate) fn first_prompted(names: &[String]) -> &str {
    let mut models = names.iter().filter(|name| *name != BUILTIN);
    models
        .next()
        .or(names.first())
        .map_or(BUILTIN, String::as_str)
}
