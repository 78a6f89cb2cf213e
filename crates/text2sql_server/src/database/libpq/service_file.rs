//! The connection service file: sections `[name]` with lines `parameter=value`.

use std::path::PathBuf;

use super::surroundings::{Parameters, Surroundings, home, variable};

/// The parameters of a service: of the user's file, else of the system's.
pub fn find(
    service: &str,
    file: Option<PathBuf>,
    surroundings: Surroundings<'_>,
) -> Result<Parameters, String> {
    let own = file
        .or_else(|| variable(surroundings, "PGSERVICEFILE").map(PathBuf::from))
        .or_else(|| Some(home(surroundings)?.join(".pg_service.conf")));
    let system = variable(surroundings, "PGSYSCONFDIR")
        .map_or_else(|| PathBuf::from("/etc/postgresql-common"), PathBuf::from)
        .join("pg_service.conf");
    for file in own.into_iter().chain([system]) {
        let Some(text) = (surroundings.read)(&file) else {
            continue;
        };
        let found =
            section(&text, service).map_err(|problem| format!("{}: {problem}", file.display()))?;
        if let Some(parameters) = found {
            return Ok(parameters);
        }
    }
    Err(format!("definition of service \"{service}\" not found"))
}

fn section(text: &str, service: &str) -> Result<Option<Parameters>, String> {
    let mut found = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            if found.is_some() {
                return Ok(found);
            }
            if name == service {
                found = Some(Parameters::new());
            }
        } else if let Some(parameters) = &mut found {
            let (name, value) = line
                .split_once('=')
                .ok_or_else(|| format!("line {} has no \"=\"", number + 1))?;
            if name == "service" {
                return Err(format!("line {} names another service", number + 1));
            }
            parameters.insert(name.trim().to_owned(), value.trim().to_owned());
        }
    }
    Ok(found)
}
