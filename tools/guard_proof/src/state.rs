//! Everything that a statement could leave behind, as texts that can be compared.

use std::collections::BTreeMap;

use postgres::Client;

use crate::error::Fallible;

/// What is compared, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    parts: BTreeMap<String, String>,
}

/// The state of a database, of the cluster's part that belongs to it, and, when nobody else uses
/// the cluster, of the rest.
pub(crate) fn of_database(admin: &mut Client, is_alone: bool) -> Fallible<State> {
    let mut parts = BTreeMap::new();
    let mut note = |admin: &mut Client, name: &str, sql: &str| -> Fallible<()> {
        let row = admin
            .query_one(sql, &[])
            .map_err(|error| format!("{name}: {error:?}"))?;
        let value: Option<String> = row.get(0);
        parts.insert(name.to_owned(), value.unwrap_or_default());
        Ok(())
    };
    for table in names(admin, ROWS)? {
        let sql =
            format!("SELECT md5(string_agg(t::text, E'\\n' ORDER BY t::text)) FROM {table} AS t");
        note(admin, &format!("rows of {table}"), &sql)?;
    }
    for sequence in names(admin, SEQUENCES)? {
        let sql = format!("SELECT last_value || ' ' || is_called FROM {sequence}");
        note(admin, &format!("sequence {sequence}"), &sql)?;
    }
    for (name, sql) in LOCAL {
        note(admin, name, sql)?;
    }
    if is_alone {
        for (name, sql) in CLUSTER {
            note(admin, name, sql)?;
        }
    }
    Ok(State { parts })
}

/// The state of a session: what it would carry into the next statement.
pub(crate) fn of_session(client: &mut Client) -> Fallible<State> {
    let mut parts = BTreeMap::new();
    for (name, sql) in SESSION {
        let row = client.query_one(*sql, &[])?;
        parts.insert(
            (*name).to_owned(),
            row.get::<_, Option<String>>(0).unwrap_or_default(),
        );
    }
    Ok(State { parts })
}

impl State {
    /// What is different in the other one.
    pub(crate) fn differences(&self, after: &Self) -> Vec<String> {
        let mut names: Vec<&String> = self.parts.keys().chain(after.parts.keys()).collect();
        names.sort_unstable();
        names.dedup();
        let differs = |name: &&String| self.parts.get(*name) != after.parts.get(*name);
        let words = |name: &String| {
            let value = |state: &Self| state.parts.get(name).cloned().unwrap_or_default();
            format!("{name}: {:?}, then {:?}", value(self), value(after))
        };
        names.into_iter().filter(differs).map(words).collect()
    }

    /// How many things are compared.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }
}

fn names(admin: &mut Client, sql: &str) -> Fallible<Vec<String>> {
    Ok(admin
        .query(sql, &[])?
        .iter()
        .map(|row| row.get(0))
        .collect())
}

/// Every table that is stored, the catalogs of this database too; without those columns and tables
/// that autovacuum and ANALYZE keep.
const ROWS: &str = "SELECT c.oid::regclass::text FROM pg_class c
    WHERE c.relkind IN ('r', 'm') AND NOT c.relisshared
        AND c.oid NOT IN ('pg_class'::regclass, 'pg_statistic'::regclass, 'pg_statistic_ext_data'::regclass)
    ORDER BY 1";

const SEQUENCES: &str = "SELECT oid::regclass::text FROM pg_class WHERE relkind = 'S' ORDER BY 1";

const LOCAL: &[(&str, &str)] = &[
    (
        "relations",
        "SELECT md5(string_agg(concat_ws(' ', oid, relname, relnamespace, reltype, relowner, relfilenode, reltoastrelid,
            relhasindex, relpersistence, relkind, relnatts, relacl, reloptions, relrowsecurity), E'\\n' ORDER BY oid))
         FROM pg_class",
    ),
    (
        "settings of roles and the database",
        "SELECT string_agg(s::text, ' ' ORDER BY s::text) FROM pg_db_role_setting s
         JOIN pg_database d ON d.oid = s.setdatabase WHERE d.datname = current_database()",
    ),
    (
        "advisory locks",
        "SELECT count(*)::text FROM pg_locks l JOIN pg_database d ON d.oid = l.database
         WHERE l.locktype = 'advisory' AND d.datname = current_database()",
    ),
    (
        "temporary relations",
        "SELECT count(*)::text FROM pg_class WHERE relpersistence = 't'",
    ),
    (
        "prepared transactions",
        "SELECT count(*)::text FROM pg_prepared_xacts WHERE database = current_database()",
    ),
    // Only client backends: the server's own workers, such as autovacuum's, come and go.
    (
        "sessions in a transaction",
        "SELECT count(*)::text FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
             AND (backend_xid IS NOT NULL OR state <> 'idle')",
    ),
];

const CLUSTER: &[(&str, &str)] = &[
    (
        "roles",
        "SELECT md5(string_agg(r::text, E'\\n' ORDER BY r::text)) FROM pg_authid r",
    ),
    (
        "members of roles",
        "SELECT md5(string_agg(r::text, E'\\n' ORDER BY r::text)) FROM pg_auth_members r",
    ),
    (
        "databases",
        "SELECT string_agg(datname || coalesce(datacl::text, ''), ' ' ORDER BY datname) FROM pg_database",
    ),
    (
        "settings of roles",
        "SELECT md5(string_agg(s::text, E'\\n' ORDER BY s::text)) FROM pg_db_role_setting s",
    ),
    (
        "replication slots",
        "SELECT count(*)::text FROM pg_replication_slots",
    ),
    (
        "replication origins",
        "SELECT count(*)::text FROM pg_replication_origin",
    ),
    (
        "next transaction id",
        "SELECT pg_snapshot_xmax(pg_current_snapshot())::text",
    ),
    (
        "notifications",
        "SELECT pg_notification_queue_usage()::text",
    ),
    ("temporary files", "SELECT count(*)::text FROM pg_ls_tmpdir()"),
    (
        "files of the data directory",
        "SELECT string_agg(f, ' ' ORDER BY f) FROM (SELECT pg_ls_dir('.') AS f UNION ALL SELECT 'slot ' || pg_ls_dir('pg_replslot')
         UNION ALL SELECT 'twophase ' || pg_ls_dir('pg_twophase') UNION ALL SELECT 'tblspc ' || pg_ls_dir('pg_tblspc')) s",
    ),
    (
        "start of the server",
        "SELECT pg_postmaster_start_time()::text",
    ),
    (
        "time of the configuration",
        "SELECT pg_conf_load_time()::text",
    ),
    (
        "backup or recovery",
        "SELECT pg_is_in_recovery()::text || (pg_control_checkpoint()).timeline_id",
    ),
];

const SESSION: &[(&str, &str)] = &[
    (
        "settings",
        "SELECT md5(string_agg(name || '=' || coalesce(setting, '') || source, E'\\n' ORDER BY name)) FROM pg_settings",
    ),
    ("user", "SELECT current_user || ' ' || session_user"),
    ("schemas", "SELECT current_schemas(true)::text"),
    (
        "locks",
        "SELECT count(*)::text FROM pg_locks WHERE pid = pg_backend_pid() AND locktype NOT IN ('relation', 'virtualxid')",
    ),
    (
        "cursors and prepared statements of the session",
        "SELECT (SELECT count(*) FROM pg_cursors) || ' ' || (SELECT count(*) FROM pg_prepared_statements WHERE from_sql)",
    ),
    (
        "channels",
        "SELECT count(*)::text FROM pg_listening_channels()",
    ),
    (
        "transaction id",
        "SELECT coalesce(pg_current_xact_id_if_assigned()::text, 'none')",
    ),
];
