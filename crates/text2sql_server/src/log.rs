//! The log, on standard error: what was done, when, for which role, and how long it took. No secret, SQL, question or
//! value is written.

use tracing_subscriber::EnvFilter;

use crate::config::LogConfig;

/// Begins to write lines as the configuration says. Libraries say only what is wrong, because some would print what
/// they send.
pub fn begin(config: &LogConfig) {
    let filter = EnvFilter::new(format!("warn,text2sql_server={}", config.level));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false);
    // Only a second call fails, and then there is a log.
    let _begun = if config.is_json {
        subscriber.json().flatten_event(true).try_init()
    } else {
        subscriber.with_ansi(false).try_init()
    };
}
