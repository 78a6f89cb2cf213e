//! The reason for a chart, or for none, in words.

use crate::language::Language;
use crate::plot::text::short;
use crate::rule::{Decision, MAX_CATEGORIES, MAX_SERIES, Reason};

/// Longer names are cut.
const MAX_NAME: usize = 60;

fn named(name: &str, language: Language) -> String {
    let name = short(name, MAX_NAME);
    language.pick(format!("“{name}”"), format!("„{name}“"))
}

/// What is said where drawing failed.
pub(crate) fn not_drawn(language: Language) -> &'static str {
    language.pick(
        "No chart: it could not be drawn.",
        "Kein Diagramm: Es ließ sich nicht zeichnen.",
    )
}

/// One or two sentences.
pub(crate) fn in_words(decision: &Decision, language: Language) -> String {
    let mut text = match language {
        Language::English => english(&decision.reason),
        Language::German => german(&decision.reason),
    };
    let mut add = |sentence: String| {
        text.push(' ');
        text.push_str(&sentence);
    };
    if !decision.left_out.is_empty() && decision.design.is_some() {
        let names: Vec<_> = decision
            .left_out
            .iter()
            .map(|name| named(name, language))
            .collect();
        let names = names.join(", ");
        add(language.pick(
            format!("Not shown, because one axis would mislead: {names}."),
            format!("Nicht gezeigt, weil eine gemeinsame Achse täuschen würde: {names}."),
        ));
    }
    match decision.rows_left_out {
        0 => {}
        1 => add(language
            .pick(
                "One row has no value here and is not shown.",
                "Eine Zeile hat hier keinen Wert und fehlt.",
            )
            .to_owned()),
        count => add(language.pick(
            format!("{count} rows have no value here and are not shown."),
            format!("{count} Zeilen haben hier keinen Wert und fehlen."),
        )),
    }
    if decision.truncated {
        add(language
            .pick(
                "The result has more rows than these: the chart shows only the first ones.",
                "Das Ergebnis hat mehr Zeilen: Das Diagramm zeigt nur die ersten.",
            )
            .to_owned());
    }
    text
}

fn english(reason: &Reason) -> String {
    let named = |name: &str| named(name, Language::English);
    match reason {
        Reason::NoRows => "No chart: there are no rows.".to_owned(),
        Reason::OneRow => "No chart: a single row is read faster than a chart.".to_owned(),
        Reason::NoMeasure => "No chart: no column has numbers to compare.".to_owned(),
        Reason::OnlyIdentifiers => {
            "No chart: the numbers are only names of things, such as ids.".to_owned()
        }
        Reason::NothingToCompare => {
            "No chart: there are too few values to compare, or nothing to compare them by."
                .to_owned()
        }
        Reason::MixedUnits { column } => format!(
            "No chart: {} says that the numbers are in different units.",
            named(column)
        ),
        Reason::MostlyNull { column } => {
            format!("No chart: most values of {} are missing.", named(column))
        }
        Reason::TooManyCategories { column, count } => format!(
            "No chart: {} has {count} values, and more than {MAX_CATEGORIES} bars cannot be read.",
            named(column)
        ),
        Reason::TooManySeries { column, count } => format!(
            "No chart: {} has {count} values, and more than {MAX_SERIES} lines cannot be told apart.",
            named(column)
        ),
        Reason::TooManyPoints { count } => {
            format!("No chart: {count} points would cover each other.")
        }
        Reason::TooManyColumns => {
            "No chart: the result has more columns than a chart can show.".to_owned()
        }
        Reason::RowsShareAMark { column } => format!(
            "No chart: several rows have the same {}, and a chart would hide some.",
            named(column)
        ),
        Reason::Bars {
            category,
            count,
            measure,
        } => format!(
            "Bars, because {} has {count} values, each with a number in {}.",
            named(category),
            named(measure)
        ),
        Reason::GroupedBars {
            category,
            count,
            series,
        } => format!(
            "Grouped bars, because {} has {count} values, each with {series} numbers.",
            named(category)
        ),
        Reason::TimeBars { time, count } => format!(
            "Bars, because {} has only {count} points in time.",
            named(time)
        ),
        Reason::Line {
            time,
            count,
            series: 1,
        } => format!(
            "A line, because {} has {count} points in time.",
            named(time)
        ),
        Reason::Line {
            time,
            count,
            series,
        } => format!(
            "{series} lines, because {} has {count} points in time.",
            named(time)
        ),
        Reason::Points { x, y, count } => format!(
            "Points, because each of {count} rows has two numbers, {} and {}.",
            named(x),
            named(y)
        ),
    }
}

fn german(reason: &Reason) -> String {
    let named = |name: &str| named(name, Language::German);
    match reason {
        Reason::NoRows => "Kein Diagramm: Es gibt keine Zeilen.".to_owned(),
        Reason::OneRow => {
            "Kein Diagramm: Eine einzelne Zeile liest sich schneller als ein Diagramm.".to_owned()
        }
        Reason::NoMeasure => "Kein Diagramm: Keine Spalte hat Zahlen zum Vergleichen.".to_owned(),
        Reason::OnlyIdentifiers => {
            "Kein Diagramm: Die Zahlen sind nur Kennungen, zum Beispiel Nummern.".to_owned()
        }
        Reason::NothingToCompare => {
            "Kein Diagramm: Es gibt zu wenige Werte, oder nichts, wonach sie zu vergleichen wären."
                .to_owned()
        }
        Reason::MixedUnits { column } => format!(
            "Kein Diagramm: Laut {} haben die Zahlen verschiedene Einheiten.",
            named(column)
        ),
        Reason::MostlyNull { column } => {
            format!(
                "Kein Diagramm: Die meisten Werte von {} fehlen.",
                named(column)
            )
        }
        Reason::TooManyCategories { column, count } => format!(
            "Kein Diagramm: {} hat {count} Werte, und mehr als {MAX_CATEGORIES} Balken sind nicht lesbar.",
            named(column)
        ),
        Reason::TooManySeries { column, count } => format!(
            "Kein Diagramm: {} hat {count} Werte, und mehr als {MAX_SERIES} Linien sind nicht zu unterscheiden.",
            named(column)
        ),
        Reason::TooManyPoints { count } => {
            format!("Kein Diagramm: {count} Punkte würden einander verdecken.")
        }
        Reason::TooManyColumns => {
            "Kein Diagramm: Das Ergebnis hat mehr Spalten, als ein Diagramm zeigen kann.".to_owned()
        }
        Reason::RowsShareAMark { column } => format!(
            "Kein Diagramm: Mehrere Zeilen haben dasselbe in {}, und ein Diagramm würde einige verdecken.",
            named(column)
        ),
        Reason::Bars {
            category,
            count,
            measure,
        } => format!(
            "Balken, weil {} {count} Werte hat, jeder mit einer Zahl in {}.",
            named(category),
            named(measure)
        ),
        Reason::GroupedBars {
            category,
            count,
            series,
        } => format!(
            "Gruppierte Balken, weil {} {count} Werte hat, jeder mit {series} Zahlen.",
            named(category)
        ),
        Reason::TimeBars { time, count } => {
            format!("Balken, weil {} nur {count} Zeitpunkte hat.", named(time))
        }
        Reason::Line {
            time,
            count,
            series: 1,
        } => format!("Eine Linie, weil {} {count} Zeitpunkte hat.", named(time)),
        Reason::Line {
            time,
            count,
            series,
        } => format!(
            "{series} Linien, weil {} {count} Zeitpunkte hat.",
            named(time)
        ),
        Reason::Points { x, y, count } => format!(
            "Punkte, weil jede von {count} Zeilen zwei Zahlen hat, {} und {}.",
            named(x),
            named(y)
        ),
    }
}
