//! How far a replica is behind.

use pgrx::pg_sys;
use text2sql_replica::Standing;

/// How far a replica is behind this server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Lag {
    /// It has replayed all that this server had written when the statement was sent.
    None,
    /// Seconds since the commit of the last transaction that it has replayed.
    Seconds(f64),
    /// It is behind, and has not replayed a transaction since it started.
    Unknown,
    /// It is no hot standby: its own statistics of replication would have to say.
    NoStandby,
}

impl Lag {
    /// Seconds, if they are known.
    pub(super) fn seconds(self) -> Option<f64> {
        match self {
            Self::None => Some(0.0),
            Self::Seconds(seconds) => Some(seconds),
            Self::Unknown | Self::NoStandby => None,
        }
    }

    /// What the answer says about it.
    pub(super) fn note(self, name: &str) -> String {
        match self {
            Self::None => format!("the query ran on replica {name}, which is not behind"),
            Self::Seconds(seconds) => {
                format!("the query ran on replica {name}, which is up to {seconds:.1} s behind")
            }
            Self::Unknown => {
                format!("the query ran on replica {name}, which is behind; it is not known how far")
            }
            Self::NoStandby => format!(
                "the query ran on {name}, which is no hot standby: it is not known whether it is behind"
            ),
        }
    }
}

/// The end of this server's write-ahead log; `None` on a standby, which has no other end than the replica may have.
pub(super) fn own_position() -> Option<u64> {
    // SAFETY: both read shared memory and raise no error here.
    unsafe { (!pg_sys::RecoveryInProgress()).then(|| pg_sys::GetXLogInsertRecPtr()) }
}

/// Compares what the replica has replayed with the end of this server's log when the statement was sent.
pub(super) fn of(standing: &Standing, own_position: Option<u64>) -> Lag {
    if !standing.is_standby {
        return Lag::NoStandby;
    }
    match (standing.replayed, own_position, standing.replayed_until) {
        (Some(replayed), Some(own), _) if replayed >= own => Lag::None,
        (_, _, Some(until)) => Lag::Seconds((standing.now - until).max(0.0)),
        _ => Lag::Unknown,
    }
}
