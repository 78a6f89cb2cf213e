//! The complete configuration of a run, built before the run begins. Stages read no settings and have
//! no hidden defaults.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use crate::approval::Approval;
use crate::confidence::Fit;
use crate::dialect::Dialect;
use crate::ingredients::Ingredients;
pub use crate::model_program::{ModelProgram, Profile};
use crate::own_prompts::OwnPrompts;
use crate::prices::{Prices, TokenCount, Usage};
pub use crate::repair_trigger::RepairTrigger;
use crate::score::ScoreConfig;
use crate::secret::Secret;
use crate::strategy::Strategy;
use crate::{named_enum, with_defaults};

with_defaults! {
    /// The configuration of one question; by default the built-in engine with the default settings.
    #[derive(Debug, Clone)]
    pub struct Config {
        /// The model that writes the SQL.
        pub model: ModelConfig = ModelConfig::Builtin,
        /// The models of other calls for the same question.
        pub side_models: SideModels = SideModels::default(),
        /// Maximum number of times that a failed statement is sent back to the model.
        pub max_repairs: u32 = Self::MAX_REPAIRS,
        /// What sends a query back to the model.
        pub repair_on: RepairTrigger = RepairTrigger::Findings,
        /// Number of candidates requested in parallel, 1 or more.
        pub candidates: usize = 1,
        /// The prompting strategy; `None` chooses one that fits the question.
        pub strategy: Option<Strategy> = None,
        /// Maximum number of dependent steps of an answer; 1 means a single statement.
        pub max_steps: usize = 4,
        /// How many replies of a model may be calls of tools, by which it looks at the data before it writes.
        pub max_looks: usize = 0,
        /// Maximum size of the schema part of a prompt, in characters: of one for a question whose words did not
        /// settle which tables it is about. See [`Self::schema_chars`].
        pub max_schema_chars: usize = Self::MAX_SCHEMA_CHARS,
        /// Size of the schema part of a prompt that is exceeded only for such a question.
        pub usual_schema_chars: usize = Self::USUAL_SCHEMA_CHARS,
        /// Whether a model that says what it lacks is asked once more, with the tables found for that.
        pub enable_second_look: bool = true,
        /// Whether a model chooses among the names of tables before the SQL is written.
        pub enable_table_choice: bool = false,
        /// Which parts of retrieval are enabled.
        pub retrieval: RetrievalConfig = RetrievalConfig::ALL,
        /// The model that ranks the tables that were found; `None` is the built-in ranking, which needs no network.
        pub rerank_model: Option<String> = None,
        /// Which facts about tables the model is shown.
        pub ingredients: Ingredients = Ingredients::ALL,
        /// How the texts beside the tables are used.
        pub texts: TextsConfig = TextsConfig::default(),
        /// OIDs of relations that the answer must not read, directly or through relations derived from them. Used when a
        /// view is rebuilt.
        pub without: Vec<u32> = Vec::new(),
        /// Verified examples that are not shown, by ID: the answer itself, where a prompt becomes data for training.
        pub hidden_examples: HashSet<u32> = HashSet::new(),
        /// How much of what was found a prompt shows.
        pub shown: ShownCounts = ShownCounts::default(),
        /// Pipeline stages that are enabled.
        pub stages: StageSwitches = StageSwitches::default(),
        /// How a query is scored.
        pub score: ScoreConfig = ScoreConfig::default(),
        /// The fitted confidence; `None` if none was fitted.
        pub confidence: Option<Fit> = None,
        /// How the question is interpreted before SQL is written.
        pub reading: ReadingConfig = ReadingConfig::default(),
        /// What the owner says to models.
        pub owner: OwnerConfig = OwnerConfig::default(),
        /// Whether the answer has a sentence.
        pub enable_narration: bool = true,
        /// Which questions wait for a person.
        pub approval: Approval = Approval::default(),
        /// Caps on every generated statement.
        pub limits: Limits = Limits::default(),
        /// What the question means, where the caller says it: nothing is read from its words then.
        pub meaning: Option<Arc<serde_json::Value>> = None,
        /// The dialect of a schema that the caller handed over; `None` for the schema of this database.
        pub given_schema: Option<Dialect> = None,
    }
}

impl Config {
    /// The default of `max_repairs`. In the literature, most of the gain comes from the first two.
    pub const MAX_REPAIRS: u32 = 2;
    /// The default of `max_schema_chars`: about 30,000 tokens, which today's models read without trouble. Cutting
    /// a schema by guessing costs more: over 110 tables (40,000 characters), one model was right in 82 % where
    /// it saw all of them and in 43 to 73 % where it saw 40.
    pub const MAX_SCHEMA_CHARS: usize = 120_000;
    /// The default of `usual_schema_chars`: about 8,000 tokens, which every current model handles well.
    pub const USUAL_SCHEMA_CHARS: usize = 30_000;

    /// The most that the profile `compact` shows, counted as the other profile would write it: some thirty tables, which
    /// it writes in half of that, and which two processors read in half a minute, once for all questions of a catalog.
    pub const COMPACT_SCHEMA_CHARS: usize = 18_000;

    /// The configuration under a rule of approval. What finds reasons to doubt a query can be made stricter by settings
    /// and options of the asker, who must not make it weaker.
    pub fn under(self, approval: Approval) -> Self {
        if !approval.applies() {
            return Self { approval, ..self };
        }
        let (set, usual) = (self.score, ScoreConfig::default());
        Self {
            approval,
            score: ScoreConfig {
                weights: usual.weights,
                threshold: set.threshold.max(usual.threshold),
                topic_threshold: set.topic_threshold.max(usual.topic_threshold),
                completeness_threshold: set
                    .completeness_threshold
                    .max(usual.completeness_threshold),
                ..set
            },
            reading: ReadingConfig {
                enable_interpretation: true,
                enable_routing: true,
                ..self.reading
            },
            stages: StageSwitches {
                judge: true,
                ..self.stages
            },
            ..self
        }
    }

    /// The configuration for a question about a schema that the caller handed over. Nothing runs, so nothing waits for
    /// approval and a query has one step; what the owner of this database says is not about that schema.
    pub fn for_given_schema(self, dialect: Dialect) -> Self {
        Self {
            approval: Approval::default(),
            candidates: 1,
            max_steps: 1,
            enable_narration: false,
            // The reasoning is a part of the answer.
            strategy: self.strategy.or(Some(Strategy::ChainOfThought)),
            owner: OwnerConfig {
                uses_instructions: false,
                ..self.owner
            },
            score: ScoreConfig {
                enable_relevance_check: false,
                ..self.score
            },
            given_schema: Some(dialect),
            ..self
        }
    }

    /// The sizes of the schema part of a prompt, within what the model can read.
    pub fn schema_chars(&self) -> SchemaChars {
        let endpoint = match &self.model {
            ModelConfig::Endpoint(endpoint) => endpoint.max_schema_chars(),
            ModelConfig::Builtin | ModelConfig::Replay(_) => None,
        };
        let profile = match self.model.profile() {
            Profile::Full => usize::MAX,
            Profile::Compact => Self::COMPACT_SCHEMA_CHARS,
        };
        let largest = self
            .max_schema_chars
            .min(endpoint.unwrap_or(usize::MAX))
            .min(profile);
        SchemaChars {
            usual: self.usual_schema_chars.min(largest),
            largest,
        }
    }

    /// The endpoint of a call beside the one that writes the SQL; `None` if there is none to ask.
    pub fn side_endpoint<'a>(&'a self, chosen: &'a SideModel) -> Option<&'a Endpoint> {
        match (chosen, &self.model) {
            (SideModel::Writer, ModelConfig::Endpoint(endpoint))
            | (SideModel::Endpoint(endpoint), _) => Some(endpoint),
            (SideModel::Writer, ModelConfig::Builtin | ModelConfig::Replay(_))
            | (SideModel::None | SideModel::Unusable(_), _) => None,
        }
    }
}

/// Sizes of the schema part of a prompt, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaChars {
    /// For a question whose words name its tables.
    pub usual: usize,
    /// For any question.
    pub largest: usize,
}

with_defaults! {
    /// How much of what was found a prompt shows, at most.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ShownCounts {
        /// Verified examples, 0 to 5.
        pub examples: usize = 5,
        /// Values of the database that the question mentions, 0 to 20.
        pub values: usize = 20,
        /// Columns of a table; `None` shows all, as far as there is room.
        pub columns: Option<NonZeroUsize> = None,
    }
}

with_defaults! {
    /// What the owner of the database says to models. Both are used, unless the worth of one is being measured.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OwnerConfig {
        /// Whether prompts have the owner's instructions.
        pub uses_instructions: bool = true,
        /// Whether the owner's templates are used.
        pub uses_prompts: bool = true,
        /// The owner's templates.
        pub prompts: Arc<OwnPrompts> = Arc::default(),
    }
}

/// Which parts of retrieval are enabled, and what they count. All are, unless the worth of a part is being measured.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrievalConfig {
    /// Whether tables are searched for. Without, a prompt shows the whole schema, as far as it fits.
    pub search: bool,
    /// Always include tables that the question names.
    pub names: bool,
    /// BM25 search over columns.
    pub columns: bool,
    /// BM25 search over tables.
    pub tables: bool,
    /// Words of the catalog that are spelled like words of the question, or that it abbreviates.
    pub spelling: bool,
    /// Everything that vectors find.
    pub vectors: bool,
    /// Tables and columns whose vectors are near the question.
    pub table_vectors: bool,
    /// Words of the catalog that are near words of the question in meaning.
    pub word_vectors: bool,
    /// Search for stored values that the question mentions.
    pub values: bool,
    /// The lexical-structural re-ranker.
    pub rerank: bool,
    /// The re-ranker's score for neighbouring tables.
    pub coherence: bool,
    /// Add tables that connect the tables found.
    pub closure: bool,
    /// Treat families of similar tables as one.
    pub families: bool,
    /// Definitions that the question uses.
    pub definitions: bool,
    /// Verified examples.
    pub examples: bool,
    /// What each way of finding tables counts.
    pub weights: TableWeights,
}

impl RetrievalConfig {
    /// All parts enabled.
    pub const ALL: Self = Self {
        search: true,
        names: true,
        columns: true,
        tables: true,
        spelling: true,
        vectors: true,
        table_vectors: true,
        word_vectors: true,
        values: true,
        rerank: true,
        coherence: true,
        closure: true,
        families: true,
        definitions: true,
        examples: true,
        weights: TableWeights::DEFAULT,
    };
}

impl Default for RetrievalConfig {
    fn default() -> Self {
        Self::ALL
    }
}

with_defaults! {
    /// What the ranks of each way of searching count where both are combined, from 0 to 10. With 0 it has no vote.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct SearchWeights {
        /// Weight of the words.
        pub words: f64 = 1.0,
        /// Factor applied to the weight that the embedder itself gives its vectors.
        pub vectors: f64 = 1.0,
    }
}

/// What each way of finding tables counts where they are combined, from 0 to 10: in the ranks that choose the candidates,
/// and in the scores that put them in order. With 0 it has no vote.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableWeights {
    /// Words of names and descriptions.
    pub words: f64,
    /// Vectors: a factor of what their embedder counts by itself.
    pub vectors: f64,
    /// Values that the question mentions. What exceeds 1 counts in the scores.
    pub values: f64,
}

impl TableWeights {
    /// The default weights.
    pub const DEFAULT: Self = Self {
        words: 1.0,
        vectors: 1.0,
        values: 1.0,
    };
}

impl Default for TableWeights {
    fn default() -> Self {
        Self::DEFAULT
    }
}

with_defaults! {
    /// How the texts beside the tables are used.
    #[derive(Debug, Clone, PartialEq)]
    pub struct TextsConfig {
        /// Whether questions go to them.
        pub is_enabled: bool = true,
        /// Number of passages that answer a question, 1 to 20.
        pub depth: usize = 6,
        /// What words and vectors count in their search.
        pub weights: SearchWeights = SearchWeights::default(),
    }
}

/// How a question is interpreted before SQL is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadingConfig {
    /// Whether periods and business terms are resolved before a query is written.
    pub enable_interpretation: bool,
    /// Whether names and values alone may decide, without calling a model, that a question cannot be answered.
    pub enable_routing: bool,
    /// How to handle a question with several readings.
    pub on_ambiguity: WhenAmbiguous,
}

impl ReadingConfig {
    /// The default settings.
    pub const DEFAULT: Self = Self {
        enable_interpretation: true,
        enable_routing: true,
        on_ambiguity: WhenAmbiguous::Ask,
    };
}

impl Default for ReadingConfig {
    fn default() -> Self {
        Self::DEFAULT
    }
}

named_enum! {
    /// How to handle a question with several readings.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum WhenAmbiguous {
        /// Return the readings.
        Ask = "ask",
        /// Answer the most likely reading and add a warning.
        Choose = "choose",
    }
}

/// Limits on one generated statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Maximum number of rows captured.
    pub max_result_rows: usize,
    /// Maximum number of bytes captured, before and after conversion to text.
    pub max_result_bytes: usize,
    /// Maximum planner cost; 0 allows any.
    pub max_cost: f64,
    /// Time limit for analysing, planning and running.
    pub query_timeout: Duration,
    /// Maximum growth of the backend's private memory during the query, in bytes; 0 disables the check.
    pub memory_limit: usize,
}

impl Limits {
    /// The default settings.
    pub const DEFAULT: Self = Self {
        max_result_rows: 1_000,
        max_result_bytes: 4 << 20,
        max_cost: 5.0e6,
        query_timeout: Duration::from_secs(30),
        memory_limit: 512 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The name of the engine that needs no model and no network.
pub const BUILTIN: &str = "builtin";

/// The model that writes the SQL.
#[derive(Debug, Clone)]
pub enum ModelConfig {
    /// The built-in engine: no network, no model.
    Builtin,
    /// A foreign server.
    Endpoint(Box<Endpoint>),
    /// Recorded replies from a file: for tests and repeatable evaluation.
    Replay(Vec<Recording>),
}

impl ModelConfig {
    /// Its name, as in the setting.
    pub fn name(&self) -> &str {
        match self {
            Self::Builtin => BUILTIN,
            Self::Endpoint(endpoint) => &endpoint.name,
            Self::Replay(_) => "replay",
        }
    }

    /// The form of its prompts.
    pub fn profile(&self) -> Profile {
        match self {
            Self::Endpoint(endpoint) => endpoint.profile,
            Self::Builtin | Self::Replay(_) => Profile::Full,
        }
    }

    /// What may be sent to it.
    pub fn egress(&self) -> Egress {
        match self {
            Self::Endpoint(endpoint) => endpoint.egress,
            Self::Builtin | Self::Replay(_) => Egress::Rows,
        }
    }

    /// Whether passages of texts may be sent to it.
    pub fn texts(&self) -> TextEgress {
        match self {
            Self::Endpoint(endpoint) => endpoint.texts,
            Self::Builtin | Self::Replay(_) => TextEgress::Passages,
        }
    }
}

/// The models of calls on which the answer does not depend.
#[derive(Debug, Clone, Default)]
pub struct SideModels {
    /// Judges how well a result answers the question.
    pub judge: SideModel,
    /// Writes a sentence about the rows.
    pub narrator: SideModel,
    /// Chooses the tables before the SQL is written.
    pub table_chooser: SideModel,
}

impl SideModels {
    /// Why some of them are not asked, for the asker.
    pub fn problems(&self) -> impl Iterator<Item = &str> {
        [&self.judge, &self.narrator, &self.table_chooser]
            .into_iter()
            .filter_map(|model| match model {
                SideModel::Unusable(problem) => Some(problem.as_str()),
                SideModel::Writer | SideModel::None | SideModel::Endpoint(_) => None,
            })
    }
}

/// The model of such a call.
#[derive(Debug, Clone, Default)]
pub enum SideModel {
    /// The one that writes the SQL.
    #[default]
    Writer,
    /// None: the call is left out.
    None,
    /// Another one.
    Endpoint(Box<Endpoint>),
    /// Another one, which cannot be used, and why.
    Unusable(String),
}

/// A model behind HTTP: the options of a foreign server and the caller's key.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Name of the foreign server.
    pub name: String,
    /// The protocol it speaks.
    pub protocol: Protocol,
    /// Base URL, such as `https://host/v1`.
    pub base_url: String,
    /// The model's name at the endpoint.
    pub model: String,
    /// The key; some local endpoints need none.
    pub api_key: Option<Secret>,
    /// Name of the header for the bare key, if it differs from the protocol's own (Azure: `api-key`).
    pub api_key_header: Option<String>,
    /// What may be sent to this endpoint.
    pub egress: Egress,
    /// Whether texts of documents and rows may be sent to it, whatever `egress` says of values.
    pub texts: TextEgress,
    /// How the connection may be made.
    pub connection: ConnectionPolicy,
    /// Time limit for one request including its retries.
    pub timeout: Duration,
    /// Sampling temperature; `None` omits it from the request.
    pub temperature: Option<f64>,
    /// Sampling seed; `None` omits it from the request.
    pub seed: Option<i64>,
    /// Maximum number of tokens of a reply; `None` omits it where the protocol permits.
    pub max_output_tokens: Option<u32>,
    /// How many tokens the model can read and write in one request; `None` if not known.
    pub context_length: Option<u32>,
    /// The form of its prompts.
    pub profile: Profile,
    /// Whether to request structured output (falls back when the endpoint answers 400).
    pub structured_output: bool,
    /// Whether to send the token limit as `max_completion_tokens`: set once the endpoint has refused
    /// `max_tokens`.
    pub completion_tokens: bool,
    /// For an embedding model: the similarity below which a text is unrelated to a question; `None`
    /// uses the default.
    pub least_similarity: Option<f32>,
    /// What its tokens cost, if that is known.
    pub prices: Option<Prices>,
    /// Additional request headers.
    pub extra_headers: Vec<(String, String)>,
    /// Additional members of the request body.
    pub extra_body: serde_json::Map<String, serde_json::Value>,
}

impl Endpoint {
    /// Characters of a schema for one token. Four is the rule of thumb of OpenAI for English prose; names with
    /// underscores take more tokens.
    const CHARS_PER_TOKEN: usize = 3;

    /// The share of the context that a schema may take: rules, examples, repairs and the reply need the rest.
    const SCHEMA_SHARE: usize = 2;

    /// What one request of these tokens used.
    pub fn usage(&self, tokens: TokenCount) -> Usage {
        Usage {
            tokens,
            cost: self.prices.as_ref().map(|prices| prices.cost(tokens)),
        }
    }

    /// The largest schema that fits into the context of the model, if that is known.
    pub fn max_schema_chars(&self) -> Option<usize> {
        let tokens = usize::try_from(self.context_length?).unwrap_or(usize::MAX);
        Some((tokens / Self::SCHEMA_SHARE).saturating_mul(Self::CHARS_PER_TOKEN))
    }
}

/// The protocol of a model endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// A model file on the server's own disk.
    Local,
    /// OpenAI-compatible chat completions.
    OpenAi,
    /// Anthropic messages.
    Anthropic,
    /// Embeddings of texts; no chat.
    Embeddings,
    /// Relevance scores of documents; no chat.
    Rerank,
}

impl Protocol {
    /// The name of a protocol that has no chat.
    pub fn without_chat(self) -> Option<&'static str> {
        match self {
            Self::Local | Self::OpenAi | Self::Anthropic => None,
            Self::Embeddings => Some("embeddings"),
            Self::Rerank => Some("rerank"),
        }
    }
}

named_enum! {
    /// What may be sent to an endpoint; each level includes the previous ones.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Egress {
        /// Names, types, keys, comments, enum labels.
        Schema = "schema",
        /// Sample values and linked literals as well.
        Values = "values",
        /// Result rows as well.
        Rows = "rows",
    }
}

named_enum! {
    /// Whether passages of documents and of indexed text columns may be sent to an endpoint.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum TextEgress {
        /// None of them.
        #[default]
        None = "none",
        /// Those that a search found for a question, or that are embedded; masked, and never private ones.
        Passages = "passages",
    }
}

/// Which connections to an endpoint are permitted; set by the server's options.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ConnectionPolicy {
    /// Loopback, private, link-local and other non-public addresses are allowed.
    pub allow_private: bool,
    /// Plain `http` is allowed.
    pub allow_http: bool,
    /// Proxy URL; proxies from the environment are never used.
    pub proxy: Option<String>,
    /// PEM text of additional certificate authorities.
    pub ca_pem: Option<String>,
    /// The program on this machine that replies instead of a host, by its socket.
    pub program: Option<ModelProgram>,
}

with_defaults! {
    /// Switches for pipeline stages. All are on, unless the worth of a stage is being measured.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct StageSwitches {
        /// Verified examples answer without a model.
        pub replay: bool = true,
        /// Verified examples are included in the prompt.
        pub few_shot: bool = true,
        /// A query that ran is scored.
        pub judge: bool = true,
        /// Names that do not exist are set right where the keys prove what was meant.
        pub mend: bool = true,
        /// The model may write a plan before the query.
        pub plan: bool = true,
    }
}

/// One recorded exchange.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
pub struct Recording {
    /// The question, compared ignoring case and outer white space.
    pub question: String,
    /// The replies, in order: the first for the first call, the next for a repair.
    pub replies: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::ApprovalRule;

    #[test]
    fn under_a_rule_of_approval_the_asker_makes_no_check_weaker() {
        let set = Config {
            score: ScoreConfig {
                threshold: 0.0,
                topic_threshold: 0.9,
                ..ScoreConfig::default()
            },
            reading: ReadingConfig {
                enable_interpretation: false,
                ..ReadingConfig::default()
            },
            stages: StageSwitches {
                judge: false,
                ..StageSwitches::default()
            },
            ..Config::default()
        };
        let free = set.clone().under(Approval::default());
        assert_eq!(free.score.threshold, 0.0);
        let held = set.under(Approval {
            rule: ApprovalRule::Always,
            ..Approval::default()
        });
        assert_eq!(held.score.threshold, ScoreConfig::default().threshold);
        assert_eq!(held.score.topic_threshold, 0.9);
        assert!(held.reading.enable_interpretation && held.stages.judge);
    }
}
