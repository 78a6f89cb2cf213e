//! The databases behind one server: one without a name, or several, each with one.

/// The longest name: it stands in addresses and cookies.
const LONGEST_NAME: usize = 40;

/// Names and connection strings.
pub(super) type Named = Vec<(String, String)>;

/// What was given.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// A connection string.
    One(String),
    /// Several, each with a name.
    Several(Named),
}

/// Reads lines such as `shop=host=db dbname=shop`; of one connection string alone the database has no name.
pub(super) fn read(text: &str) -> Result<Given, String> {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    if let [only] = lines.as_slice()
        && named(only).is_none()
    {
        return Ok(Given::One((*only).to_owned()));
    }
    let all = lines.iter().map(|line| {
        let (name, database) = named(line).ok_or_else(|| {
            format!("of several databases each needs a name, such as shop={line}")
        })?;
        Ok((name.to_owned(), database.to_owned()))
    });
    let all = all.collect::<Result<Named, String>>()?;
    check(&all)?;
    Ok(Given::Several(all))
}

/// Checks the names.
pub(super) fn check(all: &[(String, String)]) -> Result<(), String> {
    for (index, (name, _)) in all.iter().enumerate() {
        if !is_name(name) {
            return Err(format!(
                "\"{name}\" cannot name a database here: at most {LONGEST_NAME} of a to z, 0 to 9, - and _"
            ));
        }
        if all.iter().take(index).any(|(other, _)| other == name) {
            return Err(format!("two databases are called {name}"));
        }
    }
    Ok(())
}

/// The name and the connection string of `name=…`: what follows begins with a parameter and its value, or is a URI. The
/// value of a parameter, as in `host=db dbname=shop`, does neither.
fn named(line: &str) -> Option<(&str, &str)> {
    let (name, database) = line.split_once('=')?;
    let is_uri = ["postgresql://", "postgres://"]
        .iter()
        .any(|scheme| database.starts_with(scheme));
    let first = database.split_whitespace().next().unwrap_or_default();
    let has_parameter = first
        .split_once('=')
        .is_some_and(|(parameter, _)| is_name(parameter));
    (is_name(name) && (is_uri || has_parameter)).then_some((name, database))
}

fn is_name(name: &str) -> bool {
    let is_of_it = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_of_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A connection string, names with theirs, or what is wrong.
    fn said(text: &str) -> String {
        match read(text) {
            Ok(Given::One(text)) => text,
            Ok(Given::Several(all)) => {
                let all = all.iter();
                let all: Vec<String> = all
                    .map(|(name, database)| format!("{name}: {database}"))
                    .collect();
                all.join("; ")
            }
            Err(problem) => format!("! {problem}"),
        }
    }

    #[test]
    fn one_database_needs_no_name_and_several_have_one() {
        for one in [
            "host=db dbname=shop",
            "dbname=shop",
            "postgresql://db/shop?sslmode=require",
            // Values of parameters may have a sign of equality, too.
            "options='-c a=b' dbname=shop",
        ] {
            assert_eq!(said(one), one);
        }
        assert_eq!(
            said("shop=host=db dbname=shop\n hr=postgresql://db/hr "),
            "shop: host=db dbname=shop; hr: postgresql://db/hr"
        );
        assert_eq!(said("hr=service=people"), "hr: service=people");
    }

    #[test]
    fn of_several_each_has_a_name_of_its_own() {
        assert_eq!(
            said("shop=dbname=shop\ndbname=hr"),
            "! of several databases each needs a name, such as shop=dbname=hr"
        );
        assert_eq!(
            said("shop=dbname=a\nshop=dbname=b"),
            "! two databases are called shop"
        );
        let wrong = check(&[("../x".to_owned(), String::new())]);
        assert!(wrong.is_err_and(|problem| problem.contains("cannot name a database")));
    }
}
