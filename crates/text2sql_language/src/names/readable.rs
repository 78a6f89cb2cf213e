//! Identifiers as readable words.

/// An identifier in words: `OrderDate` and `order_date` are "order date".
pub fn readable(name: &str) -> String {
    let mut words = String::new();
    let mut previous_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            words.push(' ');
        } else {
            if c.is_uppercase() && previous_lower {
                words.push(' ');
            }
            words.extend(c.to_lowercase());
        }
        previous_lower = c.is_lowercase();
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The noun for one row of a table: "order" for `orders`.
pub fn singular(name: &str) -> String {
    let words = readable(name);
    // "analysis", "diagnosis" and "basis" are no plurals.
    if ["species", "series", "sis"]
        .iter()
        .any(|end| words.ends_with(end))
    {
        return words;
    }
    match words.strip_suffix("ies") {
        Some(base) => format!("{base}y"),
        None if words.ends_with("sses") || words.ends_with("xes") => {
            words.trim_end_matches("es").to_owned()
        }
        None if words.ends_with('s') && !words.ends_with("ss") && !words.ends_with("us") => {
            words.trim_end_matches('s').to_owned()
        }
        None => words,
    }
}

/// The plural of an English name; a name that ends in s is taken as plural.
pub fn plural(name: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|end| name.ends_with(end));
    if ends(&["ss", "x", "ch", "sh"]) {
        return format!("{name}es");
    }
    if ends(&["s", "data", "staff", "people", "information"]) {
        return name.to_owned();
    }
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{name}s"),
    }
}
