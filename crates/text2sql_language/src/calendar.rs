//! Days as text.

use text2sql_domain::date::Date;

/// Reads `YYYY-MM-DD`.
pub fn parse_date(text: &str) -> Option<Date> {
    Date::parse(text)
}
