//! Watches the private memory used by a generated query, because nothing in the server does: `work_mem` limits
//! neither single values nor the states of aggregates.
//!
//! A thread reads the memory figures of the process every 20 ms while it is armed and requests a cancel when
//! they exceed the limit. It never calls PostgreSQL, and the server's signals are blocked in it. It cannot stop
//! a single allocation, of up to 1 GB.
//!
//! The thread sleeps on a timer of the operating system. Most statements end before it first fires: waking a
//! thread for each of them would take longer than some of them run.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use text2sql_http::SignalsBlocked;

use crate::pg::server::limits::cancel_requests;

/// Armed from `start` until it is dropped or settled.
pub(crate) struct MemoryWatchdog {
    is_armed: bool,
}

impl MemoryWatchdog {
    /// Watches for `limit` bytes more than the process has now; 0 means no limit.
    pub(crate) fn start(limit: usize) -> Self {
        let is_possible = limit > 0 && start_thread();
        let Some(private) = private_bytes().filter(|_| is_possible) else {
            return Self { is_armed: false };
        };
        HIT.store(false, Ordering::SeqCst);
        GREW.store(false, Ordering::SeqCst);
        *bounds() = Some(Bounds {
            highest_allowed: private.saturating_add(limit),
            large: private.saturating_add(LARGE),
        });
        set_timer(INTERVAL);
        Self { is_armed: true }
    }

    /// Disarms, and returns whether the limit was reached. A cancel may still be pending.
    pub(crate) fn settle(&mut self) -> bool {
        if !self.is_armed {
            return false;
        }
        self.is_armed = false;
        // The thread cancels under this lock: after this it no longer does.
        *bounds() = None;
        set_timer(Duration::ZERO);
        HIT.swap(false, Ordering::SeqCst)
    }
}

impl Drop for MemoryWatchdog {
    fn drop(&mut self) {
        self.settle();
    }
}

/// Returns memory to the operating system after a statement that used much of it. The C library keeps freed
/// memory for the next allocation: planning a join of 46 tables left 190 MB with the backend. To be called when
/// all memory of the statement has been freed.
pub(crate) fn give_back() {
    if GREW.swap(false, Ordering::SeqCst) {
        #[cfg(target_env = "gnu")]
        // SAFETY: a plain call of the C library, which takes its own locks.
        unsafe {
            libc::malloc_trim(0);
        }
    }
}

/// The memory limit and the amount worth returning, in bytes.
struct Bounds {
    highest_allowed: usize,
    large: usize,
}

/// 32 MB: returning it takes a few milliseconds, and the next large statement allocates it again.
const LARGE: usize = 32 * 1024 * 1024;

static BOUNDS: Mutex<Option<Bounds>> = Mutex::new(None);
static HIT: AtomicBool = AtomicBool::new(false);
static GREW: AtomicBool = AtomicBool::new(false);
static WATCH: OnceLock<Watch> = OnceLock::new();
static THREAD_OF_PROCESS: AtomicU32 = AtomicU32::new(0);

/// What the thread waits for and what it reads.
struct Watch {
    timer: OwnedFd,
    /// Figures of this process; they are generated whenever the file is read from its beginning.
    figures: File,
}

impl Watch {
    fn open() -> std::io::Result<Self> {
        let figures = File::open("/proc/self/statm")?;
        // SAFETY: takes no pointers; a negative result is an error, any other a descriptor owned only
        // here.
        let timer = unsafe {
            let timer = libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC);
            if timer < 0 {
                return Err(std::io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(timer)
        };
        Ok(Self { timer, figures })
    }
}

/// Sets the interval of the timer; zero stops it.
fn set_timer(interval: Duration) {
    let Some(watch) = WATCH.get() else { return };
    let every = libc::timespec {
        tv_sec: 0,
        tv_nsec: interval.subsec_nanos().into(),
    };
    let timing = libc::itimerspec {
        it_interval: every,
        it_value: every,
    };
    // SAFETY: an open descriptor and a local value; fails only for a value out of range.
    unsafe {
        libc::timerfd_settime(
            watch.timer.as_raw_fd(),
            0,
            &raw const timing,
            std::ptr::null_mut(),
        );
    }
}

/// Sleeps until the timer fires.
fn wait_for_timer(watch: &Watch) {
    let mut times = [0_u8; 8];
    // SAFETY: an open descriptor and as many bytes as are said. An error would come again at once.
    let read = unsafe {
        libc::read(
            watch.timer.as_raw_fd(),
            times.as_mut_ptr().cast(),
            times.len(),
        )
    };
    if read < 0 {
        std::thread::sleep(INTERVAL);
    }
}

/// 20 ms: at 1 GB/s, the fastest growth measured, that is 20 MB above the limit, and the thread uses 0.1 % of a
/// core while a query runs.
const INTERVAL: Duration = Duration::from_millis(20);

fn bounds() -> MutexGuard<'static, Option<Bounds>> {
    BOUNDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the thread unless it is already running.
fn start_thread() -> bool {
    if THREAD_OF_PROCESS.load(Ordering::SeqCst) == std::process::id() {
        return true;
    }
    if WATCH.get().is_none() {
        let Ok(watch) = Watch::open() else {
            return false;
        };
        let _ = WATCH.set(watch);
    }
    // The new thread inherits the mask, so that PostgreSQL's handlers, written for one thread, stay on the
    // main one.
    let spawned = {
        let _blocked = SignalsBlocked::new();
        std::thread::Builder::new()
            .name("text2sql-memory".to_owned())
            .stack_size(128 * 1024)
            .spawn(watch)
    };
    if spawned.is_err() {
        return false;
    }
    THREAD_OF_PROCESS.store(std::process::id(), Ordering::SeqCst);
    true
}

fn watch() {
    let Some(watch) = WATCH.get() else { return };
    loop {
        wait_for_timer(watch);
        // Before the lock, which the main thread may want.
        let private = private_bytes();
        let bounds = bounds();
        if let (Some(bounds), Some(private)) = (&*bounds, private) {
            if private > bounds.large {
                GREW.store(true, Ordering::SeqCst);
            }
            if private > bounds.highest_allowed && cancel_requests::raise(&HIT) {
                // SAFETY: wakes a wait on the latch, as the server's own SetLatch does; the
                // handler does nothing else, so that a late signal is harmless.
                unsafe { libc::kill(libc::getpid(), libc::SIGURG) };
            }
        }
    }
}

/// Resident memory that is not shared (shared buffers are).
fn private_bytes() -> Option<usize> {
    // Seven numbers of at most 20 digits.
    let mut statm = [0; 160];
    let length = WATCH.get()?.figures.read_at(&mut statm, 0).ok()?;
    let statm = std::str::from_utf8(statm.get(..length)?).ok()?;
    let mut fields = statm.split_ascii_whitespace().skip(1);
    let resident: usize = fields.next()?.parse().ok()?;
    let shared: usize = fields.next()?.parse().ok()?;
    // SAFETY: reads a constant of the system.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    Some(resident.saturating_sub(shared).saturating_mul(page))
}
