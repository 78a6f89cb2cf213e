//! Passwords that were wrong: PostgreSQL itself counts none. What counts is the name together with the address, because
//! a name alone would let anybody lock its owner out, and an address alone locks out everybody behind one proxy or NAT.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;

use crate::problem::Problem;

/// The time in which attempts are counted.
const WINDOW: Duration = Duration::from_secs(60);
/// One address that tries many names, and one name that is tried from many addresses, may fail this many times as often.
const OF_ALL: usize = 10;
/// Beyond this many addresses and users, those without recent attempts are forgotten.
const MANY: usize = 10_000;

/// Failed logins of the last minute: of each user from each address, and of all users and all addresses.
pub struct Attempts {
    most: usize,
    failed: Mutex<HashMap<Subject, VecDeque<Instant>>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Subject {
    Both(IpAddr, String),
    Address(IpAddr),
    User(String),
}

impl Subject {
    /// How many times as often as a user from one address it may fail.
    fn factor(&self) -> usize {
        match self {
            Self::Both(..) => 1,
            Self::Address(_) | Self::User(_) => OF_ALL,
        }
    }
}

/// An attempt. It counts as failed unless it says otherwise.
pub struct Attempt<'a> {
    attempts: &'a Attempts,
    subjects: [Subject; 3],
    began: Instant,
}

impl Attempts {
    /// Maximum number of attempts in a minute.
    pub fn new(most: u32) -> Self {
        Self {
            most: usize::try_from(most).unwrap_or(usize::MAX),
            failed: Mutex::default(),
        }
    }

    /// An attempt of this address and user, or when to come again.
    pub fn begin(&self, address: IpAddr, user: &str) -> Result<Attempt<'_>, Problem> {
        self.begin_at(address, user, Instant::now())
    }

    fn begin_at(&self, address: IpAddr, user: &str, now: Instant) -> Result<Attempt<'_>, Problem> {
        let address = network(address);
        let subjects = [
            Subject::Both(address, user.to_owned()),
            Subject::Address(address),
            Subject::User(user.to_owned()),
        ];
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.len() >= MANY {
            failed.retain(|_, times| times.back().is_some_and(|last| is_recent(*last, now)));
        }
        for subject in &subjects {
            let times = failed.entry(subject.clone()).or_default();
            times.retain(|time| is_recent(*time, now));
            if times.len() >= self.most.saturating_mul(subject.factor()) {
                return Err(too_many(times.front().copied(), now));
            }
        }
        for subject in &subjects {
            failed.entry(subject.clone()).or_default().push_back(now);
        }
        Ok(Attempt {
            attempts: self,
            subjects,
            began: now,
        })
    }
}

impl Attempt<'_> {
    /// It does not count: the password was right, or nobody could say.
    pub fn does_not_count(self) {
        let mut failed = self
            .attempts
            .failed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for subject in &self.subjects {
            let Some(times) = failed.get_mut(subject) else {
                continue;
            };
            if let Some(index) = times.iter().position(|time| *time == self.began) {
                times.remove(index);
            }
            if times.is_empty() {
                failed.remove(subject);
            }
        }
    }
}

fn is_recent(time: Instant, now: Instant) -> bool {
    now.saturating_duration_since(time) < WINDOW
}

fn too_many(first: Option<Instant>, now: Instant) -> Problem {
    let passed = first.map_or(WINDOW, |first| now.saturating_duration_since(first));
    let seconds = WINDOW.saturating_sub(passed).as_secs() + 1;
    Problem {
        retry_after: u32::try_from(seconds).ok(),
        ..Problem::new(StatusCode::TOO_MANY_REQUESTS, "too many failed logins")
    }
    .with_hint(format!("Try again in {seconds} seconds."))
}

/// The network to count attempts for: one IPv6 customer usually has 2^64 addresses.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn failures_of_a_user_from_an_address_are_counted() {
        let attempts = Attempts::new(2);
        let now = Instant::now();
        let fails = |last: u8, user: &str, seconds: u64| {
            attempts
                .begin_at(address(last), user, now + Duration::from_secs(seconds))
                .err()
                .map(|problem| (problem.status, problem.retry_after.unwrap()))
        };
        assert_eq!(fails(1, "ana", 0), None);
        assert_eq!(fails(1, "ana", 10), None);
        assert_eq!(fails(1, "ana", 20), Some((429, 41)));
        // Neither her colleagues at that address nor she herself elsewhere are locked out.
        assert_eq!(fails(1, "bob", 20), None);
        assert_eq!(fails(2, "ana", 20), None);
        assert_eq!(fails(1, "ana", 61), None);
    }

    #[test]
    fn many_names_from_an_address_and_many_addresses_of_a_name_have_an_end() {
        let attempts = Attempts::new(1);
        for number in 0..10 {
            let user = format!("user {number}");
            assert!(attempts.begin(address(1), &user).is_ok());
            assert!(attempts.begin(address(100 + number), "ana").is_ok());
        }
        assert!(attempts.begin(address(1), "bob").is_err());
        assert!(attempts.begin(address(2), "ana").is_err());
        assert!(attempts.begin(address(2), "bob").is_ok());
    }

    #[test]
    fn a_right_password_does_not_count() {
        let attempts = Attempts::new(1);
        for _ in 0..3 {
            attempts.begin(address(1), "ana").unwrap().does_not_count();
        }
        assert!(attempts.failed.lock().unwrap().is_empty());
        assert!(attempts.begin(address(1), "ana").is_ok());
        assert!(attempts.begin(address(1), "ana").is_err());
    }

    #[test]
    fn a_network_of_ipv6_counts_as_one_address() {
        let attempts = Attempts::new(1);
        assert!(
            attempts
                .begin("2001:db8::1".parse().unwrap(), "ana")
                .is_ok()
        );
        assert!(
            attempts
                .begin("2001:db8::2".parse().unwrap(), "ana")
                .is_err()
        );
        assert!(
            attempts
                .begin("2001:db8:0:1::1".parse().unwrap(), "ana")
                .is_ok()
        );
    }
}
