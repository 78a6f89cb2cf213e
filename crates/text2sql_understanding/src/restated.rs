//! Ways of asking that are restated in plainer ones before words are linked.

/// The question as it is read.
pub(crate) fn restated(text: &str) -> String {
    let text = asked_first(&asked_again(text));
    let text = since_beginning(&text);
    let text = distinct_places(&text);
    let text = spending_of_one(&text);
    let text = in_plain_verbs(&text);
    let text = longest_serving(&text).map_or(text, str::to_owned);
    named_age(&ranked_buyers(&text))
}

/// "What's her e-mail again?" is asked once more; "who ordered again?" is about those who did.
fn asked_again(text: &str) -> String {
    let asked = text.trim_end_matches(['?', '.', ' ']);
    let lower = text.to_lowercase();
    let is_fact = ["what's ", "what is ", "what was "]
        .iter()
        .any(|start| lower.starts_with(start));
    match asked.strip_suffix(" again").filter(|_| is_fact) {
        Some(once) => format!("{once}?"),
        None => text.to_owned(),
    }
}

/// "since the beginning of this year" is "this year".
fn since_beginning(text: &str) -> String {
    const SINCE: &[(&str, &str)] = &[
        ("since the beginning of this ", "this "),
        ("since the beginning of the ", "this "),
        ("since the start of this ", "this "),
        ("since the start of the ", "this "),
        ("seit Anfang dieses Jahres", "in diesem Jahr"),
        ("seit Anfang des Jahres", "in diesem Jahr"),
        ("seit Jahresbeginn", "in diesem Jahr"),
        ("seit Jahresanfang", "in diesem Jahr"),
        ("seit Anfang dieses Monats", "in diesem Monat"),
        ("seit Monatsbeginn", "in diesem Monat"),
    ];
    let units = ["year", "quarter", "month", "week"];
    let found = SINCE.iter().find(|(since, plain)| {
        let rest = text.split_once(since).map(|(_, rest)| rest);
        let is_unit = |rest: &str| {
            units
                .iter()
                .any(|unit| rest.trim_end_matches(['?', '.', ' ']) == *unit)
        };
        rest.is_some_and(|rest| *plain != "this " || is_unit(rest))
    });
    found.map_or_else(
        || text.to_owned(),
        |(since, plain)| text.replacen(since, plain, 1),
    )
}

/// "orders last month - how many?" is "how many orders last month?".
fn asked_first(text: &str) -> String {
    const COUNTS: &[(&str, &str)] = &[
        ("how many", "how many"),
        ("how many of them", "how many"),
        ("wie viele", "wie viele"),
        ("wieviele", "wie viele"),
        ("- when", "when was"),
        (", when", "when was"),
        ("- wann", "wann war"),
        (", wann", "wann war"),
    ];
    let asked = text.trim_end_matches(['?', '.', '!', ' ']);
    let joints = [", ", " - ", " – ", ": ", " "];
    let found = COUNTS.iter().find_map(|(count, first)| {
        let start = asked.len().checked_sub(count.len())?;
        let (rest, end) = (asked.get(..start)?, asked.get(start..)?);
        let joint = joints.iter().find(|joint| rest.ends_with(**joint))?;
        let rest = rest.strip_suffix(*joint)?.trim_end_matches([',', '-', ' ']);
        (end.eq_ignore_ascii_case(count) && rest.contains(' ')).then_some((first, rest))
    });
    found.map_or_else(
        || text.to_owned(),
        |(first, rest)| format!("{first} {rest}?"),
    )
}

/// "In how many countries do we have customers?" counts different countries of customers.
fn distinct_places(text: &str) -> String {
    const ASKED: &[(&str, &str)] = &[
        ("in how many different ", "how many different "),
        ("from how many different ", "how many different "),
        ("in how many ", "how many different "),
        ("from how many ", "how many different "),
        ("in wie vielen verschiedenen ", "wie viele verschiedene "),
        ("aus wie vielen verschiedenen ", "wie viele verschiedene "),
        ("in wie vielen ", "wie viele verschiedene "),
        ("aus wie vielen ", "wie viele verschiedene "),
    ];
    const PLACES: &[&str] = &[
        "countries",
        "cities",
        "towns",
        "states",
        "regions",
        "places",
        "ländern",
        "städten",
        "orten",
        "regionen",
        "bundesländern",
    ];
    let lower = text.to_lowercase();
    let found = ASKED.iter().find_map(|(asked, plain)| {
        let at = lower.find(asked)?;
        let rest = text.get(at + asked.len()..)?;
        let place = rest.split([' ', '?']).next()?.to_lowercase();
        let is_start = at == 0 || lower.get(..at)?.ends_with(' ');
        (lower.len() == text.len() && is_start && PLACES.contains(&place.as_str())).then(|| {
            let rest = rest.trim_end_matches(['?', ' ']);
            // "Customers from how many countries?"
            match text.get(..at).unwrap_or_default().trim_end() {
                "" => format!("{plain}{rest}"),
                before => format!("{plain}{rest} have {before}"),
            }
        })
    });
    found.unwrap_or_else(|| text.to_owned())
}

/// "How much does a customer spend on average?" is the average revenue per customer, unless it is that of an order.
fn spending_of_one(text: &str) -> String {
    const ONE: &[(&str, &str)] = &[
        (" a customer ", " per customer "),
        (" ein Kunde ", " pro Kunde "),
    ];
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let is_spending = has(&["spend", "spent", "ausgegeben", "ausgibt", "gibt ein"]);
    let is_mean = has(&["average", "schnitt"]);
    let is_of_order = has(&["per ", "each ", "pro ", "je "]);
    let one = ONE.iter().find(|(one, _)| text.contains(one));
    match one.filter(|_| is_spending && is_mean && !is_of_order) {
        Some((one, per)) => text.replacen(one, per, 1),
        None => text.to_owned(),
    }
}

/// Verbs that say in this place what another one says everywhere: what customers keep for some days they have rented.
fn in_plain_verbs(text: &str) -> String {
    const VERBS: &[(&[&str], &str, &str)] = &[
        (&["how many days", "how long"], " keep ", " rent "),
        (&["how many days", "how long"], " kept ", " rented "),
        (&["most", "fewest", "least"], " contain the ", " have the "),
        (&["most", "fewest", "least"], " contains the ", " has the "),
        (&["meisten", "wenigsten"], " enthält die ", " hat die "),
        (&["meisten", "wenigsten"], " enthalten die ", " haben die "),
    ];
    let lower = text.to_lowercase();
    let found = VERBS.iter().find(|(beside, verb, _)| {
        text.contains(verb) && beside.iter().any(|beside| lower.contains(beside))
    });
    let text = found.map_or_else(
        || text.to_owned(),
        |(_, verb, plain)| text.replacen(verb, plain, 1),
    );
    in_minutes(&text).unwrap_or(text)
}

/// "Who has been on our staff the longest?" asks for an employee.
fn longest_serving(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let asked = lower.trim_end_matches(['?', '.', ' ']);
    let has = |words: &[&str]| words.iter().any(|word| asked.contains(word));
    if asked.starts_with("who has ") && asked.ends_with(" the longest") {
        let is_here = has(&[
            "been on our staff",
            "been with us",
            "been here",
            "worked here",
            "worked for us",
        ]);
        return is_here.then_some("Who is the longest serving employee?");
    }
    let is_here = asked.starts_with("wer ") && has(&["am längsten bei uns", "am längsten hier"]);
    is_here.then_some("Wer ist der dienstälteste Mitarbeiter?")
}

/// "How many minutes does a song last on average?" is "How long is a song on average in minutes?".
fn in_minutes(text: &str) -> Option<String> {
    const LAST: &[&str] = &[" last", " run", " take", " go on for"];
    let lower = text.to_lowercase();
    let units = [
        ("minutes", "how many minutes "),
        ("hours", "how many hours "),
    ];
    let (unit, start) = units.iter().find(|(_, start)| lower.starts_with(start))?;
    let rest = text.get(start.len()..)?.trim_end_matches(['?', ' ']);
    let (verb, rest) = rest.split_once(' ')?;
    let last = LAST.iter().find_map(|last| {
        let at = rest.find(last)?;
        let after = rest.get(at + last.len()..)?;
        (after.is_empty() || after.starts_with(' ')).then_some((at, after))
    });
    let (at, after) = last?;
    matches!(verb, "do" | "does" | "did").then(|| {
        let thing = rest.get(..at).unwrap_or_default();
        format!("How long is {thing}{after} in {unit}?")
    })
}

/// "Our biggest spenders" are the biggest customers by revenue.
fn ranked_buyers(text: &str) -> String {
    match text.contains(" spenders") {
        true => {
            let customers = text.replacen(" spenders", " customers", 1);
            format!("{} by revenue", customers.trim_end_matches(['?', '.', ' ']))
        }
        false => text.to_owned(),
    }
}

/// "How old is she?" asks for her age.
fn named_age(text: &str) -> String {
    const OLD: &[(&str, &str)] = &[
        ("how old is ", "what is the age of "),
        ("how old are ", "what is the age of "),
        ("wie alt ist ", "was ist das Alter von "),
        ("wie alt sind ", "was ist das Alter von "),
    ];
    let start = OLD.iter().find_map(|(old, named)| {
        let start = text.get(..old.len())?;
        start
            .eq_ignore_ascii_case(old)
            .then_some((old.len(), named))
    });
    start.map_or_else(
        || text.to_owned(),
        |(length, named)| format!("{named}{}", text.get(length..).unwrap_or_default()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_way_is_read() {
        for (asked, plain) in [
            (
                "orders last month - how many",
                "how many orders last month?",
            ),
            ("discs still out, how many?", "how many discs still out?"),
            (
                "In how many countries do we have customers?",
                "how many different countries do we have customers",
            ),
            (
                "Kunden aus wie vielen Ländern?",
                "wie viele verschiedene Ländern have Kunden",
            ),
            (
                "How much does a customer spend on average?",
                "How much does per customer spend on average?",
            ),
            (
                "How much does a customer spend per order on average?",
                "How much does a customer spend per order on average?",
            ),
            ("What's her e-mail again?", "What's her e-mail?"),
            ("Who ordered again?", "Who ordered again?"),
            ("very first payment - when?", "when was very first payment?"),
            (
                "How much has come in since the beginning of this quarter?",
                "How much has come in this quarter?",
            ),
            (
                "Who works here since the beginning of the project?",
                "Who works here since the beginning of the project?",
            ),
            (
                "For how many days do customers keep a film?",
                "For how many days do customers rent a film?",
            ),
            (
                "Which playlists contain the most tracks?",
                "Which playlists have the most tracks?",
            ),
            (
                "How many minutes does a song last on average?",
                "How long is a song on average in minutes?",
            ),
            ("How many hours did we sell?", "How many hours did we sell?"),
            (
                "Who has been on our staff the longest?",
                "Who is the longest serving employee?",
            ),
            (
                "Who has rented films the longest?",
                "Who has rented films the longest?",
            ),
            ("How many?", "How many?"),
            (
                "In how many orders was it sold?",
                "In how many orders was it sold?",
            ),
        ] {
            assert_eq!(restated(asked), plain);
        }
    }
}
