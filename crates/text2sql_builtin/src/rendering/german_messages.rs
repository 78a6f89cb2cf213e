//! German translations of reasons, assumptions and links.

/// English and German message templates, with `{}` for arguments in the same order.
#[rustfmt::skip]
const TRANSLATIONS: &[(&str, &str)] = &[
    ("the built-in engine does not understand the question at {}", "die eingebaute Engine versteht die Frage nicht bei {}"),
    ("the built-in engine does not understand the end of the question", "die eingebaute Engine versteht das Ende der Frage nicht"),
    ("the built-in engine does not understand {}", "die eingebaute Engine versteht {} nicht"),
    ("which column is meant: {}?", "welche Spalte ist gemeint: {}?"),
    ("is the sum of {} meant, or its average?", "ist die Summe von {} gemeint oder der Durchschnitt?"),
    ("is the sum of {} meant, its average, or each different value?", "ist die Summe von {} gemeint, der Durchschnitt oder jeder einzelne Wert?"),
    ("the question does not say of what", "die Frage sagt nicht, wovon"),
    ("{} is the table {} and a kind of {}: which one is meant?", "{} ist die Tabelle {} und eine Art von {}: was ist gemeint?"),
    ("it is not clear whether {} means {} or {}", "es ist nicht klar, ob {} für {} steht oder für {}"),
    ("{} has several dates: which one is meant?", "{} hat mehrere Datumsspalten: welche ist gemeint?"),
    ("{} is a value of several columns: which one is meant?", "{} ist ein Wert mehrerer Spalten: welche ist gemeint?"),
    ("is each {} listed once, or once for each {}?", "soll jede Zeile von {} einmal erscheinen oder einmal für jede von {}?"),
    ("no foreign keys connect {} and {}", "keine Fremdschlüssel verbinden {} und {}"),
    ("{} and {} are connected in several ways: which one is meant?", "{} und {} sind auf mehrere Arten verbunden: welche ist gemeint?"),
    ("the table {} has several numbers for '{}': which one is meant?", "die Tabelle {} hat mehrere Zahlen für „{}“: welche ist gemeint?"),
    ("the data do not say when {} became '{}': are those of the period meant, or all of them?", "die Daten sagen nicht, seit wann {} „{}“ sind: sind die des Zeitraums gemeint oder alle?"),
    ("{} and {} are connected in several ways", "{} und {} sind auf mehrere Arten verbunden"),
    ("{} cannot be compared with {}", "{} lässt sich nicht mit {} vergleichen"),
    ("{} is not a known value here", "{} ist hier kein bekannter Wert"),
    ("there is no column such as {} in {}", "es gibt keine Spalte wie {} in {}"),
    ("there is no column such as {}", "es gibt keine Spalte wie {}"),
    ("the period is by {}", "der Zeitraum gilt für {}"),
    ("the amount is {}", "der Betrag ist {}"),
    ("rows without {} count as rows with another one", "Zeilen ohne {} zählen als Zeilen mit einem anderen Wert"),
    ("what belongs to several rows of {} counts for each of them", "was zu mehreren Zeilen von {} gehört, zählt für jede davon"),
    ("{} without any {} are left out", "{} ohne {} sind nicht dabei"),
    ("'{}' is by {}", "„{}“ ist nach {}"),
    ("{} is taken as a key of {}", "{} gilt als Schlüssel von {}"),
    ("{} is taken to be in {}", "{} gilt als in {} angegeben"),
    ("rows that belong to no row of {} are left out", "Zeilen, die zu keiner Zeile von {} gehören, sind nicht dabei"),
    ("amounts are in cents, and the question has another unit", "Beträge sind in Cent, und die Frage hat eine andere Einheit"),
    ("some rows have no {}", "bei manchen Zeilen fehlt {}"),
    ("an empty list is not a missing one", "eine leere Liste ist keine fehlende"),
    ("{} has no date column for the period", "{} hat keine Datumsspalte für den Zeitraum"),
    ("the name {} is also a question: its rows are counted where it is written as in SQL", "der Name {} ist auch eine Frage: seine Zeilen werden gezählt, wo er wie in SQL geschrieben steht"),
    ("no column of {} names its rows", "keine Spalte von {} benennt die Zeilen"),
    ("no column of {} is its name", "keine Spalte von {} ist der Name"),
    ("no single column of {} is its {}", "keine einzelne Spalte von {} ist {}"),
    ("it is not clear how {} belongs to {}", "es ist nicht klar, wie {} zu {} gehört"),
    ("it is not clear what {} names here", "es ist nicht klar, was {} hier benennt"),
    ("it is not clear whether {} that began in the period are meant, or all that were there", "es ist nicht klar, ob {} gemeint sind, die im Zeitraum begannen, oder alle, die da waren"),
    ("it is not clear whether rows without any {} are meant too", "es ist nicht klar, ob auch Zeilen ohne {} gemeint sind"),
    ("it is not clear over which rows {} is aggregated", "es ist nicht klar, über welche Zeilen {} zusammengefasst wird"),
    ("it is not clear whether a condition is on the rows that are counted", "es ist nicht klar, ob eine Bedingung für die gezählten Zeilen gilt"),
    ("it is not clear whether one number is asked for or one for each", "es ist nicht klar, ob nach einer Zahl oder nach einer je Gruppe gefragt ist"),
    ("it is not clear how \"and\" and \"or\" go together", "es ist nicht klar, wie „und“ und „oder“ zusammengehören"),
    ("the question does not say how several values are combined", "es ist nicht gesagt, wie mehrere Werte zusammengefasst werden"),
    ("the question does not say among which rows it is most common", "es ist nicht gesagt, unter welchen Zeilen gezählt wird"),
    ("it is not clear{}", "die Frage ist nicht eindeutig"),
    ("{0} is a table and a column of it: rows or values may be meant", "Zeilen oder Werte können gemeint sein"),
    ("{} is a table and a column of it: rows or values may be meant", "{} ist eine Tabelle und eine Spalte davon: Zeilen oder Werte können gemeint sein"),
    ("{} is a table, and a column of {} has that name", "{} ist eine Tabelle, und eine Spalte von {} heißt ebenso"),
    ("{} is text, and nothing says that it holds numbers only", "{} ist Text, und nichts sagt, dass er nur Zahlen enthält"),
    ("the table {} only connects others: is it meant, or {}?", "die Tabelle {} verbindet nur andere: ist sie gemeint oder {}?"),
    ("is each of the {} meant, or {}?", "sind {} gemeint oder {}?"),
    ("is the total {} of {} meant, or their number?", "ist die Summe von {} ({}) gemeint oder die Anzahl?"),
    ("{} is a number, and no foreign key says whose", "{} ist eine Nummer, und kein Fremdschlüssel sagt, wessen"),
    ("what is '{}': {}?", "was ist „{}“: {}?"),
    ("the rows of {} are counted", "gezählt werden die Zeilen von {}"),
    ("the text {} is read as numbers", "der Text {} wird als Zahlen gelesen"),
    ("the total of what: {}?", "die Summe wovon: {}?"),
    ("{} cannot be aggregated as {}", "{} lässt sich nicht so zusammenfassen ({})"),
    ("one column cannot have two values at once", "eine Spalte kann nicht zwei Werte zugleich haben"),
    ("the question has two periods for one date", "für ein Datum sind zwei Zeiträume genannt"),
    ("{} identifies rows and measures nothing", "{} bezeichnet Zeilen und misst nichts"),
    ("the rows would be counted more than once", "die Zeilen würden mehrfach gezählt"),
    ("rows with none at all would be left out", "Zeilen ganz ohne solche fielen weg"),
    ("there can be at most one such row", "davon kann es höchstens eine Zeile geben"),
    ("the question does not say by what the top is measured", "die Frage sagt nicht, woran gemessen wird"),
    ("the question does not say what to show", "die Frage sagt nicht, was gezeigt werden soll"),
    ("the question does not say which rows come first", "die Frage sagt nicht, welche Zeilen zuerst kommen"),
    ("this is too short or too long to be a simple question", "das ist zu kurz oder zu lang für eine einfache Frage"),
    ("{} has no order of size here", "{} hat hier keine Größenordnung"),
    ("{} has no order of size", "{} hat keine Größenordnung"),
    ("{} is not text", "{} ist kein Text"),
    ("a value of the question belongs to a table that is not connected", "ein Wert der Frage gehört zu einer Tabelle, die nicht verbunden ist"),
    ("the alternatives are values of different columns", "die Alternativen sind Werte verschiedener Spalten"),
    ("the period is {} from {} to {}", "der Zeitraum ist {} von {} bis {}"),
    ("the period is {} from {} on", "der Zeitraum ist {} ab {}"),
    ("the period is {} before {}", "der Zeitraum ist {} vor dem {}"),
    ("ties are possible: only the first of them is shown", "Gleichstand ist möglich: nur der erste wird gezeigt"),
    ("ties are possible: rows equal to the last one may be left out", "Gleichstand ist möglich: Zeilen gleichauf mit der letzten können fehlen"),
    ("no foreign key: {} is assumed to equal {}", "kein Fremdschlüssel sagt es: {} wird als {} gelesen"),
    ("'{}' means {}: {}", "„{}“ bedeutet {}: {}"),
    ("\"{}\" is defined in words alone ({}), and the built-in engine needs its SQL", "„{}“ ist nur in Worten erklärt ({}), und die eingebaute Maschine braucht dazu SQL"),
    ("\"{}\" is defined by a sub-query, and the built-in engine uses none", "„{}“ ist durch eine Unterabfrage erklärt, und die eingebaute Maschine verwendet keine"),
    ("'{}' is read as {}", "„{}“ wird als {} gelesen"),
    ("'{}' is table {}", "„{}“ ist die Tabelle {}"),
    ("'{}' is {}", "„{}“ ist {}"),
];

/// Reasons that depend on the schema only: rephrasing the question would not help.
const SCHEMA_REASONS: [&str; 3] = [
    "a value of the question belongs to a table that is not connected",
    "no foreign keys connect {} and {}",
    "{} has no date column for the period",
];

/// Whether the reason, in either language, depends on the schema only.
pub(crate) fn depends_on_schema_only(reason: &str) -> bool {
    let is_one = |template: &str| matched(template, reason).is_some();
    TRANSLATIONS
        .iter()
        .filter(|(english, _)| SCHEMA_REASONS.contains(english))
        .any(|(english, german)| is_one(english) || is_one(german))
}

/// Phrases of readings, English and German.
const READINGS: [(&str, &str); 3] = [
    ("through ", "über "),
    (" with the highest ", " mit dem höchsten "),
    (" with the lowest ", " mit dem niedrigsten "),
];

/// The replacement text of a reading, in German.
pub(crate) fn reading_in_german(words: &str) -> String {
    let mut words = words.to_owned();
    for (english, german) in READINGS {
        words = words.replacen(english, german, 1);
    }
    words
}

/// The text in German, or unchanged if there is no translation.
pub(crate) fn in_german(text: &str) -> String {
    TRANSLATIONS
        .iter()
        .find_map(|(english, german)| Some(filled(german, &matched(english, text)?)))
        .unwrap_or_else(|| text.to_owned())
}

/// The arguments of the text, if it matches the template.
fn matched<'t>(template: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut parts = template.split("{}");
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut found = Vec::new();
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let end = if parts.peek().is_none() {
            rest.strip_suffix(part).map(str::len)?
        } else {
            rest.find(part)?
        };
        found.push(rest.get(..end)?);
        rest = rest.get(end + part.len()..)?;
    }
    rest.is_empty().then_some(found)
}

fn filled(template: &str, values: &[&str]) -> String {
    let mut text = String::new();
    let mut values = values.iter();
    for (i, part) in template.split("{}").enumerate() {
        if i > 0 {
            text.push_str(values.next().copied().unwrap_or_default());
        }
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_keep_their_names() {
        let check = |english: &str, german: &str| assert_eq!(in_german(english), german);
        check(
            "no foreign keys connect stores and reviews",
            "keine Fremdschlüssel verbinden stores und reviews",
        );
        check("'Berlin' is stores.city", "„Berlin“ ist stores.city");
        check(
            "the question has two periods for one date",
            "für ein Datum sind zwei Zeiträume genannt",
        );
        check(
            "something that nobody translated",
            "something that nobody translated",
        );
    }
}
