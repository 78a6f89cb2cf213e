//! Runs a file of statements of PostgreSQL, as `pg_dump` writes it.

use std::io::Write;
use std::path::Path;

use postgres::Client;

use super::loaded::Loaded;
use crate::failure::Failure;
use crate::files;
use crate::server::explained;

/// Runs the file. Commands of psql are left out; the rows of `COPY … FROM stdin` are sent.
pub(super) fn run(client: &mut Client, file: &Path, loaded: &mut Loaded) -> Result<(), Failure> {
    let text = files::text(file)?;
    let words = |error: postgres::Error| -> Failure {
        format!("{}: {}", file.display(), explained(&error)).into()
    };
    let mut statements = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let is_copy = line.to_uppercase().starts_with("COPY ")
            && line.to_lowercase().trim_end().ends_with("from stdin;");
        if is_copy {
            client.batch_execute(&statements).map_err(words)?;
            statements.clear();
            let mut writer = client
                .copy_in(line.trim_end().trim_end_matches(';'))
                .map_err(words)?;
            for row in lines.by_ref().take_while(|row| *row != "\\.") {
                writer.write_all(row.as_bytes())?;
                writer.write_all(b"\n")?;
            }
            writer.finish().map_err(words)?;
        } else if !line.starts_with('\\') {
            statements.push_str(line);
            statements.push('\n');
        }
    }
    client.batch_execute(&statements).map_err(words)?;
    // A dump empties the search path.
    client
        .batch_execute("RESET ALL; SET client_min_messages = warning; ANALYZE")
        .map_err(words)?;
    let found = client
        .query_one(
            "SELECT count(*), coalesce(sum(greatest(reltuples, 0)), 0)::int8
               FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
              WHERE relkind IN ('r', 'p') AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'",
            &[],
        )
        .map_err(words)?;
    loaded.tables = usize::try_from(found.get::<_, i64>(0)).unwrap_or(0);
    loaded.rows = u64::try_from(found.get::<_, i64>(1)).unwrap_or(0);
    Ok(())
}
