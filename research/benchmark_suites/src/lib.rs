//! Loads the published files of benchmarks into PostgreSQL, and makes a suite of their questions: Spider, SParC,
//! WikiSQL, BIRD, the sets of Defog, BEAVER.
//!
//! `layouts` reads the files of a benchmark into one form (`benchmark::Benchmark`); `load` makes a database of
//! each of its databases, with types, keys and comments; `gold` translates each gold query and keeps it only if it
//! gives the rows that the original gives in the original's database; `suites` stores what was kept through the
//! functions of the extension. What is not as it was published is a line of the `report`.
#![forbid(unsafe_code)]

mod benchmark;
mod failure;
mod files;
mod gold;
mod kind;
mod layouts;
mod load;
mod options;
mod report;
mod server;
mod sqlite;
mod suites;
mod table;
mod value;

use std::path::Path;

pub use self::failure::Failure;
pub use self::kind::Kind;
pub use self::options::Options;
pub use self::report::Imported;

/// Loads the databases of a benchmark and stores its suite in each of them.
///
/// # Errors
/// Files that are not there or not in the published form, and what the server refuses. A query that cannot be
/// translated is no error, but a line of the report.
pub fn import(kind: Kind, directory: &Path, options: &Options) -> Result<Imported, Failure> {
    let benchmark = layouts::read(kind, directory, options)?;
    let mut imported = Imported::new(kind, options);
    for database in &benchmark.databases {
        let name = options.database_name(kind, &database.id);
        (options.tell)(&format!("{}: {}", kind.name(), name));
        let questions: Vec<_> = benchmark
            .questions
            .iter()
            .filter(|question| question.database == database.id)
            .collect();
        let loaded = load::load(database, &name, options)
            .map_err(|error| format!("database {name}: {error}"))?;
        let cases = gold::check(database, &name, &loaded, &questions, options)
            .map_err(|error| format!("database {name}: {error}"))?;
        let refused = suites::store(&name, &benchmark, &cases, options)
            .map_err(|error| format!("database {name}: {error}"))?;
        imported.add(&database.id, &name, loaded, cases, refused);
    }
    imported.without_database = benchmark.without_database();
    Ok(imported)
}
