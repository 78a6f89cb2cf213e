//! The two forms of a connection string: `host=db dbname='my shop'` and `postgresql://db/shop?sslmode=require`.

use std::iter::Peekable;
use std::str::Chars;

use super::surroundings::Parameters;

/// Reads a connection string. An error names the place.
pub fn parse(text: &str) -> Result<Parameters, String> {
    let uri = ["postgresql://", "postgres://"]
        .iter()
        .find_map(|prefix| text.trim().strip_prefix(prefix));
    match uri {
        Some(rest) => parse_uri(rest),
        None => parse_pairs(text),
    }
}

fn parse_pairs(text: &str) -> Result<Parameters, String> {
    let mut parameters = Parameters::new();
    let mut rest = text.chars().peekable();
    loop {
        skip_space(&mut rest);
        if rest.peek().is_none() {
            return Ok(parameters);
        }
        let name: String =
            std::iter::from_fn(|| rest.next_if(|c| *c != '=' && !c.is_whitespace())).collect();
        skip_space(&mut rest);
        if rest.next() != Some('=') {
            return Err(format!(
                "missing \"=\" after \"{name}\" in the connection string"
            ));
        }
        skip_space(&mut rest);
        let value = pair_value(&mut rest)?;
        parameters.insert(name, value);
    }
}

fn skip_space(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|c| c.is_whitespace()).is_some() {}
}

fn pair_value(rest: &mut Peekable<Chars<'_>>) -> Result<String, String> {
    let is_quoted = rest.next_if_eq(&'\'').is_some();
    let mut value = String::new();
    loop {
        match rest.peek().copied() {
            None if is_quoted => {
                return Err("unterminated quoted value in the connection string".to_owned());
            }
            None => return Ok(value),
            Some('\'') if is_quoted => {
                rest.next();
                return Ok(value);
            }
            Some(c) if !is_quoted && c.is_whitespace() => return Ok(value),
            Some('\\') => {
                rest.next();
                value.extend(rest.next());
            }
            Some(c) => {
                rest.next();
                value.push(c);
            }
        }
    }
}

fn parse_uri(rest: &str) -> Result<Parameters, String> {
    let mut parameters = Parameters::new();
    let mut insert = |name: &str, value: &str| -> Result<(), String> {
        if !value.is_empty() {
            parameters.insert(decode(name)?, decode(value)?);
        }
        Ok(())
    };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    let (login, hosts) = match authority.rsplit_once('@') {
        Some((login, hosts)) => (login, hosts),
        None => ("", authority),
    };
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    insert("user", user)?;
    insert("password", password)?;
    let (names, ports): (Vec<_>, Vec<_>) = hosts.split(',').map(host_and_port).unzip();
    insert("host", &names.join(","))?;
    if ports.iter().any(|port| !port.is_empty()) {
        insert("port", &ports.join(","))?;
    }
    insert("dbname", database)?;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| format!("missing \"=\" after \"{pair}\" in the connection string"))?;
        insert(name, value)?;
    }
    Ok(parameters)
}

fn host_and_port(text: &str) -> (&str, &str) {
    if let Some((address, rest)) = text
        .strip_prefix('[')
        .and_then(|inner| inner.split_once(']'))
    {
        return (address, rest.strip_prefix(':').unwrap_or(""));
    }
    text.split_once(':').unwrap_or((text, ""))
}

/// Undoes percent encoding.
fn decode(text: &str) -> Result<String, String> {
    let wrong = || format!("wrong percent encoding in \"{text}\" of the connection string");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || {
            let byte = rest.next()?;
            char::from(byte)
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        };
        let (high, low) = (digit(), digit());
        match (high, low) {
            (Some(high), Some(low)) if high + low > 0 => bytes.push(high * 16 + low),
            _ => return Err(wrong()),
        }
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}
