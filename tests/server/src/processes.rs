//! What the system knows about a backend. The server runs on this machine.

use postgres::Client;

/// The process of a connection.
pub fn process_of(client: &mut Client) -> i32 {
    client
        .query_one("SELECT pg_backend_pid()", &[])
        .expect("a process id")
        .get(0)
}

/// Private memory of the process, in kB; `None` when it is unknown.
pub fn private_kb(process: i32) -> Option<i64> {
    let file = format!("/proc/{process}/smaps_rollup");
    let text = std::fs::read_to_string(file).ok()?;
    let lines = text.lines().filter(|line| line.starts_with("Private_"));
    let numbers = lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<i64>().ok());
    Some(numbers.sum())
}

/// How many threads the process has.
pub fn threads(process: i32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/task")).map_or(0, Iterator::count)
}

/// Memory of the process that is resident, in kB; `None` when it is unknown.
pub fn resident_kb(process: i32) -> Option<i64> {
    field(process, "VmRSS:")
}

/// How many files and sockets the process has open.
pub fn open_files(process: i32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count)
}

/// Addresses that the process uses, in kB; `None` when it is unknown.
pub fn address_space_kb(process: i32) -> Option<usize> {
    field(process, "VmSize:")
}

/// The process that started this one; `None` when it is unknown.
pub fn parent(process: i32) -> Option<i32> {
    field(process, "PPid:")
}

/// A number of the system about the process.
fn field<T: std::str::FromStr>(process: i32, name: &str) -> Option<T> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
