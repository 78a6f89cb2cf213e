//! Writes `NAME.control` and `NAME--VERSION.sql` into a directory, from the built library and the control file's
//! template: `extension_schema LIBRARY NAME.control DIRECTORY`.
//!
//! pgrx's macros describe each SQL object in a section of the library; pgrx's own crate turns that into SQL.
//! VERSION is that of the workspace.
#![forbid(unsafe_code)]

mod script;

use std::fmt::Display;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: extension_schema LIBRARY NAME.control DIRECTORY";
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
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
    let about = |file: &Path, problem: &dyn Display| format!("{}: {problem}", file.display());
    let name = control
        .file_stem()
        .filter(|_| control.extension().is_some_and(|end| end == "control"))
        .ok_or_else(|| about(control, &"not the name of a control file"))?
        .to_string_lossy();
    let bytes = fs::read(library).map_err(|error| about(library, &error))?;
    let template = fs::read_to_string(control).map_err(|error| about(control, &error))?;
    let control_text = template.replace("@CARGO_VERSION@", VERSION);
    let entities = script::entities(&bytes).map_err(|problem| about(library, &problem))?;
    let sql = script::sql(entities, &control_text, &name)?;

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

#[cfg(test)]
mod tests;
