//! The contract of [`Session`].

use jiff::civil::Date;
use text2sql_domain::ports::Session;
use text2sql_domain::progress::{News, Progress};

/// What any session must do.
pub fn session(session: &dyn Session) {
    let today = session.today();
    assert!(is_date(&today), "a date as YYYY-MM-DD: {today}");

    let version = session.server_version();
    assert!(
        version.parse::<u32>().is_ok_and(|major| major > 0),
        "a major version: {version}"
    );

    let user = session.user();
    let is_plain = |c: char| c == '_' || c == '$' || c.is_alphanumeric() && !c.is_uppercase();
    let is_quoted = user.len() > 2 && user.starts_with('"') && user.ends_with('"');
    assert!(
        !user.is_empty() && (is_quoted || user.chars().all(is_plain)),
        "a role as SQL needs it: {user}"
    );

    let mut before = session.elapsed_ms();
    assert!(before.is_finite() && before >= 0.0, "{before}");
    // A stage is plain text: it is not a format string, and any text can be shown.
    for stage in ["generate", "", "100 %s %n", "two\nlines", "Größe 売上"] {
        session.progress(&Progress {
            stage,
            news: News {
                sql: Some(stage.to_owned()),
                ..News::default()
            },
        });
        let now = session.elapsed_ms();
        assert!(now >= before, "the clock went back from {before} to {now}");
        before = now;
    }

    assert_eq!(session.today(), today, "fixed for the transaction");
    assert_eq!(session.server_version(), version);
    assert_eq!(session.user(), user);
}

/// Whether the text is a valid date `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    text.parse::<Date>()
        .is_ok_and(|date| date.to_string() == text)
}
