//! Names that are abbreviated and written together.

use text2sql_language::terms::split;

/// Abbreviations that everybody writes.
const USUAL: &[(&str, &str)] = &[
    ("account", "acct"),
    ("address", "addr"),
    ("amount", "amt"),
    ("average", "avg"),
    ("building", "bldg"),
    ("category", "cat"),
    ("code", "cd"),
    ("country", "ctry"),
    ("course", "crs"),
    ("customer", "cust"),
    ("date", "dt"),
    ("department", "dept"),
    ("description", "desc"),
    ("document", "doc"),
    ("employee", "emp"),
    ("history", "hist"),
    ("invoice", "inv"),
    ("location", "loc"),
    ("manager", "mgr"),
    ("name", "nm"),
    ("number", "no"),
    ("order", "ord"),
    ("payment", "pmt"),
    ("product", "prod"),
    ("quantity", "qty"),
    ("staff", "stf"),
    ("status", "stat"),
    ("student", "stu"),
    ("transaction", "txn"),
    ("type", "typ"),
    ("year", "yr"),
];

/// Words of fewer letters are not shortened.
const SHORTEST: usize = 5;

/// Letters before a word such as `id` that is glued to another one: `valid` is one word.
const LEAST_BEFORE: usize = 4;

/// The name of a table or column. Always the same, so that two measurements are about the same names.
///
/// Within a schema a word is always abbreviated in one way, and all names are written in one style. Of ten words of five
/// letters or more, four stay, two are cut after four letters, two lose their vowels, and two lose them and all after the
/// fourth letter; usual abbreviations replace their words in half of the schemas. Styles: words apart, written together,
/// `tblWordWord`, `T_WORD_WORD`.
pub fn garbled_name(schema: &str, name: &str, is_table: bool) -> String {
    let words: Vec<String> = split(name)
        .iter()
        .flat_map(|word| unglued(word))
        .map(|word| shortened(schema, word))
        .collect();
    let capital = |word: &String| -> String {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect()
    };
    match dice(schema, "style") % 4 {
        0 => words.join("_"),
        1 => words.concat(),
        2 => {
            let joined: String = words.iter().map(capital).collect();
            if is_table {
                format!("tbl{joined}")
            } else {
                joined
            }
        }
        _ => {
            let joined = words.join("_").to_uppercase();
            if is_table {
                format!("T_{joined}")
            } else {
                joined
            }
        }
    }
}

/// `employeeid` is two words, of which nobody shortens the second.
fn unglued(word: &str) -> Vec<&str> {
    let ends = ["id", "code", "num"];
    let end = ends.iter().find_map(|end| {
        let start = word.strip_suffix(*end)?;
        (start.chars().count() >= LEAST_BEFORE).then_some([start, *end])
    });
    end.map_or_else(|| vec![word], Vec::from)
}

fn shortened(schema: &str, word: &str) -> String {
    let singular = word.strip_suffix('s').unwrap_or(word);
    if dice(schema, "usual").is_multiple_of(2)
        && let Some((_, short)) = USUAL
            .iter()
            .find(|(long, _)| *long == word || *long == singular)
    {
        return (*short).to_owned();
    }
    if word.chars().count() < SHORTEST {
        return word.to_owned();
    }
    // The plural is shortened like the singular.
    let whole = word;
    let word = singular;
    let without_vowels = || {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        let rest = rest.chars().filter(|letter| !"aeiou".contains(*letter));
        first.chars().chain(rest).collect::<String>()
    };
    match dice(schema, word) % 10 {
        0..4 => whole.to_owned(),
        4..6 => word.chars().take(4).collect(),
        6..8 => without_vowels(),
        _ => without_vowels().chars().take(4).collect(),
    }
}

/// FNV-1a: any number that depends on both and never changes.
fn dice(schema: &str, word: &str) -> u64 {
    let bytes = schema.bytes().chain([0]).chain(word.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    }) >> 7
}
