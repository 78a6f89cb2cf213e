//! The log, on standard error: what was done, when, for which role, and how long it took. No secret, SQL, question or
//! value is written.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry};

use crate::config::LogConfig;

/// Begins to write lines as the configuration says. Libraries say only what is wrong, because some would print what
/// they send.
pub fn begin(config: &LogConfig) {
    let level = config.level.parse().unwrap_or(LevelFilter::INFO);
    let shown = Targets::new()
        .with_default(LevelFilter::WARN)
        .with_target("text2sql_server", level);
    let lines = fmt::layer().with_writer(std::io::stderr).with_target(false);
    let lines = if config.is_json {
        lines.json().flatten_event(true).boxed()
    } else {
        lines.with_ansi(false).boxed()
    };
    // Only a second call fails, and then there is a log.
    let _begun = registry().with(lines.with_filter(shown)).try_init();
}
