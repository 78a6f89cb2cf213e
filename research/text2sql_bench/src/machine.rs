//! Facts about the machine, without which a figure means nothing.

use std::fs;

use crate::error::Fallible;
use crate::report::Fact;
use crate::session::Session;

/// What the figures were measured on.
pub(crate) fn facts(session: &mut Session) -> Fallible<Vec<Fact>> {
    let unknown = || "unknown".to_owned();
    let cores = std::thread::available_parallelism().map_or_else(|_| unknown(), |n| n.to_string());
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.trim_end_matches("kB").trim().parse::<u64>().ok())
        .map_or_else(unknown, |kilobytes| {
            format!("{} GiB", kilobytes.div_ceil(1 << 20))
        });
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_else(|_| unknown());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_else(|_| unknown());
    let facts = [
        (
            "processor",
            field("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
        ),
        ("cores", cores),
        ("memory", memory),
        ("kernel", kernel.trim().to_owned()),
        (
            "load before",
            load.split(' ').take(2).collect::<Vec<_>>().join(" "),
        ),
        ("PostgreSQL", session.value("SHOW server_version")?),
        ("extension", session.value("SELECT text2sql._version()")?),
    ];
    Ok(facts
        .into_iter()
        .map(|(name, value)| Fact {
            name: name.to_owned(),
            value,
        })
        .collect())
}

/// The value of the first line `name : value` of a file.
fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_name() {
        assert!(field("/proc/meminfo", "MemTotal").is_some_and(|value| value.ends_with("kB")));
        assert_eq!(field("/proc/meminfo", "No Such"), None);
    }
}
