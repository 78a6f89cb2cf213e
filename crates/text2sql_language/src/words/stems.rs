//! Words reduced to stems, so that "cities" meets "city".

use text2sql_domain::word_pairs;

/// Letters and digits only, in lower case.
pub fn reduce(text: &str) -> String {
    if text.is_ascii() {
        let mut plain = String::with_capacity(text.len());
        plain.extend(
            text.bytes()
                .filter(u8::is_ascii_alphanumeric)
                .map(|byte| char::from(byte.to_ascii_lowercase())),
        );
        return plain;
    }
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Irregular plurals and their stems.
const IRREGULAR: [(&str, &str); 10] = *word_pairs!(
    "people = person, children = child, men = man, women = woman, menus = menu, indices = index, \
     criteria = criterion, media = medium, staffs = staff, ids = id"
);

/// Whether words with this stem may begin differently from it.
pub fn is_irregular(stem: &str) -> bool {
    IRREGULAR.iter().any(|(_, singular)| *singular == stem)
}

/// Plural and singular of a word have the same stem; letters and digits only.
pub fn stem(word: &str) -> String {
    let plain = reduce(word);
    if let Some((_, singular)) = IRREGULAR.iter().find(|(word, _)| *word == plain) {
        return (*singular).to_owned();
    }
    if plain.len() <= 3 {
        return plain;
    }
    let sibilant = |base: &str| {
        ["s", "x", "z", "ch", "sh", "o"]
            .iter()
            .any(|end| base.ends_with(end))
    };
    if let Some(base) = plain
        .strip_suffix("ies")
        .or_else(|| plain.strip_suffix("ie"))
    {
        return format!("{base}i");
    }
    if let Some(base) = plain.strip_suffix("es").or_else(|| plain.strip_suffix('e'))
        && sibilant(base)
    {
        return base.to_owned();
    }
    if let Some(base) = plain.strip_suffix('s')
        && !["s", "u", "i"].iter().any(|end| base.ends_with(end))
    {
        return base.to_owned();
    }
    if let Some(base) = plain.strip_suffix('y')
        && !["a", "e", "o", "u"].iter().any(|end| base.ends_with(end))
    {
        return format!("{base}i");
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plural_and_singular_share_a_stem() {
        for (one, many) in [
            ("city", "cities"),
            ("movie", "movies"),
            ("house", "houses"),
            ("bus", "buses"),
            ("price", "prices"),
            ("class", "classes"),
            ("address", "addresses"),
            ("day", "days"),
            ("box", "boxes"),
            ("status", "statuses"),
            ("person", "people"),
            ("hero", "heroes"),
        ] {
            assert_eq!(stem(one), stem(many), "{one} {many}");
        }
        assert_ne!(stem("note"), stem("not"));
        assert_ne!(stem("plane"), stem("plan"));
    }
}
