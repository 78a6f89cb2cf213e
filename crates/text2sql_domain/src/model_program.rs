//! A model file on the server's own disk: the program that answers from it, and the form of the prompts of small models.

use crate::named_enum;
use std::path::PathBuf;

/// The program that answers from a model file: what it is started with. Equal ones are one process for all sessions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelProgram {
    /// The file of the model.
    pub file: PathBuf,
    /// Threads that compute; 0 takes half of the processors.
    pub threads: u32,
    /// Tokens of all prompts whose state is kept.
    pub context: u32,
    /// Seconds without a question after which it ends.
    pub idle_seconds: u32,
    /// The most memory in megabytes, beside the file.
    pub memory_mb: u32,
}

impl ModelProgram {
    /// Its socket, below the data directory, in which every process of the server is. The name of the directory is one
    /// that base backups leave out.
    pub fn socket(&self) -> PathBuf {
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in format!("{self:?}").bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        PathBuf::from(format!("{}/{hash:016x}.socket", Self::DIRECTORY))
    }

    /// The directory of the sockets.
    pub const DIRECTORY: &str = "pgsql_tmp_text2sql";
}

named_enum! {
    /// The form of the prompts of a model.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Profile {
        /// All that helps a strong model: rules, facts and a reply with its reasons.
        #[default]
        Full = "full",
        /// What a small model can use: the tables as statements, the question last, a reply that is a query.
        Compact = "compact",
    }
}
