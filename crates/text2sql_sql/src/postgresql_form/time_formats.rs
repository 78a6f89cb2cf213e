//! Formats of dates: those of `strftime` and `DATE_FORMAT`, as `to_char` has them.

use text2sql_domain::dialect::Dialect;

/// The pattern for `to_char`; `None` where a part has none.
pub(super) fn pattern(dialect: Dialect, format: &str) -> Option<String> {
    let mut pattern = String::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            // Letters would be read as patterns.
            if c.is_alphabetic() || c == '"' || c == '\\' || c == '\'' {
                return None;
            }
            pattern.push(c);
            continue;
        }
        let part = match (rest.next()?, dialect) {
            ('Y', _) => "YYYY",
            ('y', _) => "YY",
            ('m', _) => "MM",
            ('d', _) => "DD",
            ('H', _) => "HH24",
            ('i', Dialect::MySql) | ('M', Dialect::Sqlite | Dialect::DuckDb) => "MI",
            ('s' | 'S', Dialect::MySql) | ('S', Dialect::Sqlite | Dialect::DuckDb) => "SS",
            ('j', _) => "DDD",
            ('M', Dialect::MySql) | ('B', Dialect::DuckDb) => "FMMonth",
            ('b', Dialect::MySql | Dialect::DuckDb) => "Mon",
            ('a', Dialect::MySql | Dialect::DuckDb) => "Dy",
            ('W', Dialect::MySql) | ('A', Dialect::DuckDb) => "FMDay",
            ('%', _) => "%",
            _ => return None,
        };
        pattern.push_str(part);
    }
    Some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_become_patterns() {
        let of = |dialect, format| pattern(dialect, format);
        assert_eq!(
            of(Dialect::MySql, "%Y-%m-%d %H:%i").as_deref(),
            Some("YYYY-MM-DD HH24:MI")
        );
        assert_eq!(
            of(Dialect::Sqlite, "%H:%M:%S").as_deref(),
            Some("HH24:MI:SS")
        );
        assert_eq!(of(Dialect::Sqlite, "%w"), None);
        assert_eq!(of(Dialect::Sqlite, "week %W"), None);
        assert_eq!(of(Dialect::DuckDb, "%"), None);
    }
}
