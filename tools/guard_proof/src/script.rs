//! Cuts a psql script into statements, as psql does, and puts a trial before each of them.

/// A piece of a script.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A statement, without its semicolon.
    Statement(&'a str),
    /// Everything else: commands of psql, rows of COPY, white space, what ends a statement.
    Other(&'a str),
}

/// Cuts a script.
pub(crate) fn pieces(script: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = script;
    while !rest.is_empty() {
        let skipped = blank_length(rest);
        if skipped > 0 {
            let (blank, after) = rest.split_at(skipped);
            pieces.push(Piece::Other(blank));
            rest = after;
            continue;
        }
        if rest.starts_with('\\') || rest.starts_with(';') {
            let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
            let (command, after) = rest.split_at(length);
            pieces.push(Piece::Other(command));
            rest = after;
            continue;
        }
        let length = statement_length(rest);
        let (statement, after) = rest.split_at(length);
        pieces.push(Piece::Statement(statement));
        rest = after;
        if is_copy_from_client(statement) {
            let end = rest.find("\n\\.").map_or(rest.len(), |end| end + 3);
            let (rows, after) = rest.split_at(end);
            pieces.push(Piece::Other(rows));
            rest = after;
        } else if !rest.is_empty() {
            // What ends it: a semicolon, or \gset and its like up to the end of the line.
            let end = if rest.starts_with(';') {
                1
            } else {
                rest.find('\n').unwrap_or(rest.len())
            };
            let (end, after) = rest.split_at(end);
            pieces.push(Piece::Other(end));
            rest = after;
        }
    }
    pieces
}

fn is_copy_from_client(statement: &str) -> bool {
    let words = statement.to_ascii_lowercase();
    words.starts_with("copy ") && words.contains("from stdin")
}

/// White space and comments.
fn blank_length(text: &str) -> usize {
    let trimmed = text.trim_start();
    let mut length = text.len() - trimmed.len();
    if trimmed.starts_with("--") {
        length += trimmed.find('\n').unwrap_or(trimmed.len());
    } else if trimmed.starts_with("/*") {
        length += comment_length(trimmed);
    }
    length
}

fn comment_length(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut index = 0;
    while let Some(rest) = text.get(index..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            index += 2;
        } else if rest.starts_with("*/") {
            depth = depth.saturating_sub(1);
            index += 2;
            if depth == 0 {
                return index;
            }
        } else {
            index += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Up to, without, the semicolon or backslash command that ends the statement.
fn statement_length(text: &str) -> usize {
    let (mut index, mut parentheses, mut blocks) = (0, 0_usize, 0_usize);
    let mut word = String::new();
    let mut first_words: Vec<String> = Vec::new();
    while let Some(rest) = text.get(index..).filter(|rest| !rest.is_empty()) {
        let Some(next) = rest.chars().next() else {
            break;
        };
        if next.is_alphanumeric() || next == '_' {
            word.push(next.to_ascii_lowercase());
            index += next.len_utf8();
            continue;
        }
        let is_escape_string = word == "e" && next == '\'';
        let ended = std::mem::take(&mut word);
        if !ended.is_empty() && first_words.len() < 4 {
            first_words.push(ended.clone());
        }
        // The body of a function in standard SQL holds semicolons.
        let creates_routine = first_words.first().is_some_and(|first| first == "create")
            && first_words
                .iter()
                .any(|word| word == "function" || word == "procedure");
        match ended.as_str() {
            "begin" | "case" if creates_routine => blocks += 1,
            "end" if creates_routine => blocks = blocks.saturating_sub(1),
            _ => {}
        }
        let skipped = match next {
            '\'' => quoted_length(rest, '\'', is_escape_string),
            '"' => quoted_length(rest, '"', false),
            '$' => dollar_length(rest),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment_length(rest),
            '\\' if rest.starts_with("\\;") => 2,
            '\\' => return index,
            ';' if parentheses == 0 && blocks == 0 => return index,
            '(' => {
                parentheses += 1;
                1
            }
            ')' => {
                parentheses = parentheses.saturating_sub(1);
                1
            }
            _ => next.len_utf8(),
        };
        index += skipped.max(1);
    }
    text.len()
}

fn quoted_length(text: &str, quote: char, has_escapes: bool) -> usize {
    let mut characters = text.char_indices().skip(1);
    while let Some((index, character)) = characters.next() {
        if has_escapes && character == '\\' {
            characters.next();
        } else if character == quote {
            // A doubled quote begins the next part of the same literal.
            return index + 1;
        }
    }
    text.len()
}

fn dollar_length(text: &str) -> usize {
    let Some(end) = text.get(1..).and_then(|rest| rest.find('$')) else {
        return 1;
    };
    let tag = text.get(..end + 2).unwrap_or_default();
    let inner = tag.trim_matches('$');
    let is_tag = inner.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !inner.starts_with(|c: char| c.is_ascii_digit());
    if !is_tag {
        return 1;
    }
    text.get(tag.len()..)
        .and_then(|body| body.find(tag))
        .map_or(text.len(), |at| at + 2 * tag.len())
}

/// Marks the lines that the trial prints.
pub(crate) const MARK: &str = "guard_proof|";

/// The script with a trial before each statement, and after it what the statement itself came to.
/// Trials are numbered from `first`.
pub(crate) fn with_trials(script: &str, first: usize) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut statements = Vec::new();
    let mut is_open = false;
    for piece in pieces(script) {
        match piece {
            Piece::Statement(sql) => {
                let number = first + statements.len();
                // The marks of psql's own output would be lost in a redirection.
                text.push_str(&format!(
                    "\nSELECT E'\\n{MARK}' || guard_proof.try($guard_proof${sql}$guard_proof$) || '|{number}';\n{sql}"
                ));
                statements.push(sql.to_owned());
                is_open = true;
            }
            Piece::Other(other) => {
                text.push_str(other);
                if is_open {
                    let number = first + statements.len() - 1;
                    text.push_str(&format!("\n\\echo '{MARK}typed|' :SQLSTATE '|{number}'\n"));
                    is_open = false;
                }
            }
        }
    }
    (text, statements)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(script: &str) -> Vec<&str> {
        let is_statement = |piece| match piece {
            Piece::Statement(sql) => Some(sql),
            Piece::Other(_) => None,
        };
        pieces(script)
            .into_iter()
            .filter_map(is_statement)
            .collect()
    }

    #[test]
    fn cuts_as_psql_does() {
        let script = "-- a\nSELECT ';' || \"a;b\", $$;$$, $x$;$$;$x$;\n\\d t\nCOPY t FROM stdin;\n1;\t2\n\\.\nSELECT E'\\';' /* ; /* ; */ */ \\gset\nCREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2);CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END;\nVALUES (1)";
        assert_eq!(
            statements(script),
            [
                "SELECT ';' || \"a;b\", $$;$$, $x$;$$;$x$",
                "COPY t FROM stdin",
                "SELECT E'\\';' /* ; /* ; */ */ ",
                "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)",
                "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END",
                "VALUES (1)",
            ]
        );
        let whole: String = pieces(script)
            .into_iter()
            .map(|piece| match piece {
                Piece::Statement(text) | Piece::Other(text) => text,
            })
            .collect();
        assert_eq!(whole, script);
    }
}
