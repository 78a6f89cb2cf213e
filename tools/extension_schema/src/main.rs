//! Writes `NAME.control` and `NAME--VERSION.sql` into a directory, from the built library and the control file's
//! template: `extension_schema LIBRARY NAME.control DIRECTORY`.
//!
//! pgrx's macros describe each SQL object in a section of the library; pgrx's own crate turns that into SQL.
//! VERSION is that of the workspace. `extension_schema tests LIBRARY NAME.control` prints a script for what only a debug
//! library has: the functions of the schema `tests`, which are not part of the extension.
#![forbid(unsafe_code)]

mod script;

use std::fmt::Display;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: extension_schema LIBRARY NAME.control DIRECTORY, or extension_schema tests LIBRARY NAME.control";
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [mode, library, control] if mode == "tests" => {
            print_tests(Path::new(library), Path::new(control))
        }
        [library, control, directory] => {
            write_files(Path::new(library), Path::new(control), Path::new(directory))
        }
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn write_files(library: &Path, control: &Path, directory: &Path) -> Result<(), String> {
    let (name, control_text) = read_control(control)?;
    let bytes = read_library(library)?;
    let parts = parts_of(library, &bytes)?;
    let sql = script::sql(parts.extension, &control_text, &name)?;

    fs::create_dir_all(directory).map_err(|error| about(directory, &error))?;
    for (file, text) in [
        (format!("{name}--{VERSION}.sql"), sql),
        (format!("{name}.control"), control_text),
    ] {
        let file = directory.join(file);
        fs::write(&file, text).map_err(|error| about(&file, &error))?;
    }
    Ok(())
}

fn print_tests(library: &Path, control: &Path) -> Result<(), String> {
    let (name, control_text) = read_control(control)?;
    let bytes = read_library(library)?;
    let parts = parts_of(library, &bytes)?;
    if parts.tests.is_empty() {
        return Err(about(
            library,
            &"built without the feature pg_test: scripts/build.sh debug has it",
        ));
    }
    let sql = script::sql(parts.tests, &control_text, &name)?;
    // CREATE EXTENSION does this for its own script.
    let sql = sql.replace("MODULE_PATHNAME", &format!("$libdir/{name}"));
    std::io::stdout()
        .write_all(sql.as_bytes())
        .map_err(|error| error.to_string())
}

/// The name of the extension, and the control file of this version.
fn read_control(control: &Path) -> Result<(String, String), String> {
    let name = control
        .file_stem()
        .filter(|_| control.extension().is_some_and(|end| end == "control"))
        .ok_or_else(|| about(control, &"not the name of a control file"))?
        .to_string_lossy()
        .into_owned();
    let template = fs::read_to_string(control).map_err(|error| about(control, &error))?;
    Ok((name, template.replace("@CARGO_VERSION@", VERSION)))
}

fn read_library(library: &Path) -> Result<Vec<u8>, String> {
    fs::read(library).map_err(|error| about(library, &error))
}

fn parts_of<'l>(library: &Path, bytes: &'l [u8]) -> Result<script::Parts<'l>, String> {
    let entities = script::entities(bytes).map_err(|problem| about(library, &problem))?;
    Ok(script::Parts::of(entities))
}

fn about(file: &Path, problem: &dyn Display) -> String {
    format!("{}: {problem}", file.display())
}

#[cfg(test)]
mod tests;
