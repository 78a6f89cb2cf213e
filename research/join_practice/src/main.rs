//! Measures how many of the joins that nobody declared are found: the foreign keys of each database are hidden from
//! the inference, and what it proposes is compared with them.
//!
//! `join_practice [--names] [--no-keys] [--garbled|--garbled-columns] [--server] [--list] [--list-checked] DATABASE...` connects as PGHOST, PGPORT and PGUSER say.
//!
//! - `--names`: rows are not read.
//! - `--no-keys`: primary keys and unique indexes are hidden, too.
//! - `--garbled`: names are abbreviated and written together, as `practice_catalog` does it; with `--garbled-columns` only
//!   those of columns. Not with `--server`.
//! - `--server`: instead of the inference in this program, the extension's: a copy of each database is made, its foreign keys
//!   (with `--no-keys` all keys) are dropped, and `refresh()` is called there.
//! - `--list`, `--list-checked`: also prints each wrong proposal and each foreign key that was not found, of the schemas
//!   for developing or of those for checking.
//!
//! A proposal is right if it is a foreign key, in either direction, or if foreign keys lead from one of its columns to the
//! other: both then hold the same entity. It is right as well if `undeclared_joins.txt` lists it: a true join that the
//! schema does not declare, as found by reading names and rows. A foreign key is found if it is proposed, or if proposals lead from one
//! of its columns to the other. Schemas count as databases of their own; those at even places in the order of names are
//! for developing, those at odd places for checking.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod connection;
mod counted;
mod database;
mod figures;
mod options;
mod server;

use std::error::Error;
use std::process::ExitCode;

use figures::Figures;
use options::{Garbled, Options};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let cause = error.source().map(ToString::to_string).unwrap_or_default();
            eprintln!("{error} {cause}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut options = Options::default();
    let mut databases = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--names" => options.names_only = true,
            "--no-keys" => options.no_keys = true,
            "--server" => options.server = true,
            "--garbled" => options.garbled = Garbled::Everything,
            "--garbled-columns" => options.garbled = Garbled::Columns,
            "--list" => options.list[0] = true,
            "--list-checked" => options.list[1] = true,
            _ => databases.push(argument),
        }
    }
    if databases.is_empty() {
        return Err(
            "usage: join_practice [--names] [--no-keys] [--garbled] [--server] [--list] DATABASE...".into(),
        );
    }
    databases.sort();
    let mut halves = [Figures::default(), Figures::default()];
    let mut place = 0;
    for name in &databases {
        let schemas = database::read(name, options)?;
        for schema in schemas {
            let figures = Figures::of(name, &schema, options.list.get(place % 2) == Some(&true));
            if databases.len() > 1 {
                println!("{:40} {figures}", format!("{name}.{}", schema.name));
            }
            if let Some(half) = halves.get_mut(place % 2) {
                half.add(&figures);
            }
            place += 1;
        }
    }
    let [developed, checked] = halves;
    println!("{:40} {developed}", "for developing");
    println!("{:40} {checked}", "for checking");
    let mut all = developed;
    all.add(&checked);
    println!("{:40} {all}", "all");
    Ok(())
}
