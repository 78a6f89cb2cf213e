//! How much memory a backend holds, from `/proc`. Only works on the machine of the server.

use std::fs;

/// Kilobytes of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory {
    /// Heap and stacks: what the process has for itself, shared buffers not counted.
    pub(crate) anonymous: u64,
    /// Pages of files, programs and libraries, shared with other processes.
    pub(crate) files: u64,
}

/// Reads the memory of a process; `None` where `/proc` does not tell.
pub(crate) fn of_process(pid: u32) -> Option<Memory> {
    parse(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?)
}

fn parse(status: &str) -> Option<Memory> {
    Some(Memory {
        anonymous: kilobytes(status, "RssAnon:")?,
        files: kilobytes(status, "RssFile:")?,
    })
}

fn kilobytes(status: &str, field: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_fields_of_status() {
        let status =
            "Name:\tpostgres\nVmRSS:\t   9000 kB\nRssAnon:\t    1234 kB\nRssFile:\t    5678 kB\n";
        let expected = Memory {
            anonymous: 1234,
            files: 5678,
        };
        assert_eq!(parse(status), Some(expected));
        assert_eq!(parse("Name:\tzombie\n"), None);
    }

    #[test]
    fn knows_its_own_memory() {
        assert!(of_process(std::process::id()).is_some_and(|memory| memory.anonymous > 0));
    }
}
