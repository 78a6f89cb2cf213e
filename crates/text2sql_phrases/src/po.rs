//! The form of a language's file: that of GNU gettext, which PostgreSQL's own translations have.

/// A text and its translation.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What tells apart equal English texts, `^`, and the English text; without a context the text alone.
    pub key: String,
    /// The English text for several.
    pub plural: Option<String>,
    /// The translation; with a plural one for each form that the language has.
    pub texts: Vec<String>,
}

/// Where a line that goes on belongs.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Context,
    Key,
    Plural,
    Text,
}

/// The entries of a file; the first, with an empty key, is its header.
pub(crate) fn entries(file: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut part = Part::Text;
    for line in file.lines().map(str::trim) {
        let Some(start) = line.find('"').filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let (keyword, quoted) = line.split_at(start);
        let before = part;
        part = match keyword.trim_end() {
            "" => before,
            "msgctxt" => Part::Context,
            "msgid" => Part::Key,
            "msgid_plural" => Part::Plural,
            _ => Part::Text,
        };
        let begins = !keyword.is_empty();
        if part == Part::Context && begins || part == Part::Key && begins && before == Part::Text {
            entries.push(Entry::default());
        }
        let Some(entry) = entries.last_mut() else {
            continue;
        };
        let text = match part {
            Part::Context => &mut entry.key,
            Part::Key => {
                if begins && before == Part::Context {
                    entry.key.push('^');
                }
                &mut entry.key
            }
            Part::Plural => entry.plural.get_or_insert_default(),
            Part::Text => {
                if begins {
                    entry.texts.push(String::new());
                }
                match entry.texts.last_mut() {
                    Some(text) => text,
                    None => continue,
                }
            }
        };
        unquote(quoted, text);
    }
    entries
}

/// Appends what stands between quotation marks.
fn unquote(quoted: &str, text: &mut String) {
    let inner = quoted.trim_matches(|c| c == '\n');
    let inner = inner.strip_prefix('"').unwrap_or(inner);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut characters = inner.chars();
    while let Some(c) = characters.next() {
        text.push(match c {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => break,
            },
            c => c,
        });
    }
}

/// The value of a header's field.
pub(crate) fn field<'h>(header: &'h str, name: &str) -> &'h str {
    header
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        .map_or("", str::trim)
}

/// Which form a number needs, by a rule such as `n != 1`, an expression as in C.
pub(crate) fn plural_form(rule: &str, number: u64) -> usize {
    let tokens = tokens(rule);
    let mut rest = tokens.as_slice();
    usize::try_from(choice(&mut rest, number)).unwrap_or(0)
}

fn tokens(rule: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = rule.trim_start();
    while let Some(first) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_double = ["||", "&&", "==", "!=", "<=", ">="]
            .iter()
            .any(|sign| rest.starts_with(sign));
        let length = match digits {
            0 if is_double => 2,
            0 => first.len_utf8(),
            digits => digits,
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

/// The operators of an expression, those that bind least first.
const LEVELS: [&[&str]; 6] = [
    &["||"],
    &["&&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["+", "-"],
    &["*", "/", "%"],
];

fn takes(rest: &mut &[&str], sign: &str) -> bool {
    match rest {
        [first, after @ ..] if *first == sign => {
            *rest = after;
            true
        }
        _ => false,
    }
}

fn choice(rest: &mut &[&str], n: u64) -> u64 {
    let condition = binary(rest, n, 0);
    if !takes(rest, "?") {
        return condition;
    }
    let then = choice(rest, n);
    takes(rest, ":");
    let otherwise = choice(rest, n);
    if condition == 0 { otherwise } else { then }
}

fn binary(rest: &mut &[&str], n: u64, level: usize) -> u64 {
    let Some(signs) = LEVELS.get(level) else {
        return operand(rest, n);
    };
    let mut left = binary(rest, n, level + 1);
    while let Some(sign) = signs.iter().find(|sign| takes(rest, sign)) {
        let right = binary(rest, n, level + 1);
        left = match *sign {
            "||" => u64::from(left != 0 || right != 0),
            "&&" => u64::from(left != 0 && right != 0),
            "==" => u64::from(left == right),
            "!=" => u64::from(left != right),
            "<" => u64::from(left < right),
            ">" => u64::from(left > right),
            "<=" => u64::from(left <= right),
            ">=" => u64::from(left >= right),
            "+" => left.wrapping_add(right),
            "-" => left.wrapping_sub(right),
            "*" => left.wrapping_mul(right),
            "/" => left.checked_div(right).unwrap_or(0),
            _ => left.checked_rem(right).unwrap_or(0),
        };
    }
    left
}

fn operand(rest: &mut &[&str], n: u64) -> u64 {
    if takes(rest, "!") {
        return u64::from(operand(rest, n) == 0);
    }
    if takes(rest, "(") {
        let value = choice(rest, n);
        takes(rest, ")");
        return value;
    }
    match rest {
        [first, after @ ..] => {
            *rest = after;
            if *first == "n" {
                n
            } else {
                first.parse().unwrap_or(0)
            }
        }
        [] => 0,
    }
}
