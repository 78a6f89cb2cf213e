//! Instructions of the owner of a database for models that write SQL.

/// Maximum length of one instruction, in characters: two or three sentences. A longer text is a description or a
/// definition.
pub const MAX_INSTRUCTION_CHARS: usize = 500;

/// Maximum length of the instructions of one prompt, in characters: about 1,000 tokens. What is longer competes with
/// the question for the attention of the model.
pub const MAX_TOTAL_CHARS: usize = 4_000;

/// An instruction that the caller may see and that is for the caller's role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Its id in the view `instructions`.
    pub id: i64,
    /// The text, as it was given.
    pub text: String,
    /// What it is about.
    pub scope: InstructionScope,
}

/// What an instruction is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstructionScope {
    /// Every question.
    Database,
    /// Questions about tables of this schema.
    Schema(String),
    /// Questions about the table with this OID.
    Table(u32),
}

/// The instructions of a prompt, by id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChosenInstructions {
    /// Those that are in it.
    pub followed: Vec<i64>,
    /// Those that fit the question, and for which there was no room.
    pub left_out: Vec<i64>,
}
