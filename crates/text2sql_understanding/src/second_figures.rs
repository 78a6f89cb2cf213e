//! "How many invoices are overdue, and how much is that in total?" asks for two figures of the same rows.

/// Ways to ask for the total beside a count, the longest first.
const TOTALS: &[&str] = &[
    "how much money is that in total",
    "how much are they worth in total",
    "how much is that in total",
    "how much is that altogether",
    "what do they add up to",
    "what is the total amount",
    "what's the total amount",
    "how much are they worth",
    "what are they worth",
    "what is it worth",
    "what is the total",
    "what's the total",
    "how much is that",
    "how much in total",
    "for what total",
    "for how much",
    "for what amount",
    "worth how much",
    "their total value",
    "what was the total",
    "what the total was",
    "how high the total was",
    "how much they were worth",
    "how much were they worth",
    "what did they come to",
    "what they came to",
    "wie hoch war die summe",
    "wie hoch die summe war",
    "wie hoch die summe ist",
    "wie hoch war der betrag",
    "wie hoch der betrag war",
    "wie hoch der gesamtbetrag war",
    "wie viel ist das insgesamt",
    "wie viel macht das insgesamt",
    "wie viel ist das zusammen",
    "was macht das insgesamt",
    "was macht das zusammen",
    "wie hoch ist die summe",
    "wie hoch ist der betrag",
    "mit welchem betrag",
    "über welchen betrag",
    "über welche summe",
    "mit welcher summe",
    "in welcher höhe",
    "wie viel insgesamt",
];

/// The question with "the total amount" for such a way to ask for it, where it counts something first.
pub(crate) fn with_total(text: &str) -> Option<String> {
    let asked = text.trim_end_matches(['?', '.', '!', ' ']);
    let lower = asked.to_lowercase();
    let counts = ["how many ", "number of ", "wie viele ", "anzahl "];
    if lower.len() != asked.len() || !counts.iter().any(|count| lower.contains(count)) {
        return None;
    }
    let joints = [", and ", " and ", ", und ", " und "];
    TOTALS.iter().find_map(|total| {
        let before = lower.strip_suffix(total)?;
        let joint = joints.iter().find(|joint| before.ends_with(**joint))?;
        let start = text.get(..before.len() - joint.len())?;
        Some(match joint.contains("und") {
            true => format!("{start} und Gesamtbetrag?"),
            false => format!("{start} and total amount?"),
        })
    })
}

/// The question without "and how long is it", where the first part asks for an extreme, whose figure is shown anyway.
pub(crate) fn without_own_figure(text: &str) -> Option<String> {
    const ASKED: &[(&str, &[&str])] = &[
        ("longest", &["how long"]),
        ("shortest", &["how long", "how short"]),
        ("most expensive", &["how much", "what does it cost"]),
        ("dearest", &["how much", "what does it cost"]),
        ("cheapest", &["how much", "what does it cost"]),
        ("heaviest", &["how heavy", "how much does it weigh"]),
        ("oldest", &["how old"]),
        ("youngest", &["how old"]),
        ("highest", &["how high", "how much"]),
        ("biggest", &["how big", "how much"]),
        ("largest", &["how large", "how big", "how much"]),
        ("the most", &["how many", "how much"]),
        ("längst", &["wie lang"]),
        ("kürzest", &["wie lang", "wie kurz"]),
        ("teuerst", &["wie teuer", "was kostet", "wie viel kostet"]),
        ("billigst", &["wie teuer", "was kostet", "wie viel kostet"]),
        ("günstigst", &["wie teuer", "was kostet", "wie viel kostet"]),
        ("schwerst", &["wie schwer"]),
        ("ältest", &["wie alt"]),
        ("jüngst", &["wie alt"]),
        ("höchst", &["wie hoch"]),
        ("größt", &["wie groß", "wie hoch"]),
        ("die meisten", &["wie viele"]),
    ];
    /// What follows where nothing else is asked.
    const ITSELF: &[&str] = &[
        "",
        "is it",
        "is that",
        "was it",
        "was that",
        "are they",
        "were they",
        "does it cost",
        "do they cost",
        "ist er",
        "ist sie",
        "ist es",
        "ist das",
        "war er",
        "war sie",
        "war es",
        "war das",
        "sind sie",
        "waren sie",
        "kostet er",
        "kostet sie",
        "kostet es",
        "er",
        "sie",
        "es",
        "das",
    ];
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let joint = [" and ", " und "]
        .iter()
        .filter_map(|joint| Some((lower.rfind(joint)?, joint.len())))
        .max()?;
    let (before, after) = (lower.get(..joint.0)?, lower.get(joint.0 + joint.1..)?);
    // "and how much did it sell" asks for something else.
    let asks_only = |asked: &&str| {
        let rest = after.strip_prefix(asked);
        rest.is_some_and(|rest| ITSELF.contains(&rest.trim_matches([' ', '?', '.', '!'])))
    };
    let is_own = ASKED
        .iter()
        .any(|(extreme, asked)| before.contains(extreme) && asked.iter().any(asks_only));
    let start = text.get(..joint.0)?.trim_end_matches([' ', ',']);
    is_own.then(|| format!("{start}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_of_an_extreme_is_shown_anyway() {
        let asked = |text: &str| without_own_figure(text).unwrap_or_default();
        assert_eq!(
            asked("What's the longest track we sell, and how long is it?"),
            "What's the longest track we sell?"
        );
        assert_eq!(
            asked("Welches ist unser teuerstes Produkt und was kostet es?"),
            "Welches ist unser teuerstes Produkt?"
        );
        assert_eq!(
            asked("Which customer has the most rentals, and how many are they?"),
            "Which customer has the most rentals?"
        );
        for other in [
            "What is the longest track and how much did it sell?",
            "Which customer has the most rentals and how much did they pay?",
            "What is the highest rated film and how much did it earn?",
        ] {
            assert_eq!(asked(other), "");
        }
        assert_eq!(
            asked("What is the longest track and how long is the shortest one?"),
            ""
        );
    }

    #[test]
    fn the_total_beside_a_count_is_a_second_figure() {
        let asked = |text: &str| with_total(text).unwrap_or_default();
        assert_eq!(
            asked("How many invoices are overdue today and how much is that in total?"),
            "How many invoices are overdue today and total amount?"
        );
        assert_eq!(
            asked("How many debits bounced, and for what total?"),
            "How many debits bounced and total amount?"
        );
        assert_eq!(
            asked("Wie viele Rechnungen haben wir storniert und über welche Summe?"),
            "Wie viele Rechnungen haben wir storniert und Gesamtbetrag?"
        );
        assert_eq!(asked("Who owes us money, and how much is that?"), "");
        assert_eq!(asked("How many orders are there?"), "");
    }
}
