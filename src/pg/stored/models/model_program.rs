//! The program that answers from a model file, `text2sql-model`: started when a request needs it.
//!
//! It is the child of a background worker that does nothing else. llama.cpp is not in this process, nor in any that has
//! the server's shared memory, so that nothing it does can end or stop the server; and it is the worker's child, not the
//! postmaster's, which would take its crash for that of a session. It ends with its worker, by itself when nobody asks for
//! a while, and its end loses the answer that it was writing.

use std::ffi::CStr;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pgrx::bgworkers::{
    BackgroundWorker, BackgroundWorkerBuilder, BgWorkerStartTime, DynamicBackgroundWorker,
    SignalWakeFlags,
};
use pgrx::{pg_guard, pg_sys};
use text2sql_domain::config::ModelProgram;
use text2sql_domain::ports::TransportError;

use crate::pg::server::background::wait_for_worker;

/// The program, beside the server's own.
const PROGRAM: &str = "text2sql-model";

/// How often a session looks whether the program listens.
const LOOK_MS: std::ffi::c_long = 30;

/// How often the worker looks whether the program has ended.
const WATCH: Duration = Duration::from_millis(500);

/// Workers that a session starts, one after another: one may end just before it is needed.
const MAX_STARTS: usize = 3;

/// Starts the program where it does not run, and waits until it listens, at most that long.
pub(super) fn ensure_running(
    program: &ModelProgram,
    at_most: Duration,
) -> Result<(), TransportError> {
    let socket = program.socket();
    if UnixStream::connect(&socket).is_ok() {
        return Ok(());
    }
    check(program)?;
    let begun = Instant::now();
    let mut worker: Option<DynamicBackgroundWorker> = None;
    let mut starts = 0;
    while UnixStream::connect(&socket).is_err() {
        if begun.elapsed() > at_most {
            return Err(TransportError::Timeout(at_most));
        }
        let is_over = worker
            .as_ref()
            .is_none_or(|worker| worker.pid().is_err_and(is_stopped));
        if is_over && is_free(&socket) {
            let why = std::fs::read_to_string(socket.with_extension("error")).unwrap_or_default();
            if starts > 0 && !why.trim().is_empty() || starts == MAX_STARTS {
                let why = why
                    .trim()
                    .lines()
                    .last()
                    .unwrap_or("it ended at once")
                    .to_owned();
                return Err(TransportError::Connect(why));
            }
            worker = Some(start(program, &socket)?);
            starts += 1;
        }
        wait_for_worker(LOOK_MS);
    }
    Ok(())
}

/// Refuses what cannot work, with its reason.
fn check(program: &ModelProgram) -> Result<(), TransportError> {
    let unusable = |why: String| Err(TransportError::Connect(why));
    // Opening a pipe would wait for its other end.
    if std::fs::metadata(&program.file).is_ok_and(|file| !file.is_file()) {
        return unusable("the model file is no file".to_owned());
    }
    let mut magic = [0u8; 4];
    match File::open(&program.file).and_then(|mut file| file.read_exact(&mut magic)) {
        Err(error) => return unusable(format!("the model file cannot be read: {}", error.kind())),
        Ok(()) if magic != *b"GGUF" => {
            return unusable("the model file is not in the format GGUF".to_owned());
        }
        Ok(()) => {}
    }
    let path = program_path();
    match path.is_file() {
        true => Ok(()),
        false => unusable(format!(
            "the program {PROGRAM} is not installed beside the server's programs: make model-program"
        )),
    }
}

/// The program is in the directory of the server's own.
fn program_path() -> PathBuf {
    // SAFETY: set by the postmaster before any process starts, and never changed.
    let server = unsafe { CStr::from_ptr((&raw const pg_sys::my_exec_path).cast()) };
    Path::new(&*server.to_string_lossy()).with_file_name(PROGRAM)
}

fn is_stopped(status: pgrx::bgworkers::BackgroundWorkerStatus) -> bool {
    !matches!(
        status,
        pgrx::bgworkers::BackgroundWorkerStatus::NotYetStarted
    )
}

/// Whether no worker has the program. Its lock ends with the worker's process, however that ends.
fn is_free(socket: &Path) -> bool {
    let lock = File::open(socket.with_extension("lock"));
    lock.map_or(true, |lock| {
        !matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))
    })
}

/// Starts a worker. What it needs to know is too long for its arguments, and so in a file.
fn start(program: &ModelProgram, socket: &Path) -> Result<DynamicBackgroundWorker, TransportError> {
    let failed = |error: std::io::Error| {
        let why = format!("its directory cannot be written: {}", error.kind());
        TransportError::Connect(why)
    };
    let mut directory = DirBuilder::new();
    directory.recursive(true).mode(0o700);
    directory.create(ModelProgram::DIRECTORY).map_err(failed)?;
    let arguments = arguments(program, socket).join("\n");
    let temporary = socket.with_extension(std::process::id().to_string());
    let mut file = private_file(&temporary).map_err(failed)?;
    file.write_all(arguments.as_bytes()).map_err(failed)?;
    std::fs::rename(&temporary, socket.with_extension("start")).map_err(failed)?;
    // SAFETY: set at process start, read only.
    let notify = unsafe { pg_sys::MyProcPid };
    let worker = BackgroundWorkerBuilder::new("pg_text2sql model")
        .set_type("pg_text2sql model")
        .set_library("$libdir/pg_text2sql")
        .set_function("text2sql_model_worker")
        .set_extra(&socket.to_string_lossy())
        .set_start_time(BgWorkerStartTime::ConsistentState)
        .enable_shmem_access(None)
        .set_notify_pid(notify)
        .load_dynamic();
    worker.map_err(|_| TransportError::Busy {
        message: "all background workers of the server are in use".to_owned(),
        hint: "Try again later, or raise max_worker_processes and restart the server.".to_owned(),
    })
}

fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)
}

fn arguments(program: &ModelProgram, socket: &Path) -> Vec<String> {
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    let threads = match program.threads {
        // The other half is for queries.
        0 => (processors / 2).max(1),
        threads => usize::try_from(threads).unwrap_or(1),
    };
    let pairs = [
        ("--model", program.file.to_string_lossy().into_owned()),
        ("--socket", socket.to_string_lossy().into_owned()),
        ("--threads", threads.to_string()),
        ("--context", program.context.to_string()),
        ("--idle", program.idle_seconds.to_string()),
        ("--memory-mb", program.memory_mb.to_string()),
    ];
    pairs
        .into_iter()
        .flat_map(|(name, value)| [name.to_owned(), value])
        .collect()
}

/// The main function of the worker.
///
/// # Safety
/// For PostgreSQL to call.
#[pg_guard]
#[unsafe(no_mangle)]
#[doc(hidden)]
pub unsafe extern "C-unwind" fn text2sql_model_worker(_argument: pg_sys::Datum) {
    BackgroundWorker::attach_signal_handlers(SignalWakeFlags::SIGTERM);
    let socket = PathBuf::from(BackgroundWorker::get_extra());
    let Ok(lock) = private_file(&socket.with_extension("lock")) else {
        return;
    };
    // Another worker has it, which this one's session waits for as well.
    if lock.try_lock().is_err() {
        return;
    }
    watch(&socket);
}

/// Runs the program until it ends or the server stops.
fn watch(socket: &Path) {
    let Ok(arguments) = std::fs::read_to_string(socket.with_extension("start")) else {
        return;
    };
    let Ok(messages) = private_file(&socket.with_extension("error")) else {
        return;
    };
    let mut command = Command::new(program_path());
    command
        .args(arguments.lines())
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(messages);
    // SAFETY: only calls that are safe between fork and exec: the program ends with this process, whatever ends that, and
    // does not inherit the signals that are blocked here.
    unsafe { command.pre_exec(prepare_child) };
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let why = format!("it cannot be started: {}", error.kind());
            let _ = std::fs::write(socket.with_extension("error"), why);
            return;
        }
    };
    while BackgroundWorker::wait_latch(Some(WATCH)) {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    let _ = std::fs::remove_file(socket);
}

fn prepare_child() -> std::io::Result<()> {
    // SAFETY: plain calls on values of this function.
    let failed = unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut()) != 0
            || libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0
    };
    go_first();
    match failed {
        true => Err(std::io::Error::last_os_error()),
        false => Ok(()),
    }
}

/// Makes the program the first that the kernel ends where memory is short. Where that is not possible, it is as likely
/// as a session.
fn go_first() {
    // SAFETY: a constant path and text; calls that are safe after a fork.
    unsafe {
        let file = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY);
        if file >= 0 {
            libc::write(file, c"500".as_ptr().cast(), 3);
            libc::close(file);
        }
    }
}
