//! Settings of the whole server.

use crate::connection::connect;
use crate::waiting::wait_until;

/// A setting of the whole server, as its configuration file has it. Tests that run meanwhile have it too.
pub struct ServerSetting {
    name: &'static str,
    before: String,
}

impl ServerSetting {
    /// Sets it, and waits until new sessions have it.
    pub fn set(name: &'static str, value: u32) -> Self {
        let setting = Self {
            name,
            before: shown(name),
        };
        setting.change(&format!("= {value}"), &value.to_string());
        setting
    }

    fn change(&self, to: &str, value: &str) {
        let action = if to.is_empty() { "RESET" } else { "SET" };
        let statement = format!("ALTER SYSTEM {action} {} {to}", self.name);
        let mut admin = connect("postgres", None);
        // The server knows the setting when the library is loaded.
        for statement in ["LOAD 'pg_text2sql'", &statement, "SELECT pg_reload_conf()"] {
            admin.batch_execute(statement).expect(self.name);
        }
        wait_until("new sessions have the setting", || {
            shown(self.name) == value
        });
    }
}

impl Drop for ServerSetting {
    fn drop(&mut self) {
        self.change("", &self.before);
    }
}

/// What a new session has.
fn shown(name: &str) -> String {
    let mut client = connect("postgres", None);
    client.batch_execute("LOAD 'pg_text2sql'").expect("library");
    let row = client.query_one(&format!("SHOW {name}"), &[]);
    row.expect("the setting").get(0)
}
