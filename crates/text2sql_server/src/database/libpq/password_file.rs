//! The password file: lines `host:port:database:user:password`, of which the first that fits counts.

/// The password for this connection.
pub fn find(text: &str, host: &str, port: u16, database: &str, user: &str) -> Option<String> {
    // A Unix socket in the usual directory is called "localhost".
    let host = if host.is_empty() || host == "/var/run/postgresql" || host == "/tmp" {
        "localhost"
    } else {
        host
    };
    let wanted = [host, &port.to_string(), database, user];
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .find_map(|line| {
            let fields = fields(line);
            let password = fields.get(4)?;
            let fits = fields
                .iter()
                .zip(wanted)
                .all(|(field, wanted)| field == "*" || field == wanted);
            fits.then(|| password.clone())
        })
}

/// The fields of a line. `\:` and `\\` stand for `:` and `\`.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let literal = match character {
            ':' if fields.len() < 5 => {
                fields.push(String::new());
                continue;
            }
            '\\' => characters.next(),
            other => Some(other),
        };
        if let Some(field) = fields.last_mut() {
            field.extend(literal);
        }
    }
    fields
}
