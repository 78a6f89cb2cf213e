//! The process that reads a file that may be hostile.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::process::{Resource, Rlimit, setrlimit};

use super::{docx, html, workbook};

/// The argument that makes the program this process.
pub const ARGUMENT: &str = "convert-file";

/// Bytes of address space.
const MEMORY: u64 = 2 << 30;

/// Reads a file from standard input and writes its text to standard output.
pub fn run(arguments: &[String]) -> ExitCode {
    let outcome = Arguments::of(arguments).and_then(|said| {
        limited(said.seconds)?;
        converted(&said)
    });
    match outcome {
        Ok(notes) => {
            for note in notes {
                drop(writeln!(std::io::stderr(), "note: {note}"));
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            let error: String = error
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect();
            drop(writeln!(std::io::stderr(), "error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// What the process that started this one says.
struct Arguments<'a> {
    kind: &'a str,
    /// What an archive may unpack to.
    bytes: u64,
    /// Seconds of processor time.
    seconds: u64,
    sheet: Option<&'a str>,
}

impl<'a> Arguments<'a> {
    fn of(arguments: &'a [String]) -> Result<Self, String> {
        let mut arguments = arguments.iter().map(String::as_str);
        let kind = arguments.next().unwrap_or_default();
        let mut limit = || arguments.next().and_then(|limit| limit.parse().ok());
        let (Some(bytes), Some(seconds)) = (limit(), limit()) else {
            return Err("the conversion has no limits".to_owned());
        };
        let sheet = arguments.next();
        Ok(Self {
            kind,
            bytes,
            seconds,
            sheet,
        })
    }
}

fn limited(seconds: u64) -> Result<(), String> {
    let limits = [
        (Resource::As, MEMORY),
        (Resource::Cpu, seconds),
        (Resource::Core, 0),
        (Resource::Fsize, 0),
    ];
    for (resource, most) in limits {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(resource, limit).map_err(|error| format!("cannot limit the process: {error}"))?;
    }
    Ok(())
}

fn converted(said: &Arguments<'_>) -> Result<Vec<String>, String> {
    let (kind, most, sheet) = (said.kind, said.bytes, said.sheet);
    if kind == "pdf" {
        // The limits stay with the process.
        let error = Command::new("pdftotext")
            .args(["-q", "-enc", "UTF-8", "-", "-"])
            .exec();
        return Err(match error.kind() {
            std::io::ErrorKind::NotFound => {
                "pdftotext is not installed, which reads PDF (Debian: apt install poppler-utils)"
                    .to_owned()
            }
            _ => format!("cannot start pdftotext: {error}"),
        });
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    let notes = match kind {
        "xlsx" => workbook::xlsx(&bytes, most, sheet, &mut output)?,
        "ods" => workbook::ods(&bytes, most, sheet, &mut output)?,
        "docx" => docx::text(&bytes, most, &mut output)?,
        "html" => html::text(&bytes, &mut output)?,
        other => return Err(format!("nothing converts \"{other}\"")),
    };
    output.flush().map_err(|error| error.to_string())?;
    Ok(notes)
}
