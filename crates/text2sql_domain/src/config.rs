//! Everything a run may vary, finished before the run begins. No stage reads a setting, and no
//! stage hides a default.

use std::time::Duration;

use crate::confidence::Fit;
use crate::score::ScoreConfig;
use crate::secret::Secret;
use crate::strategy::Strategy;

/// What one question may use and may send.
#[derive(Debug, Clone)]
pub struct Config {
    /// Who writes the SQL.
    pub model: ModelConfig,
    /// How often a failed statement may be sent back to the model.
    pub max_repairs: u32,
    /// What sends a query back to the model.
    pub repair_on: RepairTrigger,
    /// How many candidates are asked for at the same time, 1 or more.
    pub candidates: usize,
    /// How the model gets to the query; `None` takes what fits the question.
    pub strategy: Option<Strategy>,
    /// Maximum number of dependent steps of an answer; 1 takes one statement.
    pub max_steps: usize,
    /// Size of the schema part of a prompt, in characters.
    pub max_schema_chars: usize,
    /// Which parts of retrieval take part.
    pub retrieval: RetrievalConfig,
    /// OIDs of relations that the answer must not read, nor anything made of them: a view that is made anew.
    pub without: Vec<u32>,
    /// Stages that somebody switched off.
    pub stages: StageSwitches,
    /// How a query is scored.
    pub score: ScoreConfig,
    /// How likely an answer with some score is right; `None` while nobody has measured it.
    pub confidence: Option<Fit>,
    /// How the question is read before anybody writes SQL.
    pub reading: ReadingConfig,
    /// Whether the answer has a sentence.
    pub enable_narration: bool,
    /// Caps on every generated statement.
    pub limits: Limits,
}

impl Config {
    /// The default of `max_repairs`. The literature finds the gain in the first two.
    pub const MAX_REPAIRS: u32 = 2;
    /// The default of `max_schema_chars`: about 8,000 tokens, which every current model reads well. Pruning
    /// a schema that fits costs accuracy, so it is generous.
    pub const MAX_SCHEMA_CHARS: usize = 30_000;
}

/// The built-in engine, and what the settings say when nobody has set any.
impl Default for Config {
    fn default() -> Self {
        Self {
            model: ModelConfig::Builtin,
            max_repairs: Self::MAX_REPAIRS,
            repair_on: RepairTrigger::Findings,
            candidates: 1,
            strategy: None,
            max_steps: 4,
            max_schema_chars: Self::MAX_SCHEMA_CHARS,
            retrieval: RetrievalConfig::ALL,
            without: Vec::new(),
            stages: StageSwitches::default(),
            score: ScoreConfig::default(),
            confidence: None,
            reading: ReadingConfig::default(),
            enable_narration: true,
            limits: Limits::default(),
        }
    }
}

/// Which parts of retrieval take part. All do, unless somebody measures what a part is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetrievalConfig {
    /// Tables that the question names are always in.
    pub names: bool,
    /// BM25 over columns.
    pub columns: bool,
    /// BM25 over tables.
    pub tables: bool,
    /// Vectors.
    pub vectors: bool,
    /// Values that the question mentions.
    pub values: bool,
    /// The lexical-structural re-ranker.
    pub rerank: bool,
    /// Its view of the tables around a table.
    pub coherence: bool,
    /// Tables that connect found ones.
    pub closure: bool,
    /// Families of tables are treated as one.
    pub families: bool,
    /// Definitions that the question uses.
    pub definitions: bool,
    /// Verified examples.
    pub examples: bool,
}

impl RetrievalConfig {
    /// Everything takes part.
    pub const ALL: Self = Self {
        names: true,
        columns: true,
        tables: true,
        vectors: true,
        values: true,
        rerank: true,
        coherence: true,
        closure: true,
        families: true,
        definitions: true,
        examples: true,
    };
}

impl Default for RetrievalConfig {
    fn default() -> Self {
        Self::ALL
    }
}

/// How a question is read before anybody writes SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadingConfig {
    /// Whether periods and business terms are worked out before a query is written.
    pub enable_interpretation: bool,
    /// Whether names and values may decide, before a model is asked, that there is nothing to ask it.
    pub enable_routing: bool,
    /// What becomes of a question with several readings.
    pub on_ambiguity: WhenAmbiguous,
}

impl ReadingConfig {
    /// What the settings say when nobody has set any.
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

/// What becomes of a question with several readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenAmbiguous {
    /// The readings are the answer.
    Ask,
    /// The likeliest is answered, and the answer says so.
    Choose,
}

impl WhenAmbiguous {
    /// Its name in settings and options.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Choose => "choose",
        }
    }
}

/// Caps on one generated statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Maximum number of rows captured.
    pub max_result_rows: usize,
    /// Maximum number of bytes captured, before and after conversion to text.
    pub max_result_bytes: usize,
    /// Maximum planner cost; 0 allows any.
    pub max_cost: f64,
    /// Time for analysing, planning and running.
    pub query_timeout: Duration,
    /// Private memory the backend may gain meanwhile, in bytes; 0 does not watch.
    pub memory_limit: usize,
}

impl Limits {
    /// What the settings say when nobody has set any.
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

/// Who writes the SQL.
#[derive(Debug, Clone)]
pub enum ModelConfig {
    /// The built-in engine: no network, no model.
    Builtin,
    /// A foreign server.
    Endpoint(Box<Endpoint>),
    /// Recorded replies from a file: for tests and repeatable evaluation.
    Replay(Vec<Recording>),
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
    /// Name of the header for the bare key, where it is not the protocol's own (Azure: `api-key`).
    pub api_key_header: Option<String>,
    /// What may leave the server for this endpoint.
    pub egress: Egress,
    /// How the connection may be made.
    pub connection: ConnectionPolicy,
    /// For one request with its retries.
    pub timeout: Duration,
    /// Sampling temperature; `None` leaves it out of the request.
    pub temperature: Option<f64>,
    /// Sampling seed; `None` leaves it out.
    pub seed: Option<i64>,
    /// Maximum number of tokens of a reply; `None` leaves it out where the protocol lets it.
    pub max_output_tokens: Option<u32>,
    /// Whether to ask for structured output (falls back when the endpoint answers 400).
    pub structured_output: bool,
    /// Whether the bound on the reply goes into `max_completion_tokens`: known once the endpoint refused
    /// `max_tokens`.
    pub completion_tokens: bool,
    /// Of an embedding model: the similarity below which a text has nothing to do with a question; `None`
    /// where nobody said.
    pub least_similarity: Option<f32>,
    /// Further request headers.
    pub extra_headers: Vec<(String, String)>,
    /// Further members of the request body.
    pub extra_body: serde_json::Map<String, serde_json::Value>,
}

/// The protocol of a model endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Chat completions of any compatible endpoint.
    OpenAi,
    /// Messages.
    Anthropic,
    /// Vectors of texts; no chat.
    Embeddings,
    /// Scores of documents for a question; no chat.
    Rerank,
}

impl Protocol {
    /// Its name, when it is one that writes no SQL.
    pub fn without_chat(self) -> Option<&'static str> {
        match self {
            Self::OpenAi | Self::Anthropic => None,
            Self::Embeddings => Some("embeddings"),
            Self::Rerank => Some("rerank"),
        }
    }
}

/// What may leave the server for an endpoint; each level includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Egress {
    /// Names, types, keys, comments, enum labels.
    Schema,
    /// Also sample values and linked literals.
    Values,
    /// Also result rows.
    Rows,
}

/// How a connection to an endpoint may be made; from the server's options.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ConnectionPolicy {
    /// Loopback, private, link-local and other non-public addresses are allowed.
    pub allow_private: bool,
    /// Plain `http` is allowed.
    pub allow_http: bool,
    /// Proxy URL; the environment's proxies are never used.
    pub proxy: Option<String>,
    /// PEM text of additional certificate authorities.
    pub ca_pem: Option<String>,
}

/// Switches of the pipeline's own stages. All are on, unless somebody measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageSwitches {
    /// Verified examples answer without a model.
    pub replay: bool,
    /// Verified examples are in the prompt.
    pub few_shot: bool,
    /// A query that ran is judged.
    pub judge: bool,
}

impl Default for StageSwitches {
    fn default() -> Self {
        Self {
            replay: true,
            few_shot: true,
            judge: true,
        }
    }
}

/// What sends a query back to the model. The names are those of `text2sql.repair`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepairTrigger {
    /// An error or a refusal of the guard.
    Errors,
    /// Also a finding that is certain.
    Findings,
    /// Also a score below the threshold, and an empty result.
    Gate,
}

impl RepairTrigger {
    /// The word for it in settings and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Errors => "errors",
            Self::Findings => "findings",
            Self::Gate => "gate",
        }
    }
}

/// One recorded exchange.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
pub struct Recording {
    /// The question, compared without regard to case and outer white space.
    pub question: String,
    /// The replies, in order: the first for the first call, the next for a repair.
    pub replies: Vec<String>,
}
