//! When to retry, and how long to wait before.

use std::time::{Duration, SystemTime};

/// The delays of connecting and retrying. Tests use shorter ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Time limit for one connection attempt, including name look-up and TLS handshake. 5 s: a reachable
    /// endpoint takes well under one second, and a wrong address should not use up the deadline.
    pub connect: Duration,
    /// Upper bound of the first random delay; it doubles with every attempt. 0.5 s.
    pub first_delay: Duration,
    /// Upper bound of any random delay. 8 s.
    pub longest_delay: Duration,
    /// Maximum `Retry-After` that is waited for. 20 s, because the user is waiting. If
    /// the endpoint asks for more, its reply is returned immediately: an earlier retry would be
    /// useless, and waiting longer is the caller's decision.
    pub longest_retry_after: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_delay: Duration::from_millis(500),
            longest_delay: Duration::from_secs(8),
            longest_retry_after: Duration::from_secs(20),
        }
    }
}

impl Timing {
    /// How long to wait after this number of attempts; `None` for no further attempt. The delay is
    /// random between zero and its upper bound ("full jitter"), so that backends rejected by the same
    /// overload do not retry at the same time.
    pub(crate) fn delay(&self, attempts: u32, retry_after: Option<Duration>) -> Option<Duration> {
        let doubled = self.first_delay.saturating_mul(
            1_u32
                .checked_shl(attempts.saturating_sub(1))
                .unwrap_or(u32::MAX),
        );
        let random = doubled.min(self.longest_delay).mul_f64(fastrand::f64());
        match retry_after {
            Some(asked) if asked > self.longest_retry_after => None,
            Some(asked) => Some(asked.max(random)),
            None => Some(random),
        }
    }
}

/// Whether a request with this reply status is worth retrying.
pub(crate) fn is_worth_retrying(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500..=599)
}

/// Parses a `Retry-After` header: seconds, or a date, which may lie in the past.
pub(crate) fn read_retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_what_may_pass() {
        for status in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert!(is_worth_retrying(status), "{status}");
        }
        for status in [200, 302, 400, 401, 403, 404, 413, 422] {
            assert!(!is_worth_retrying(status), "{status}");
        }
    }

    #[test]
    fn reads_seconds_and_dates() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let check = |value, seconds: Option<u64>| {
            assert_eq!(
                read_retry_after(value, now),
                seconds.map(Duration::from_secs),
                "{value:?}"
            );
        };
        check("7", Some(7));
        check(" 0 ", Some(0));
        check("Sun, 06 Nov 1994 08:49:40 GMT", Some(3));
        check("Sun, 06 Nov 1994 08:49:30 GMT", Some(0));
        check("soon", None);
        check("-3", None);
    }

    #[test]
    fn delays_grow_up_to_a_limit() {
        let timing = Timing::default();
        for attempts in 1..100 {
            let upper = Duration::from_millis(500 << (attempts - 1).min(4));
            for _ in 0..20 {
                assert!(timing.delay(attempts, None).unwrap() <= upper, "{attempts}");
            }
        }
    }

    #[test]
    fn waits_for_retry_after_unless_it_is_too_long() {
        let timing = Timing::default();
        let delay = |seconds| timing.delay(1, Some(Duration::from_secs(seconds)));
        assert_eq!(delay(20), Some(Duration::from_secs(20)));
        assert_eq!(delay(21), None);
        assert!(delay(0).unwrap() <= Duration::from_millis(500));
    }
}
