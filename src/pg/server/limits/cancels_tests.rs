//! Cancels in a running server: who requested them, and that none is lost.

#[pgrx::pg_schema]
#[expect(clippy::unwrap_used, clippy::panic, reason = "tests")]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use pgrx::prelude::*;
    use text2sql_domain::config::Limits;

    use crate::pg::access::guard::{Verdict, run_guarded};
    use crate::pg::server::limits::cancel_requests::*;
    use crate::pg::server::spi::role;

    const LIMIT: Duration = Duration::from_millis(20);

    /// The outcome of `work` inside the guard: `cancelled` when the server's own cancel ended it, else the
    /// message of the limit or `passed`. The second value is whether a cancel remained pending.
    fn guarded(work: impl Fn() + std::panic::RefUnwindSafe) -> (String, bool) {
        let limits = Limits {
            query_timeout: LIMIT,
            ..Limits::default()
        };
        let outcome = PgTryBuilder::new(|| {
            let role = role::effective_role(None).unwrap();
            let verdict = run_guarded(
                &limits,
                &crate::pg::server::settings::guard_policy(),
                &role,
                |_| {
                    work();
                    Ok(())
                },
            );
            match verdict.unwrap() {
                Verdict::Passed(()) => "passed".to_owned(),
                Verdict::Failed(error) => error.message,
                Verdict::Rejected(rejection) => panic!("{rejection:?}"),
            }
        })
        .catch_when(PgSqlErrorCode::ERRCODE_QUERY_CANCELED, |_| {
            "cancelled".to_owned()
        })
        .execute();
        let is_left = is_pending();
        serve();
        (outcome, is_left)
    }

    /// Like `pg_cancel_backend` or a client: from another process.
    fn request_from_outside() {
        let process = std::process::id().to_string();
        let sent = Command::new("kill").args(["-INT", &process]).status();
        assert!(sent.unwrap().success());
        while !is_requested() {
            std::hint::spin_loop();
        }
    }

    /// Until the guard's own limit is reached, without checking for interrupts.
    fn outlast_the_limit() {
        let start = Instant::now();
        while start.elapsed() < LIMIT * 4 {
            std::hint::spin_loop();
        }
    }

    fn listen() {
        pgrx::check_for_interrupts!();
    }

    /// Like a function that catches `query_canceled`.
    fn catch_cancel() {
        assert!(serve().is_some());
    }

    struct OutlastOnDrop;

    impl Drop for OutlastOnDrop {
        fn drop(&mut self) {
            outlast_the_limit();
        }
    }

    fn limit_reached() -> String {
        "the statement took longer than text2sql.query_timeout (20 ms)".to_owned()
    }

    #[pg_test]
    fn a_limit_alone_is_the_statements_error_and_leaves_nothing() {
        let served = guarded(|| {
            outlast_the_limit();
            listen();
        });
        assert_eq!(served, (limit_reached(), false));
        assert_eq!(guarded(outlast_the_limit), ("passed".to_owned(), false));
    }

    #[pg_test]
    fn a_request_while_the_limit_is_reached_is_answered_once() {
        let after_the_limit = guarded(|| {
            outlast_the_limit();
            request_from_outside();
        });
        assert_eq!(after_the_limit, ("cancelled".to_owned(), false));
        let both_at_once = guarded(|| {
            outlast_the_limit();
            request_from_outside();
            listen();
        });
        assert_eq!(both_at_once, ("cancelled".to_owned(), false));
        // The request is served, and the limit is reached while its error unwinds.
        let before_the_limit = guarded(|| {
            let _late = OutlastOnDrop;
            request_from_outside();
            listen();
        });
        assert_eq!(before_the_limit, ("cancelled".to_owned(), false));
        // In the opposite order.
        let during_the_limit = guarded(|| {
            struct RequestOnDrop;
            impl Drop for RequestOnDrop {
                fn drop(&mut self) {
                    request_from_outside();
                }
            }
            let _late = RequestOnDrop;
            outlast_the_limit();
            listen();
        });
        assert_eq!(during_the_limit, ("cancelled".to_owned(), false));
    }

    #[pg_test]
    fn a_request_that_code_beneath_catches_is_asked_again() {
        let caught = guarded(|| {
            request_from_outside();
            catch_cancel();
        });
        assert_eq!(caught, ("passed".to_owned(), true));
        let caught_before_the_limit = guarded(|| {
            request_from_outside();
            catch_cancel();
            outlast_the_limit();
            listen();
        });
        assert_eq!(caught_before_the_limit, ("cancelled".to_owned(), false));
    }

    #[pg_test]
    fn what_the_server_asks_of_itself_is_no_request() {
        // Like a timeout of the server, including `lock_timeout`.
        let found = guarded(|| {
            // SAFETY: a signal that the process handles.
            unsafe { libc::raise(libc::SIGINT) };
            catch_cancel();
            outlast_the_limit();
            listen();
        });
        assert_eq!(found, (limit_reached(), false));
    }

    #[pg_test]
    fn what_was_asked_for_before_is_answered_before() {
        request_again();
        let found = guarded(|| panic!("the statement ran"));
        assert_eq!(found, ("cancelled".to_owned(), false));
    }

    /// The server looks for cancels at the end of every message: what is to be dropped is dropped.
    #[pg_test]
    fn a_cancel_that_a_message_serves_unwinds() {
        struct Dropped<'a>(&'a std::cell::Cell<u32>);
        impl Drop for Dropped<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() + 1);
            }
        }
        let dropped = std::cell::Cell::new(0);
        let messages: [fn(); 2] = [
            || crate::pg::server::ereport::log("a line"),
            || crate::pg::server::ereport::notice("00000", "a notice", "its detail", "its detail"),
        ];
        for message in messages {
            let ended = PgTryBuilder::new(std::panic::AssertUnwindSafe(|| {
                let _dropped = Dropped(&dropped);
                request_again();
                message();
                "went on"
            }))
            .catch_when(PgSqlErrorCode::ERRCODE_QUERY_CANCELED, |_| "cancelled")
            .execute();
            assert_eq!(ended, "cancelled");
        }
        assert_eq!(dropped.get(), 2);
    }
}
