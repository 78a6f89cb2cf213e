//! The embedder `multilingual`: its file, mapped into memory, and its use as an embedder.
//!
//! The file is mapped once for each process, by the postmaster where the library is preloaded. All processes share
//! its pages; what each needs for itself is 30 kB, and at most 300 kB for the vectors of its latest questions. The file is found beside the server's own ones: who may change
//! it may change the server.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::CStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memmap2::Mmap;
use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::ports::{Embedder, Purpose, TakeVectors};
use text2sql_http::SignalsBlocked;
use text2sql_sentence_encoder::SentenceEncoder;
use text2sql_sentence_encoder::embedder::{FILE_NAME, MultilingualEmbedder};
use text2sql_sentence_encoder::side_by_side::side_by_side;

/// The directory of the file, below the one of `pg_config --sharedir`.
const DIRECTORY: &str = "pg_text2sql";

/// What can be done where the file cannot be used.
pub(crate) const HINT: &str = "Install it: where pg_text2sql was built by make setup install, else as the package postgresql-text2sql-encoder; or use the embedder that needs no file: SET text2sql.embedding_model = 'hash';";

/// The encoder of this process, once it was opened. A file that is missing or damaged is looked at again, because it
/// may be installed meanwhile.
static OPENED: OnceLock<SentenceEncoder<Mmap>> = OnceLock::new();

/// Why there is no encoder.
pub(crate) enum Unavailable {
    /// The file is not installed.
    NotInstalled,
    /// It cannot be used, for the reason given.
    Unusable(String),
}

impl Unavailable {
    /// The reason, as the end of a sentence about the embedder.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::NotInstalled => format!("the file {FILE_NAME} is not installed on this server"),
            Self::Unusable(why) => format!("the file {FILE_NAME} cannot be used: {why}"),
        }
    }
}

/// The embedder, with the file mapped.
pub(crate) fn embedder() -> Result<Box<dyn Embedder>, Error> {
    let encoder = opened().map_err(|unavailable| {
        failure!(
            Setup,
            "the embedder \"multilingual\" cannot be used: {}",
            unavailable.reason()
        )
        .with_hint(HINT)
    })?;
    Ok(Box::new(InSession(MultilingualEmbedder(encoder))))
}

/// Why the embedder cannot be used; `None` if it can.
pub(crate) fn problem() -> Option<Unavailable> {
    opened().err()
}

/// Maps the file where the library is loaded by the postmaster: its children have it then.
pub(crate) fn open_in_postmaster() {
    // SAFETY: reads a variable of the process, on its only thread.
    if unsafe { pg_sys::process_shared_preload_libraries_in_progress } {
        // The server starts without the file, too; status() says that it is missing.
        let _ = opened();
    }
}

fn opened() -> Result<&'static SentenceEncoder<Mmap>, Unavailable> {
    if let Some(encoder) = OPENED.get() {
        return Ok(encoder);
    }
    let encoder = open(&share_directory().join(DIRECTORY).join(FILE_NAME))?;
    Ok(OPENED.get_or_init(|| encoder))
}

fn open(path: &Path) -> Result<SentenceEncoder<Mmap>, Unavailable> {
    let file = File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Unavailable::NotInstalled,
        _ => Unavailable::Unusable(error.to_string()),
    })?;
    // SAFETY: the bytes must not change while they are mapped. The file belongs to the installation, and an
    // installation replaces it by a new one (scripts/install.sh, dpkg), so that this one stays as it is until the
    // process ends. Whoever shortens it in place ends the processes that read it (SIGBUS), as with any
    // library of the server.
    let bytes = unsafe { Mmap::map(&file) };
    let bytes = bytes.map_err(|error| Unavailable::Unusable(error.to_string()))?;
    SentenceEncoder::open(bytes).map_err(|error| Unavailable::Unusable(error.to_string()))
}

/// What `pg_config --sharedir` prints for the running server.
fn share_directory() -> PathBuf {
    let mut path = [0; pg_sys::MAXPGPATH as usize];
    // SAFETY: the program's path is set before any library is loaded; the result is NUL-terminated and not longer
    // than MAXPGPATH.
    let path = unsafe {
        pg_sys::get_share_path((&raw const pg_sys::my_exec_path).cast(), path.as_mut_ptr());
        CStr::from_ptr(path.as_ptr())
    };
    PathBuf::from(&*path.to_string_lossy())
}

/// How many texts of questions a session remembers the vectors of: 2 kB each. A question that is asked again, as
/// dashboards do, would spend most of its time on its vector.
const REMEMBERED: usize = 100;

/// The longest text that is remembered, in bytes.
const MAX_REMEMBERED_BYTES: usize = 1_000;

thread_local! {
    /// The vectors of the latest texts of questions, the oldest first.
    static LATEST: RefCell<VecDeque<(String, Vec<f32>)>> = const { RefCell::new(VecDeque::new()) };
}

/// The vector of a text of a question, from the memory of this session or by `embed`.
fn remembered(
    text: &str,
    embed: impl FnOnce() -> Result<Vec<Vec<f32>>, Error>,
) -> Result<Vec<Vec<f32>>, Error> {
    let known = LATEST.with_borrow_mut(|latest| {
        let place = latest.iter().position(|(known, _)| known == text)?;
        let entry = latest.remove(place)?;
        let vector = entry.1.clone();
        latest.push_back(entry);
        Some(vector)
    });
    if let Some(vector) = known {
        return Ok(vec![vector]);
    }
    let made = embed()?;
    if let [vector] = made.as_slice()
        && text.len() <= MAX_REMEMBERED_BYTES
    {
        LATEST.with_borrow_mut(|latest| {
            if latest.len() >= REMEMBERED {
                latest.pop_front();
            }
            latest.push_back((text.to_owned(), vector.clone()));
        });
    }
    Ok(made)
}

/// How many texts a thread embeds between two looks for a cancel: one takes a millisecond, at most 10. Few, so that at
/// the end no thread is long without work.
const AT_ONCE: usize = 4;

/// Beyond this, memory is what they wait for.
const MAX_THREADS: usize = 8;

/// How many threads embed documents, the session's own among them: as many processes as PostgreSQL would use to build an index.
fn threads() -> usize {
    // SAFETY: reads a variable of the session, on its only thread.
    let helpers = unsafe { pg_sys::max_parallel_maintenance_workers };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let wanted = usize::try_from(helpers).unwrap_or(0) + 1;
    wanted.min(cores).min(MAX_THREADS)
}

/// Looks for a cancel, because a refresh has many texts; and remembers the vectors of questions.
struct InSession<E>(E);

impl<E: Embedder + Sync> Embedder for InSession<E> {
    fn name(&self) -> String {
        self.0.name()
    }

    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }

    fn embeds_columns(&self) -> bool {
        self.0.embeds_columns()
    }

    fn weight(&self) -> f64 {
        self.0.weight()
    }

    fn knows_meaning(&self) -> bool {
        self.0.knows_meaning()
    }

    fn least_similarity(&self) -> f32 {
        self.0.least_similarity()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        let mut vectors = Vec::with_capacity(texts.len());
        if purpose == Purpose::Question {
            for text in texts {
                pgrx::check_for_interrupts!();
                vectors.extend(remembered(text, || self.0.embed(&[text], purpose))?);
            }
            return Ok(vectors);
        }
        self.embed_each(texts, purpose, &mut |made| {
            vectors.extend(made);
            Ok(())
        })?;
        Ok(vectors)
    }

    /// On several threads. Those beside the session's own call nothing of PostgreSQL.
    fn embed_each(
        &self,
        texts: &[&str],
        purpose: Purpose,
        take: &mut TakeVectors<'_>,
    ) -> Result<(), Error> {
        let threads = threads();
        let at_once = texts.len().div_ceil(threads).clamp(1, AT_ONCE);
        let parts: Vec<&[&str]> = texts.chunks(at_once).collect();
        side_by_side(
            &parts,
            threads - 1,
            |texts| self.0.embed(texts, purpose),
            SignalsBlocked::new,
            &mut || {
                pgrx::check_for_interrupts!();
            },
            take,
        )
    }
}
