//! `text2sql-model`: answers requests of pg_text2sql from a model file, on a socket that only the server's user can reach.
//!
//! A background worker of the extension starts it when a question needs it and ends it with itself; without a request
//! for a while it ends by itself. It opens no port, writes no file and reads no other than the model. The weights are
//! mapped, so they are in memory once, and the system takes them back when it needs the memory.

mod arguments;
mod engine;
mod exchange;
mod http;
mod names;

use std::io::BufReader;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arguments::Arguments;
use engine::{Engine, Failure, Part, Size};
use names::Rules;
use serde_json::{Value, json};

/// Requests that wait for the model at once, each in a thread of its own.
const MOST_CONNECTIONS: usize = 64;

/// How often it is seen whether a caller has gone, and whether there is nothing to do.
const LOOK: Duration = Duration::from_millis(20);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("text2sql-model: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let arguments = Arguments::read(std::env::args().skip(1))?;
    bound_memory(arguments.memory)?;
    // SAFETY: a plain call. Queries of the server come before replies of the model.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, arguments.nice) };
    let size = Size {
        threads: arguments.threads,
        context: arguments.context,
    };
    let engine = Engine::load(&arguments.model, size)
        .map_err(|why| format!("the model cannot be loaded: {why}"))?;
    // Bound only now: who can connect is answered.
    let listener = listen(&arguments)?;
    let state = Arc::new(State {
        template: engine.template(),
        stop: engine.stop_flag(),
        engine: Mutex::new(engine),
        name: arguments.name.clone(),
        connections: AtomicUsize::new(0),
        begun: Instant::now(),
        last_use_ms: AtomicUsize::new(0),
    });
    serve(&listener, &state, arguments.idle);
    // Who comes now starts another one.
    let _ = std::fs::remove_file(&arguments.socket);
    Ok(())
}

struct State {
    engine: Mutex<Engine>,
    stop: Arc<AtomicBool>,
    template: Option<std::ffi::CString>,
    name: String,
    connections: AtomicUsize,
    begun: Instant,
    last_use_ms: AtomicUsize,
}

impl State {
    fn now_ms(&self) -> usize {
        usize::try_from(self.begun.elapsed().as_millis()).unwrap_or(usize::MAX)
    }
}

/// Memory of its own, beside the mapped file: more is an error of one reply and not a matter for the whole machine.
fn bound_memory(bytes: u64) -> Result<(), String> {
    let limit = libc::rlimit {
        rlim_cur: bytes,
        rlim_max: bytes,
    };
    // SAFETY: the struct is complete.
    match unsafe { libc::setrlimit(libc::RLIMIT_DATA, &limit) } {
        0 => Ok(()),
        _ => Err("its memory cannot be limited".to_owned()),
    }
}

/// Takes the place of a program that has ended without removing its socket.
fn listen(arguments: &Arguments) -> Result<UnixListener, String> {
    if UnixStream::connect(&arguments.socket).is_ok() {
        return Err("another one listens already".to_owned());
    }
    let temporary = arguments
        .socket
        .with_extension(std::process::id().to_string());
    let failed = |error: std::io::Error| format!("the socket cannot be made: {}", error.kind());
    let _ = std::fs::remove_file(&temporary);
    let listener = UnixListener::bind(&temporary).map_err(failed)?;
    let only_us = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&temporary, only_us).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    std::fs::rename(&temporary, &arguments.socket).map_err(failed)?;
    Ok(listener)
}

fn serve(listener: &UnixListener, state: &Arc<State>, idle: Duration) {
    loop {
        match listener.accept() {
            Ok((stream, _)) => accept(stream, state),
            Err(_) => {
                let mut poll = libc::pollfd {
                    fd: listener.as_raw_fd(),
                    events: libc::POLLIN,
                    revents: 0,
                };
                // SAFETY: one descriptor, which is open.
                unsafe { libc::poll(&mut poll, 1, 500) };
            }
        }
        let unused = state
            .now_ms()
            .saturating_sub(state.last_use_ms.load(Ordering::Relaxed));
        if state.connections.load(Ordering::Relaxed) == 0 && unused as u128 > idle.as_millis() {
            return;
        }
    }
}

fn accept(stream: UnixStream, state: &Arc<State>) {
    if !is_of_this_user(&stream) || state.connections.load(Ordering::Relaxed) >= MOST_CONNECTIONS {
        return;
    }
    state.connections.fetch_add(1, Ordering::Relaxed);
    let own = Arc::clone(state);
    let thread = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(move || {
            let _ = converse(&stream, &own);
            own.last_use_ms.store(own.now_ms(), Ordering::Relaxed);
            own.connections.fetch_sub(1, Ordering::Relaxed);
        });
    if thread.is_err() {
        state.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The directory lets nobody else in; this holds where somebody has opened it.
fn is_of_this_user(stream: &UnixStream) -> bool {
    let mut peer = libc::ucred {
        pid: 0,
        uid: u32::MAX,
        gid: u32::MAX,
    };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the buffer is as long as said; the last call reads the process's own user.
    unsafe {
        let peer = std::ptr::from_mut(&mut peer).cast();
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            peer,
            &mut length,
        ) == 0
            && (*peer.cast::<libc::ucred>()).uid == libc::geteuid()
    }
}

/// Answers the requests of a connection until it is closed, or unused.
fn converse(stream: &UnixStream, state: &State) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.set_write_timeout(Some(Duration::from_secs(10)))?;
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    while let Some(request) = http::read(&mut reader)? {
        let (status, body) = match request.target.as_str() {
            "POST /v1/chat/completions" => complete(stream, state, &request.body),
            "GET /v1/models" => (
                200,
                json!({"object": "list", "data": [{"id": state.name, "object": "model"}]}),
            ),
            _ => (404, json!({"error": {"message": "there is no such route"}})),
        };
        http::write(&mut writer, status, &body)?;
    }
    Ok(())
}

fn complete(stream: &UnixStream, state: &State, body: &[u8]) -> (u16, Value) {
    let bad = |message: &str| {
        (
            400,
            json!({"error": {"message": message, "type": "text2sql_model"}}),
        )
    };
    let Ok(request) = serde_json::from_slice::<exchange::Request>(body) else {
        return bad("the request is not understood");
    };
    let roles: Vec<&str> = request
        .messages
        .iter()
        .map(|message| message.role.as_str())
        .collect();
    let Some(frames) = engine::frame(state.template.as_ref(), &roles) else {
        return bad("the model's template does not fit the conversation");
    };
    let texts = request
        .messages
        .iter()
        .map(|message| Some(Part::Text(&message.content)));
    let parts = frames.iter().zip(texts.chain([None]));
    let parts: Vec<Part<'_>> = parts
        .flat_map(|(frame, text)| [Some(Part::Frame(frame)), text])
        .flatten()
        .collect();
    // Whoever comes first is answered first, or nearly: the lock of the system is fair enough for a few.
    let mut engine = loop {
        if has_gone(stream) {
            return exchange::failure(&Failure::Stopped);
        }
        match state.engine.try_lock() {
            Ok(engine) => break engine,
            Err(std::sync::TryLockError::Poisoned(poisoned)) => {
                break PoisonError::into_inner(poisoned);
            }
            Err(std::sync::TryLockError::WouldBlock) => std::thread::sleep(LOOK),
        }
    };
    let rules = request.names.as_ref().map(Rules::new);
    state.stop.store(false, Ordering::Relaxed);
    let is_done = AtomicBool::new(false);
    let reply = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                if has_gone(stream) {
                    state.stop.store(true, Ordering::Relaxed);
                }
                std::thread::park_timeout(LOOK);
            }
        });
        let reply = engine.reply(&parts, rules.as_ref(), request.max_tokens);
        is_done.store(true, Ordering::Relaxed);
        reply
    });
    match reply {
        Ok(reply) => (200, exchange::completion(&state.name, &reply)),
        Err(failure) => exchange::failure(&failure),
    }
}

/// Whether the other end is closed.
fn has_gone(stream: &UnixStream) -> bool {
    let mut poll = libc::pollfd {
        fd: stream.as_raw_fd(),
        events: libc::POLLRDHUP,
        revents: 0,
    };
    // SAFETY: one descriptor, which is open.
    unsafe { libc::poll(&mut poll, 1, 0) };
    poll.revents & (libc::POLLRDHUP | libc::POLLHUP | libc::POLLERR) != 0
}
