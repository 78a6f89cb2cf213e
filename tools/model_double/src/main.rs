//! Serves a script file on loopback: `model_double --port N --script FILE [--tls DIR]`.
//!
//! Prints `listening on http://127.0.0.1:PORT` and serves until it is killed. `--port 0`, the
//! default, takes a free port. With `--tls` it speaks https and writes `ca.pem` into that
//! directory first. `GET /_requests` shows what came in, `POST /_reset` forgets it.
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use model_double::{ModelDouble, Options, Script};

const USAGE: &str = "usage: model_double [--port N] [--script FILE] [--tls DIR]";

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "model_double: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> Result<(), Box<dyn Error>> {
    let mut options = Options::default();
    let mut script = Script::new();
    let mut tls_folder = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        match argument.as_str() {
            "--port" => options.port = value.parse()?,
            "--script" => {
                let text = std::fs::read_to_string(&value).map_err(|e| format!("{value}: {e}"))?;
                script = Script::from_json(&text).map_err(|e| format!("{value}: {e}"))?;
            }
            "--tls" => tls_folder = Some(PathBuf::from(value)),
            _ => return Err(USAGE.into()),
        }
    }
    options.tls = tls_folder.is_some();
    let double = ModelDouble::start_with(script, options)?;
    let mut out = std::io::stdout();
    if let (Some(folder), Some(pem)) = (tls_folder, double.ca_pem()) {
        let path = folder.join("ca.pem");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(&path, pem)?;
        writeln!(out, "certificate authority in {}", path.display())?;
    }
    writeln!(out, "listening on {}", double.url())?;
    out.flush()?;
    double.wait();
    Ok(())
}
