//! What the benchmark needs in the cluster, and its removal: an ordinary role, the double as a
//! model, the synthetic database.

use crate::cluster_names::{ALONE, CATALOGS, FEW_ROLE, ROLE, SERVER, TEXTS, WAREHOUSE};
use crate::demo;
use crate::error::Fallible;
use crate::session::{Cluster, Session};
use crate::synthetic;
use crate::workload::literal;

/// Tables made in one transaction: a thousand at once would need more locks than the default holds.
const TABLES_AT_ONCE: usize = 100;

/// Installs the extension, lets an ordinary role read every table of a database, and has the
/// database come to rest.
pub(crate) fn prepare(cluster: &Cluster, database: &str) -> Fallible<()> {
    let mut session = cluster.administrate(database)?;
    session.run("SET client_min_messages = warning")?;
    if session.value("SELECT to_regnamespace('text2sql') IS NULL")? == "t" {
        session.run("CREATE EXTENSION pg_text2sql CASCADE")?;
    }
    session.run(&format!(
        "DO $$ BEGIN
           IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{ROLE}') THEN
             CREATE ROLE {ROLE} LOGIN;
           END IF;
         END $$"
    ))?;
    session.run(&format!(
        "DO $$
         DECLARE s name;
         BEGIN
           FOR s IN SELECT nspname FROM pg_namespace
                     WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval')
           LOOP
             EXECUTE format('GRANT USAGE ON SCHEMA %I TO {ROLE}', s);
             EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO {ROLE}', s);
           END LOOP;
         END $$"
    ))?;
    session.run(&format!("SELECT text2sql.grant_access({})", literal(ROLE)))?;
    session.run("SET statement_timeout = 0")?;
    // What has just been loaded would otherwise be vacuumed and written while we measure.
    session.run("VACUUM (ANALYZE)")?;
    session.run("CHECKPOINT")?;
    Ok(())
}

/// Makes a double a model of a database.
pub(crate) fn add_model(cluster: &Cluster, database: &str, base_url: &str) -> Fallible<()> {
    let mut session = cluster.administrate(database)?;
    session.run("SET client_min_messages = warning")?;
    session.run(&format!("DROP SERVER IF EXISTS {SERVER} CASCADE"))?;
    session.run(&format!(
        "CREATE SERVER {SERVER} FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', \
         base_url {}, model 'm', allow_private 'true', allow_http 'true')",
        literal(base_url)
    ))?;
    session.run(&format!("GRANT USAGE ON FOREIGN SERVER {SERVER} TO {ROLE}"))?;
    Ok(())
}

/// Makes the synthetic database, in a few seconds.
pub(crate) fn create_synthetic(cluster: &Cluster, tables: &[synthetic::Table]) -> Fallible<()> {
    create_database(cluster, synthetic::DATABASE, tables)
}

/// Makes a database with these tables.
pub(crate) fn create_database(
    cluster: &Cluster,
    database: &str,
    tables: &[synthetic::Table],
) -> Fallible<()> {
    create_empty_database(cluster, database)?;
    let mut session = cluster.administrate(database)?;
    for (number, chunk) in tables.chunks(TABLES_AT_ONCE).enumerate() {
        let first = number * TABLES_AT_ONCE;
        let definitions: String = chunk
            .iter()
            .enumerate()
            .map(|(index, table)| table.definition(first + index))
            .collect();
        session.run(&definitions)?;
    }
    Ok(())
}

/// Makes an empty database in the place of one that an earlier run left.
pub(crate) fn create_empty_database(cluster: &Cluster, database: &str) -> Fallible<()> {
    let mut administrator = cluster.administrate("postgres")?;
    administrator.run("SET client_min_messages = warning")?;
    drop_database(&mut administrator, database)?;
    administrator.run(&format!("CREATE DATABASE {database}"))?;
    // Background workers would do a part of what is measured, or work beside it.
    administrator.run(&format!(
        "ALTER DATABASE {database} SET text2sql.maintenance_interval = 0"
    ))?;
    Ok(())
}

fn drop_database(administrator: &mut Session, database: &str) -> Fallible<()> {
    administrator.run(&format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)"))?;
    Ok(())
}

/// Removes all of it, the extension excepted; also what an interrupted run left.
pub(crate) fn tear_down(cluster: &Cluster) -> Fallible<()> {
    let mut administrator = cluster.administrate("postgres")?;
    administrator.run("SET client_min_messages = warning")?;
    // A database of 10,000 tables is many files.
    administrator.run("SET statement_timeout = 0")?;
    drop_database(&mut administrator, synthetic::DATABASE)?;
    for (database, _) in CATALOGS {
        drop_database(&mut administrator, database)?;
    }
    drop_database(&mut administrator, ALONE)?;
    drop_database(&mut administrator, TEXTS)?;
    administrator.run(&format!("DROP ROLE IF EXISTS {FEW_ROLE}"))?;
    drop_database(&mut administrator, WAREHOUSE)?;
    let known = format!("SELECT count(*) FROM pg_roles WHERE rolname = '{ROLE}'");
    if administrator.value(&known)? == "0" {
        return Ok(());
    }
    let mut session = cluster.administrate(demo::DATABASE)?;
    session.run("SET client_min_messages = warning")?;
    session.run(&format!("DROP SERVER IF EXISTS {SERVER} CASCADE"))?;
    session.run(&format!("DROP OWNED BY {ROLE}"))?;
    session.run(&format!("DROP ROLE {ROLE}"))?;
    Ok(())
}
