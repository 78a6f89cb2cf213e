//! Some tests need data that is not in the repository. Where it is missing they report that they were skipped:
//! `scripts/test.sh` counts these lines. In continuous integration (`CI` is set) they fail instead.

use std::io::Write;
use std::path::PathBuf;

use postgres::Client;

/// The folder named by `TEXT2SQL_SHARED`; `None`, after reporting the skip, when there is none.
/// `what` of it the test needs.
pub fn shared_or_skip(what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("TEXT2SQL_SHARED").map(PathBuf::from);
    if folder.is_none() {
        skip(&format!("../shared ({what})"));
    }
    folder
}

/// Reports that the running test is skipped, because something that it needs is missing. The test returns
/// after that.
///
/// # Panics
/// In continuous integration, where no test may be skipped.
pub fn skip(needs: &str) {
    assert!(
        std::env::var_os("CI").is_none(),
        "this test needs {needs}, and in continuous integration no test is left out"
    );
    report(needs);
}

/// Creates an extension that is not part of PostgreSQL; `false`, after reporting the skip, when the server does not
/// have it. In continuous integration, too: servers of the package registry cannot have it.
///
/// # Panics
/// When the server has the extension and does not create it.
pub fn extension_or_skip(client: &mut Client, name: &str) -> bool {
    let available = "SELECT FROM pg_catalog.pg_available_extensions WHERE name = $1";
    if client.query_opt(available, &[&name]).unwrap().is_none() {
        report(&format!("the extension {name} on the server"));
        return false;
    }
    client
        .batch_execute(&format!("CREATE EXTENSION IF NOT EXISTS {name}"))
        .unwrap();
    true
}

fn report(needs: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Not println!, whose output the test harness shows for failed tests only. One write, so that the
    // line stays whole among those of other tests.
    let line = format!("skipped: {test} needs {needs}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
