//! How the double misbehaves, written as leading segments of the path. Several may follow each
//! other: `/delay-100/fenced/v1/chat/completions`.
//!
//! | segment | effect |
//! |---|---|
//! | `ok` | none |
//! | `delay-<ms>` | waits before the reply |
//! | `drip` | sends the body a byte every 100 ms |
//! | `status-<code>` | always this status, with an error body |
//! | `status-<code>-then-ok` | once this status, then a good reply, then again; `-x2` at the end or before `-then-ok`: twice |
//! | `retry-after-<s>` | 429 with `Retry-After: <s>` once, then a good reply, then again |
//! | `retry-after-date-<s>` | the same with a date |
//! | `retry-after-always-<s>` | always that 429 |
//! | `truncated-json` | the second half of the JSON is missing, HTTP itself is complete |
//! | `malformed-json` | the JSON has a syntax error |
//! | `empty-body` | 200 without a body |
//! | `empty-content` | the message has no text |
//! | `refusal` | the model refuses |
//! | `no-sql` | prose without SQL |
//! | `fenced` | prose, and the scripted SQL in a fence |
//! | `bare-sql` | the scripted SQL and nothing else |
//! | `length` | the model stopped at its output limit |
//! | `no-structured` | 400 when the request asks for structured output or tools |
//! | `no-max-tokens` | 400 when the request has `max_tokens`, as newer models of OpenAI answer |
//! | `html` | 200 with an HTML page |
//! | `redirect` | 302 to a link-local address |
//! | `close-idle` | promises keep-alive, then closes the connection shortly after the reply |
//! | `big` | a body of 20 MiB |
//! | `cut-body` | closes the connection in the middle of the body |
//! | `reset` | resets the connection in the middle of the body |
//! | `hang-up` | closes the connection instead of replying |
//! | `usage-<n>` | reports n tokens for the reply and for the request; `usage--5` reports minus five |
//! | `model-not-found` | 404 with the error code `model_not_found` |

use std::time::Duration;

/// One way to treat a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// Nothing special.
    Ok,
    /// Waits before the reply.
    Delay(Duration),
    /// Sends the body a byte at a time.
    Drip,
    /// Replies with a status, `times` times before each good reply or for ever.
    Status {
        /// The status code.
        code: u16,
        /// How often before a good reply; `None`: always.
        times: Option<usize>,
    },
    /// Replies 429 with `Retry-After`.
    RetryAfter {
        /// The time in the header `Retry-After`.
        seconds: u64,
        /// As a date instead of a number.
        date: bool,
        /// Every time, not only before each good reply.
        always: bool,
    },
    /// Cuts the JSON in half.
    TruncatedJson,
    /// Breaks the JSON's syntax.
    MalformedJson,
    /// Sends no body.
    EmptyBody,
    /// Sends a message without text.
    EmptyContent,
    /// Refuses.
    Refusal,
    /// Answers without SQL.
    NoSql,
    /// Wraps the SQL in prose and a fence.
    Fenced,
    /// Sends the SQL alone.
    BareSql,
    /// Stops at the output limit.
    Length,
    /// Replies 400 to structured output and tools.
    NoStructured,
    /// Replies 400 to `max_tokens`.
    NoMaxTokens,
    /// Sends an HTML page.
    Html,
    /// Redirects to a link-local address.
    Redirect,
    /// Closes the kept connection soon after the reply.
    CloseIdle,
    /// Sends 20 MiB.
    Big,
    /// Closes the connection in the body.
    CutBody,
    /// Resets the connection in the body.
    Reset,
    /// Closes the connection without a reply.
    HangUp,
    /// Reports this number of tokens, whatever the texts are.
    Usage(i64),
    /// Does not know the model.
    ModelNotFound,
}

/// Reads the leading segments of a path. An unknown first segment is an error, so that a misspelt
/// behaviour is not taken for `ok`; later unknown segments end the list.
pub fn parse_path(path: &str) -> Result<Vec<(String, Behaviour)>, String> {
    let mut found = Vec::new();
    for segment in path.split('/').filter(|s| !s.is_empty()) {
        match parse(segment) {
            Some(behaviour) => found.push((segment.to_owned(), behaviour)),
            None if found.is_empty() && !is_endpoint(segment) => return Err(segment.to_owned()),
            None => break,
        }
    }
    Ok(found)
}

fn is_endpoint(segment: &str) -> bool {
    matches!(segment, "v1" | "chat" | "messages" | "models" | "openai")
}

fn parse(segment: &str) -> Option<Behaviour> {
    let simple = match segment {
        "ok" => Behaviour::Ok,
        "drip" => Behaviour::Drip,
        "truncated-json" => Behaviour::TruncatedJson,
        "malformed-json" => Behaviour::MalformedJson,
        "empty-body" => Behaviour::EmptyBody,
        "empty-content" => Behaviour::EmptyContent,
        "refusal" => Behaviour::Refusal,
        "no-sql" => Behaviour::NoSql,
        "fenced" => Behaviour::Fenced,
        "bare-sql" => Behaviour::BareSql,
        "length" => Behaviour::Length,
        "no-structured" => Behaviour::NoStructured,
        "no-max-tokens" => Behaviour::NoMaxTokens,
        "html" => Behaviour::Html,
        "redirect" => Behaviour::Redirect,
        "close-idle" => Behaviour::CloseIdle,
        "big" => Behaviour::Big,
        "cut-body" => Behaviour::CutBody,
        "reset" => Behaviour::Reset,
        "hang-up" => Behaviour::HangUp,
        "model-not-found" => Behaviour::ModelNotFound,
        _ => return parse_with_number(segment),
    };
    Some(simple)
}

fn parse_with_number(segment: &str) -> Option<Behaviour> {
    if let Some(ms) = segment.strip_prefix("delay-") {
        return Some(Behaviour::Delay(Duration::from_millis(ms.parse().ok()?)));
    }
    if let Some(tokens) = segment.strip_prefix("usage-") {
        return Some(Behaviour::Usage(tokens.parse().ok()?));
    }
    if let Some(rest) = segment.strip_prefix("retry-after-") {
        let (always, rest) = strip(rest, "always-");
        let (date, rest) = strip(rest, "date-");
        return Some(Behaviour::RetryAfter {
            seconds: rest.parse().ok()?,
            date,
            always,
        });
    }
    let rest = segment.strip_prefix("status-")?;
    let mut parts = rest.split('-');
    let code = parts.next()?.parse().ok()?;
    let mut then_ok = false;
    let mut times = 1;
    while let Some(part) = parts.next() {
        match part.strip_prefix('x') {
            Some(number) => times = number.parse().ok()?,
            None if part == "then" && parts.next() == Some("ok") => then_ok = true,
            None => return None,
        }
    }
    Some(Behaviour::Status {
        code,
        times: then_ok.then_some(times),
    })
}

fn strip<'a>(text: &'a str, prefix: &str) -> (bool, &'a str) {
    match text.strip_prefix(prefix) {
        Some(rest) => (true, rest),
        None => (false, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behaviours(path: &str) -> Result<Vec<Behaviour>, String> {
        parse_path(path).map(|found| found.into_iter().map(|(_, b)| b).collect())
    }

    #[test]
    fn reads_several_segments() {
        assert_eq!(
            behaviours("/delay-5/fenced/v1/chat/completions"),
            Ok(vec![
                Behaviour::Delay(Duration::from_millis(5)),
                Behaviour::Fenced
            ])
        );
        assert_eq!(behaviours("/v1/messages"), Ok(vec![]));
    }

    #[test]
    fn reads_how_often_a_status_comes() {
        let status = |code, times| Ok(vec![Behaviour::Status { code, times }]);
        assert_eq!(behaviours("/status-500/v1"), status(500, None));
        assert_eq!(behaviours("/status-500-then-ok/v1"), status(500, Some(1)));
        assert_eq!(
            behaviours("/status-500-then-ok-x2/v1"),
            status(500, Some(2))
        );
        assert_eq!(
            behaviours("/status-500-x2-then-ok/v1"),
            status(500, Some(2))
        );
    }

    #[test]
    fn refuses_a_misspelt_behaviour() {
        assert_eq!(behaviours("/statsu-500/v1"), Err("statsu-500".to_owned()));
        assert_eq!(
            behaviours("/status-500-maybe/v1"),
            Err("status-500-maybe".to_owned())
        );
    }
}
