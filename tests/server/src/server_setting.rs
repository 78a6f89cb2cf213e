//! Settings of the whole server.

use std::time::{Duration, Instant};

use crate::connection::connect;

/// A setting of the whole server, as its configuration file has it. Tests that run meanwhile have it too.
pub struct ServerSetting {
    name: &'static str,
}

impl ServerSetting {
    /// Sets it, and waits until new sessions have it.
    pub fn set(name: &'static str, value: u32) -> Self {
        let setting = Self { name };
        setting.change(&format!("ALTER SYSTEM SET {name} = {value}"));
        let deadline = Instant::now() + Duration::from_secs(10);
        let shown = || -> String {
            let mut client = connect("postgres", None);
            client.batch_execute("LOAD 'pg_text2sql'").expect("library");
            let row = client.query_one(&format!("SHOW {name}"), &[]);
            row.expect("the setting").get(0)
        };
        while shown() != value.to_string() {
            assert!(Instant::now() < deadline, "the server did not read {name}");
            std::thread::sleep(Duration::from_millis(10));
        }
        setting
    }

    fn change(&self, statement: &str) {
        let mut admin = connect("postgres", None);
        // The server knows the setting when the library is loaded.
        for statement in ["LOAD 'pg_text2sql'", statement, "SELECT pg_reload_conf()"] {
            admin.batch_execute(statement).expect(self.name);
        }
    }
}

impl Drop for ServerSetting {
    fn drop(&mut self) {
        self.change(&format!("ALTER SYSTEM RESET {}", self.name));
    }
}
