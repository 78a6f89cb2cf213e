//! The published layouts: one file for each benchmark.

mod beaver;
mod bird;
mod defog;
mod hardness;
mod published_files;
mod sparc;
mod spider;
mod tables_json;
mod wikisql;

use std::path::Path;

use crate::benchmark::Benchmark;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::options::Options;

/// Reads the files of a benchmark. Of its databases those are kept that questions are about.
pub(crate) fn read(kind: Kind, directory: &Path, options: &Options) -> Result<Benchmark, Failure> {
    if !directory.is_dir() {
        return Err(format!("{} is not a directory", directory.display()).into());
    }
    let mut benchmark = match kind {
        Kind::Spider => spider::read(directory, options)?,
        Kind::Sparc => sparc::read(directory, options)?,
        Kind::WikiSql => wikisql::read(directory, options)?,
        Kind::Bird => bird::read(directory, options)?,
        Kind::Defog => defog::read(directory, options)?,
        Kind::Beaver => beaver::read(directory, options)?,
    };
    if !options.only.is_empty() {
        benchmark
            .questions
            .retain(|question| options.only.contains(&question.database));
    }
    if benchmark.questions.is_empty() {
        return Err(format!("there are no questions in {}", directory.display()).into());
    }
    let questions = &benchmark.questions;
    benchmark
        .databases
        .retain(|one| questions.iter().any(|asked| asked.database == one.id));
    if benchmark.databases.is_empty() {
        return Err(format!(
            "there is no database in {} for the questions",
            directory.display()
        )
        .into());
    }
    Ok(benchmark)
}
