//! Common English words; `english_words.md` says where they are from.

/// One word with its level in a line, sorted by bytes.
const WORDS: &str = include_str!("english_words.txt");

/// How common an English word or its base is: 1 for the most common ones to 3. `None` for any other word.
pub fn level(word: &str) -> Option<u8> {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let own = listed(word);
    let bases = bases(word);
    let of_base = bases.iter().filter_map(|base| listed(base)).min();
    own.into_iter().chain(of_base).min()
}

/// The words that begin with a letter, with their levels.
pub fn beginning_with(letter: char) -> impl Iterator<Item = (&'static str, u8)> {
    let start = start_of(&letter.to_string());
    let rest = WORDS.get(start..).unwrap_or_default();
    let entries = rest
        .lines()
        .take_while(move |line| line.starts_with(letter));
    entries.filter_map(entry)
}

fn listed(word: &str) -> Option<u8> {
    let line = WORDS.get(start_of(word)..)?.lines().next()?;
    let (known, level) = entry(line)?;
    (known == word).then_some(level)
}

fn entry(line: &str) -> Option<(&str, u8)> {
    let (word, level) = line.split_once(' ')?;
    Some((word, level.parse().ok()?))
}

/// Where the first line begins that is not before `word`: a binary search over the text as it is, which costs
/// a session neither time nor memory to prepare.
fn start_of(word: &str) -> usize {
    let (mut low, mut high) = (0, WORDS.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let before = WORDS.get(..middle).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = WORDS.get(start..).unwrap_or_default();
        let line = line.lines().next().unwrap_or_default();
        let known = line.split(' ').next().unwrap_or_default();
        if known < word {
            low = (start + line.len() + 1).min(WORDS.len());
        } else {
            high = start;
        }
    }
    low
}

/// The words that this one may be a plural or a verb form of. The list omits words that are found this way.
fn bases(word: &str) -> Vec<String> {
    let mut bases = Vec::new();
    let mut add = |base: String| {
        if base.len() >= 3 {
            bases.push(base);
        }
    };
    if let Some(rest) = word.strip_suffix("ies") {
        add(format!("{rest}y"));
    }
    if let Some(rest) = word.strip_suffix("es") {
        add(rest.to_owned());
    }
    if let Some(rest) = word.strip_suffix('s').filter(|rest| !rest.ends_with('s')) {
        add(rest.to_owned());
    }
    for ending in ["ed", "ing"] {
        let Some(rest) = word.strip_suffix(ending) else {
            continue;
        };
        if let Some(rest) = rest.strip_suffix('i').filter(|_| ending == "ed") {
            add(format!("{rest}y"));
        }
        add(rest.to_owned());
        add(format!("{rest}e"));
        let mut last = rest.bytes().rev();
        if rest.len() > 3 && last.next() == last.next() {
            add(rest.get(..rest.len() - 1).unwrap_or_default().to_owned());
        }
    }
    bases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        let words: Vec<&str> = WORDS.lines().filter_map(entry).map(|(w, _)| w).collect();
        assert_eq!(words.len(), WORDS.lines().count());
        assert!(words.is_sorted());
    }

    #[test]
    fn words_and_their_forms_are_known() {
        for (word, expected) in [
            ("customer", Some(1)),
            ("customers", Some(1)),
            ("policies", Some(1)),
            ("planned", Some(1)),
            ("a", None),
            ("census", Some(3)),
            ("zoom", Some(2)),
            ("zzz", None),
            ("custaddr", None),
            ("größe", None),
        ] {
            assert_eq!(level(word), expected, "{word}");
        }
        assert!(beginning_with('z').any(|(word, _)| word == "zone"));
        assert!(beginning_with('q').all(|(word, _)| word.starts_with('q')));
        assert_eq!(beginning_with('!').count(), 0);
    }
}
