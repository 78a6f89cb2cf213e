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

/// The seconds that a process has computed so far, of all its threads; `None` where `/proc` does not tell.
pub(crate) fn processor_seconds(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    ticks(&stat).map(|ticks| ticks as f64 / TICKS_EACH_SECOND)
}

/// What Linux counts in, for programs.
const TICKS_EACH_SECOND: f64 = 100.0;

/// User and system time: the 14th and the 15th field. The second field is the name, in parentheses.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
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
    fn reads_the_ticks_of_a_process() {
        let stat = "7 (post gres) S 1 7 7 0 -1 4194560 100 0 0 0 250 30 0 0 20 0 1 0 100";
        assert_eq!(ticks(stat), Some(280));
        assert!(processor_seconds(std::process::id()).is_some());
    }

    #[test]
    fn knows_its_own_memory() {
        assert!(of_process(std::process::id()).is_some_and(|memory| memory.anonymous > 0));
    }
}
