//! Reads the items of a table's definition: columns, keys and lists of permitted values.

use text2sql_domain::dialect::Dialect;
use text2sql_domain::schema::Column;

use super::tokens::{Kind, Token};
use super::type_category::{category, is_type};

/// Maximum number of characters of a type that is shown.
const MAX_TYPE_CHARS: usize = 200;

/// A table that is being read.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) columns: Vec<Column>,
    pub(super) primary_key: Vec<String>,
    pub(super) unique_keys: Vec<Vec<String>>,
    pub(super) references: Vec<Reference>,
    pub(super) comment: Option<String>,
    /// Tables whose columns it also has.
    pub(super) parents: Vec<Vec<String>>,
}

/// A foreign key before its target is known.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    pub(super) columns: Vec<String>,
    pub(super) target: Vec<String>,
    pub(super) target_columns: Vec<String>,
}

/// Words that end the type of a column.
const ENDS_OF_TYPE: [&str; 31] = [
    "not",
    "null",
    "default",
    "primary",
    "unique",
    "check",
    "references",
    "constraint",
    "comment",
    "auto_increment",
    "autoincrement",
    "identity",
    "generated",
    "collate",
    "charset",
    "character_set",
    "on",
    "as",
    "encode",
    "rowguidcol",
    "sparse",
    "persisted",
    "key",
    "invisible",
    "visible",
    "storage",
    "compression",
    "masked",
    "options",
    "virtual",
    "stored",
];

/// Reads names in parentheses, which begin at the first token; the rest of each item (a length, an order) is
/// skipped. Also gives the number of tokens read.
pub(super) fn name_list(tokens: &[Token], dialect: Dialect) -> (Vec<String>, usize) {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let mut is_name = false;
    for (place, token) in tokens.iter().enumerate() {
        if token.is_sign('(') {
            depth += 1;
            is_name = depth == 1;
        } else if token.is_sign(')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return (names, place + 1);
            }
        } else if token.is_sign(',') && depth == 1 {
            is_name = true;
        } else if std::mem::take(&mut is_name)
            && let Some(name) = name_of(token, dialect)
        {
            names.push(name);
        }
        if depth == 0 {
            break;
        }
    }
    (names, tokens.len())
}

/// The name that a token is, folded as the dialect stores it.
pub(super) fn name_of(token: &Token, dialect: Dialect) -> Option<String> {
    match &token.kind {
        Kind::Word(word) if dialect == Dialect::PostgreSql => Some(word.to_lowercase()),
        Kind::Word(name) | Kind::Quoted(name) | Kind::Text(name) => {
            Some(name.clone()).filter(|name| !name.is_empty())
        }
        Kind::Number | Kind::Sign(_) | Kind::Comment(_) => None,
    }
}

/// A name of several parts at the beginning of the tokens, and the number of tokens that it takes.
pub(super) fn qualified_name(tokens: &[Token], dialect: Dialect) -> (Vec<String>, usize) {
    let mut parts = Vec::new();
    let mut place = 0;
    while let Some(name) = tokens.get(place).and_then(|token| name_of(token, dialect)) {
        parts.push(name);
        place += 1;
        match tokens.get(place) {
            Some(token) if token.is_sign('.') => place += 1,
            _ => break,
        }
    }
    (parts, place)
}

impl Draft {
    /// Reads one item of the list in parentheses. `text` is the whole DDL text.
    pub(super) fn read_item(&mut self, item: &[Token], text: &str, dialect: Dialect) {
        let mut rest = item;
        if let [first, second, tail @ ..] = item
            && first.is("constraint")
            && name_of(second, dialect).is_some()
        {
            rest = tail;
        }
        let Some(first) = rest.first() else {
            return;
        };
        let second_is = |word: &str| rest.get(1).is_some_and(|token| token.is(word));
        let opens = |place: usize| rest.get(place).is_some_and(|token| token.is_sign('('));
        if first.is("primary") && second_is("key") {
            self.primary_key = list_after(rest, dialect);
        } else if first.is("foreign") && second_is("key") {
            self.read_foreign_key(rest, dialect);
        } else if first.is("unique") && (opens(1) || !is_column(rest)) {
            let names = list_after(rest, dialect);
            self.unique_keys
                .extend(Some(names).filter(|names| !names.is_empty()));
        } else if first.is("check") && opens(1) {
            self.read_check(rest);
        } else if first.is("like") {
            let (parent, _) = qualified_name(rest.get(1..).unwrap_or_default(), dialect);
            self.parents.push(parent);
        } else if first.is_any(&["exclude", "period", "fulltext", "spatial"]) && !is_column(rest)
            || first.is_any(&["key", "index"]) && (dialect == Dialect::MySql || is_index(rest))
        {
            // Defines no column.
        } else {
            self.read_column(item, text, dialect);
        }
    }

    /// A foreign key of the table, from `FOREIGN` on.
    pub(super) fn read_foreign_key(&mut self, tokens: &[Token], dialect: Dialect) {
        let Some(open) = tokens.iter().position(|token| token.is_sign('(')) else {
            return;
        };
        let (columns, length) = name_list(tokens.get(open..).unwrap_or_default(), dialect);
        let rest = tokens.get(open + length..).unwrap_or_default();
        if let Some(reference) = reference(rest, columns, dialect) {
            self.references.push(reference);
        }
    }

    /// Takes the values of `column IN ('a', 'b')`, or of the form that PostgreSQL stores, as those of the column.
    pub(super) fn read_check(&mut self, tokens: &[Token]) {
        let is_list = tokens.iter().any(|token| token.is_any(&["in", "any"]));
        let is_more = tokens.iter().any(|token| {
            token.is_any(&["or", "and", "not", "like", "between"])
                || matches!(token.kind, Kind::Sign('<' | '>' | '~' | '!'))
        });
        if !is_list || is_more {
            return;
        }
        let named = tokens.iter().find_map(|token| match &token.kind {
            Kind::Word(name) | Kind::Quoted(name) => self
                .columns
                .iter()
                .position(|column| column.name.eq_ignore_ascii_case(name)),
            _ => None,
        });
        let values: Vec<String> = tokens
            .iter()
            .filter_map(|token| match &token.kind {
                Kind::Text(text) => Some(text.clone()),
                _ => None,
            })
            .collect();
        if let Some(column) = named.and_then(|place| self.columns.get_mut(place))
            && !values.is_empty()
        {
            column.enum_labels = values;
        }
    }

    /// A column with its constraints.
    pub(super) fn read_column(&mut self, item: &[Token], text: &str, dialect: Dialect) {
        let Some(name) = item.first().and_then(|token| name_of(token, dialect)) else {
            return;
        };
        let rest = item.get(1..).unwrap_or_default();
        let end = end_of_type(rest);
        let of_type = rest.get(..end).unwrap_or_default();
        let type_name = source(of_type, text);
        let mut column = Column {
            number: i16::try_from(self.columns.len() + 1).unwrap_or(i16::MAX),
            name: name.clone(),
            category: category(&type_name),
            type_name,
            ..Column::default()
        };
        if of_type
            .first()
            .is_some_and(|token| token.is_any(&["enum", "set"]))
        {
            column.enum_labels = texts(of_type);
            column.type_name = of_type
                .first()
                .map(|token| source(std::slice::from_ref(token), text))
                .unwrap_or_default();
        }
        let is_serial = column.type_name.to_lowercase().contains("serial");
        column.is_identity = is_serial && dialect == Dialect::PostgreSql;
        column.not_null = is_serial;
        self.columns.push(column);
        self.read_constraints(&name, rest.get(end..).unwrap_or_default(), dialect);
    }

    fn read_constraints(&mut self, name: &str, tokens: &[Token], dialect: Dialect) {
        let mut place = 0;
        while let Some(token) = tokens.get(place) {
            let behind = tokens.get(place + 1..).unwrap_or_default();
            let next_is = |word: &str| behind.first().is_some_and(|token| token.is(word));
            if token.is("not") && next_is("null") {
                self.last(|column| column.not_null = true);
            } else if token.is("primary") && next_is("key") {
                self.primary_key = vec![name.to_owned()];
                self.last(|column| column.not_null = true);
            } else if token.is("unique") {
                self.unique_keys.push(vec![name.to_owned()]);
            } else if token.is("references") {
                let columns = vec![name.to_owned()];
                self.references.extend(reference(
                    tokens.get(place..).unwrap_or_default(),
                    columns,
                    dialect,
                ));
            } else if token.is("comment") {
                let comment = behind.iter().take(2).find_map(text_of);
                self.last(|column| column.comment = comment.clone().or(column.comment.take()));
            } else if token.is("check") {
                let length = closing(behind);
                self.read_check(behind.get(..length).unwrap_or_default());
                place += length;
            } else if token.is("generated") || token.is("as") {
                let is_identity = behind.iter().any(|token| token.is("identity"));
                self.last(|column| {
                    column.is_identity |= is_identity;
                    column.is_generated |= !is_identity;
                });
            } else if token.is_any(&["identity", "auto_increment", "autoincrement"]) {
                self.last(|column| column.is_identity = true);
            }
            // What is in parentheses belongs to the word before: a default, an expression.
            place += 1;
            if tokens.get(place).is_some_and(|token| token.is_sign('(')) {
                place += closing(tokens.get(place..).unwrap_or_default());
            }
        }
    }

    fn last(&mut self, change: impl FnOnce(&mut Column)) {
        if let Some(column) = self.columns.last_mut() {
            change(column);
        }
    }
}

/// Whether an item that begins with a word such as UNIQUE or KEY is a column of that name: a type follows.
fn is_column(item: &[Token]) -> bool {
    let Some(Kind::Word(word)) = item.get(1).map(|token| &token.kind) else {
        return false;
    };
    is_type(word)
}

/// Whether an item that begins with KEY or INDEX is an index.
fn is_index(item: &[Token]) -> bool {
    let list = item.iter().position(|token| token.is_sign('('));
    let Some(place) = list.filter(|place| *place <= 4) else {
        return false;
    };
    let holds_name = item.get(place + 1).is_some_and(|token| {
        matches!(
            token.kind,
            Kind::Word(_) | Kind::Quoted(_) | Kind::Sign('(')
        )
    });
    holds_name && !is_column(item)
}

/// The names in the first parentheses.
fn list_after(tokens: &[Token], dialect: Dialect) -> Vec<String> {
    let open = tokens.iter().position(|token| token.is_sign('('));
    open.and_then(|open| tokens.get(open..))
        .map(|tokens| name_list(tokens, dialect).0)
        .unwrap_or_default()
}

/// The reference of `REFERENCES target (columns)`, which begins at the first token or behind it.
fn reference(tokens: &[Token], columns: Vec<String>, dialect: Dialect) -> Option<Reference> {
    let place = tokens.iter().position(|token| token.is("references"))?;
    let rest = tokens.get(place + 1..)?;
    let (target, length) = qualified_name(rest, dialect);
    let behind = rest.get(length..).unwrap_or_default();
    let has_columns = behind.first().is_some_and(|token| token.is_sign('('));
    let target_columns = match has_columns {
        true => name_list(behind, dialect).0,
        false => Vec::new(),
    };
    (!target.is_empty() && !columns.is_empty()).then_some(Reference {
        columns,
        target,
        target_columns,
    })
}

/// Number of tokens of the type at the beginning.
fn end_of_type(tokens: &[Token]) -> usize {
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        if token.is_sign('(') {
            place += closing(tokens.get(place..).unwrap_or_default());
            continue;
        }
        let ends = match &token.kind {
            Kind::Text(_) | Kind::Number => true,
            // The first word is the type whatever it is: a type may be called `key`.
            _ if place == 0 => token.is_any(&[
                "not",
                "null",
                "default",
                "primary",
                "unique",
                "references",
                "check",
                "as",
                "generated",
                "constraint",
            ]),
            _ if token.is("character") => tokens.get(place + 1).is_some_and(|next| next.is("set")),
            _ => token.is_any(&ENDS_OF_TYPE),
        };
        if ends {
            break;
        }
        place += 1;
    }
    place
}

/// Number of tokens up to and with the parenthesis that closes the first one.
pub(super) fn closing(tokens: &[Token]) -> usize {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate() {
        if token.is_sign('(') {
            depth += 1;
        } else if token.is_sign(')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return place + 1;
            }
        }
    }
    tokens.len()
}

/// The texts among the tokens.
fn texts(tokens: &[Token]) -> Vec<String> {
    tokens.iter().filter_map(text_of).collect()
}

/// The text that a token is; MySQL writes some in double quotes.
pub(super) fn text_of(token: &Token) -> Option<String> {
    match &token.kind {
        Kind::Text(text) | Kind::Quoted(text) => Some(text.clone()),
        _ => None,
    }
}

/// The tokens as they are written, with single spaces.
fn source(tokens: &[Token], text: &str) -> String {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
        return String::new();
    };
    let written = text.get(first.start..last.end).unwrap_or_default();
    let written: Vec<&str> = written.split_whitespace().collect();
    let written = written.join(" ");
    let name: String = written
        .chars()
        .filter(|c| {
            !matches!(c, '[' | ']' | '`') || written.ends_with(']') && !written.starts_with('[')
        })
        .take(MAX_TYPE_CHARS)
        .collect();
    match name.chars().any(|c| c.is_ascii_lowercase()) {
        true => name,
        false => name.to_lowercase(),
    }
}
