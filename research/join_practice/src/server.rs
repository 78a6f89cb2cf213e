//! What the extension proposes: in a copy of the database without the keys.

use std::error::Error;

use postgres::Client;
use text2sql_retrieval::joins::inferred::Pair;

use crate::connection::{Proposed, connect};
use crate::options::Options;

const DROP_KEYS: &str = "DO $$
DECLARE k record;
BEGIN
    FOR k IN SELECT conrelid::regclass AS t, conname FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
             WHERE contype = ANY (%KINDS%) AND conparentid = 0 AND r.relnamespace::regnamespace::text !~ '^(pg_|text2sql|information_schema)'
             ORDER BY contype LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', k.t, k.conname);
    END LOOP;
    FOR k IN SELECT i.indexrelid::regclass AS t FROM pg_index i JOIN pg_class r ON r.oid = i.indrelid
             WHERE 'p' = ANY (%KINDS%) AND i.indisunique AND r.relnamespace::regnamespace::text !~ '^(pg_|text2sql|information_schema)' LOOP
        EXECUTE format('DROP INDEX %s', k.t);
    END LOOP;
END $$";

const PROPOSED: &str =
    "SELECT object_oids, column_numbers, certainty, evidence FROM text2sql._joins
     WHERE origin = 'inferred' AND status = 'suggested' ORDER BY id";

/// The proposals of the extension. A copy of a database has the same OIDs.
pub(crate) fn proposed(
    database: &str,
    original: &mut Client,
    options: Options,
) -> Result<Vec<Proposed>, Box<dyn Error>> {
    let copy = format!("{database}_without_keys");
    let mut admin = connect("postgres")?;
    admin.batch_execute(&format!("DROP DATABASE IF EXISTS \"{copy}\" WITH (FORCE)"))?;
    // A database with connections cannot be a template.
    admin.batch_execute(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{copy}'"
    ))?;
    copy_of(original, &mut admin, database, &copy)?;
    let mut client = connect(&copy)?;
    let kinds = if options.no_keys {
        "ARRAY['f', 'p', 'u']"
    } else {
        "ARRAY['f']"
    };
    client.batch_execute(&DROP_KEYS.replace("%KINDS%", kinds))?;
    client.batch_execute("CREATE EXTENSION pg_text2sql CASCADE")?;
    client.batch_execute("CALL text2sql.refresh()")?;
    let mut found = Vec::new();
    for row in client.query(PROPOSED, &[])? {
        let (oids, numbers): (Vec<u32>, Vec<i16>) = (row.get(0), row.get(1));
        let (from, to) = (oids.first().copied(), oids.last().copied());
        let (Some(from), Some(to)) = (from, to) else {
            continue;
        };
        let (columns, target_columns) = numbers.split_at(numbers.len() / 2);
        found.push((
            Pair {
                from,
                columns: columns.to_vec(),
                to,
                target_columns: target_columns.to_vec(),
            },
            row.get::<_, f32>(2),
            row.get::<_, Option<String>>(3).unwrap_or_default(),
        ));
    }
    drop(client);
    admin.batch_execute(&format!("DROP DATABASE \"{copy}\" WITH (FORCE)"))?;
    Ok(found)
}

fn copy_of(
    original: &mut Client,
    admin: &mut Client,
    database: &str,
    copy: &str,
) -> Result<(), Box<dyn Error>> {
    // A template must have no connection: the strategy file_copy has the same rule.
    let holder = connect("postgres")?;
    let ended = std::mem::replace(original, holder);
    drop(ended);
    admin.batch_execute(&format!(
        "CREATE DATABASE \"{copy}\" TEMPLATE \"{database}\""
    ))?;
    *original = connect(database)?;
    Ok(())
}
