//! Names of the schema as people write them.

/// A name in words: `OrderDate` and `order_date` are "order date".
pub(crate) fn speak(name: &str) -> String {
    let mut spoken = String::new();
    let mut previous_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            spoken.push(' ');
        } else {
            if c.is_uppercase() && previous_lower {
                spoken.push(' ');
            }
            spoken.extend(c.to_lowercase());
        }
        previous_lower = c.is_lowercase();
    }
    spoken.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A table's name for one of its rows.
pub(crate) fn singular(name: &str) -> String {
    let spoken = speak(name);
    if spoken.ends_with("species") || spoken.ends_with("series") {
        return spoken;
    }
    match spoken.strip_suffix("ies") {
        Some(base) => format!("{base}y"),
        None if spoken.ends_with("sses") || spoken.ends_with("xes") => {
            spoken.trim_end_matches("es").to_owned()
        }
        None if spoken.ends_with('s') && !spoken.ends_with("ss") && !spoken.ends_with("us") => {
            spoken.trim_end_matches('s').to_owned()
        }
        None => spoken,
    }
}
