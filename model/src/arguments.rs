//! The arguments, which the extension writes.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// What the program is to do.
#[derive(Debug, PartialEq, Eq)]
pub struct Arguments {
    /// The file of the model.
    pub model: PathBuf,
    /// Its name in replies.
    pub name: String,
    /// Where to listen.
    pub socket: PathBuf,
    /// Threads that compute.
    pub threads: i32,
    /// Tokens of all prompts that are remembered.
    pub context: u32,
    /// Time without a request after which it ends.
    pub idle: Duration,
    /// The most memory beside the file, in bytes.
    pub memory: u64,
    /// How much other processes come first, from 0 to 19.
    pub nice: i32,
}

impl Arguments {
    /// Reads them; the message of an error names the wrong one.
    pub fn read(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut this = Self {
            model: PathBuf::new(),
            name: "local".to_owned(),
            socket: PathBuf::new(),
            threads: 1,
            context: 16_384,
            idle: Duration::from_secs(600),
            memory: 1 << 30,
            nice: 5,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} has no value"))?;
            match word.as_str() {
                "--model" => this.model = PathBuf::from(value),
                "--name" => this.name = value,
                "--socket" => this.socket = PathBuf::from(value),
                "--threads" => this.threads = number(&word, &value)?,
                "--context" => this.context = number(&word, &value)?,
                "--idle" => this.idle = Duration::from_secs(number(&word, &value)?),
                "--memory-mb" => this.memory = number::<u64>(&word, &value)? << 20,
                "--nice" => this.nice = number(&word, &value)?,
                _ => return Err(format!("there is no argument {word}")),
            }
        }
        match this.model.as_os_str().is_empty() || this.socket.as_os_str().is_empty() {
            true => Err("usage: text2sql-model --model FILE --socket FILE".to_owned()),
            false => Ok(this),
        }
    }
}

fn number<T: FromStr>(word: &str, value: &str) -> Result<T, String> {
    value
        .parse()
        .map_err(|_| format!("{word} is not a number: {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Arguments, String> {
        Arguments::read(text.split(' ').map(str::to_owned))
    }

    #[test]
    fn reads_what_the_extension_writes() {
        let read =
            read("--model /m.gguf --socket s --threads 3 --context 8192 --idle 60 --memory-mb 700")
                .unwrap();
        assert_eq!(
            (read.threads, read.context, read.memory),
            (3, 8192, 700 << 20)
        );
        assert_eq!(read.idle, Duration::from_secs(60));
    }

    #[test]
    fn says_what_is_wrong() {
        assert!(read("--model /m.gguf").unwrap_err().contains("usage"));
        assert!(read("--model").unwrap_err().contains("--model"));
        assert!(
            read("--model m --socket s --threads x")
                .unwrap_err()
                .contains("--threads")
        );
        assert!(read("--port 1").unwrap_err().contains("--port"));
    }
}
