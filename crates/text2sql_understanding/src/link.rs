//! Finds what the spans of a question mean: concepts, names of the schema, stored values, numbers and periods.

use std::ops::Range;
use text2sql_domain::words;

use crate::lexicon::{self, Concept, MAX_WORDS, canonical};
use crate::restated::restated;
use crate::said_periods::{Period, period_at};
use crate::schema::{Name, NameKind, Schema};
use crate::table_names::{canonicals, stems};
use crate::terms::taken;
use jiff::civil::Date;
use text2sql_language::edit_distance::typing_errors;
use text2sql_language::german::{nouns, proper_names};
use text2sql_language::names::english_words;
use text2sql_language::words::{Token, TokenKind, stem, tokenise};

/// Bytes of a word that can name something: the hexadecimal digits of the longest hash are 128. What follows looks at each
/// part of a word and at each name beside it.
const LONGEST_WORD: usize = 200;

/// A part of the question and what it may mean.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) words: Range<usize>,
    /// As it is written.
    pub(crate) text: String,
    pub(crate) concept: Option<Concept>,
    pub(crate) names: Vec<Name>,
    pub(crate) number: Option<String>,
    pub(crate) period: Option<Period>,
    /// The word that it is a misspelling of.
    pub(crate) read_as: Option<String>,
    /// The term of the glossary.
    pub(crate) term: Option<usize>,
}

impl Span {
    pub(crate) fn is(&self, concept: Concept) -> bool {
        self.concept == Some(concept)
    }

    /// "Who", which asks for people.
    pub(crate) fn asks_who(&self) -> bool {
        matches!(self.text.to_lowercase().as_str(), "who" | "wer")
    }

    /// Whether it says nothing that has to be explained.
    pub(crate) fn is_filler(&self) -> bool {
        self.is(Concept::Filler) && self.names.is_empty()
            || self.concept.is_none()
                && self.text.chars().all(|c| {
                    !c.is_alphanumeric() && !matches!(c, '€' | '$' | '%' | '<' | '>' | '=')
                })
    }
}

/// Cuts the question into the spans that explain most of it.
pub(crate) fn link(text: &str, is_german: bool, today: Date, schema: &Schema<'_>) -> Vec<Span> {
    let text = words_apart(&plain_numbers(&restated(text), is_german), schema);
    let tokens: Vec<Token> = tokenise(&text);
    let splits = says_comparison(&tokens);
    let days: Vec<Token> = tokens
        .iter()
        .map(|token| match lexicon::day_word(&token.lower) {
            Some(english) if token.kind == TokenKind::Word => Token::new(english, TokenKind::Word),
            _ => token.clone(),
        })
        .collect();
    let mut best: Vec<(f64, Option<Span>)> = vec![(0.0, None); tokens.len() + 1];
    for start in (0..tokens.len()).rev() {
        let mut chosen: (f64, Option<Span>) = (f64::NEG_INFINITY, None);
        let mut consider = |weight: f64, span: Span| {
            let rest = best.get(span.words.end).map_or(0.0, |(rest, _)| *rest);
            if weight + rest > chosen.0 {
                chosen = (weight + rest, Some(span));
            }
        };
        for length in 1..=MAX_WORDS.min(tokens.len() - start) {
            if let Some(span) = term_of(&tokens, start..start + length, schema) {
                consider(2.0 * length as f64 + 1.0, span);
            }
            if let Some((weight, span)) = span_of(&tokens, start..start + length, schema) {
                consider(weight, span);
            }
        }
        if let Some((period, length)) = period_at(&days, start, today, splits) {
            let span = Span {
                period: Some(period),
                ..plain(&tokens, start..start + length)
            };
            consider(1.5 * length as f64 + 1.0, span);
        }
        if let Some(slot) = best.get_mut(start) {
            *slot = chosen;
        }
    }
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some((_, Some(span))) = best.get(at) {
        at = span.words.end;
        spans.push(span.clone());
    }
    spans
}

/// A term of the glossary, which goes before names of the schema.
fn term_of(tokens: &[Token], words: Range<usize>, schema: &Schema<'_>) -> Option<Span> {
    let said = tokens.get(words.clone())?.iter();
    if said.clone().any(|token| token.kind != TokenKind::Word) {
        return None;
    }
    let said: Vec<String> = said.map(|token| token.lower.clone()).collect();
    let mut terms = schema.terms.iter().enumerate();
    let (term, taken) = terms.find_map(|(at, term)| Some((at, taken(term, &said, schema)?)))?;
    Some(Span {
        term: Some(term),
        ..plain(tokens, words.start..words.start + taken)
    })
}

/// "Durchschnittsgehalt" is an average "gehalt".
fn function_of_compound(word: &str) -> Option<(&'static str, &str)> {
    const FUNCTIONS: &[(&str, &str)] = &[("durchschnitts", "durchschnitt"), ("gesamt", "gesamt")];
    let mut functions = FUNCTIONS.iter();
    let (function, rest) =
        functions.find_map(|(start, function)| Some((*function, word.strip_prefix(start)?)))?;
    (rest.len() > 4 && lexicon::concept(word).is_none()).then_some((function, rest))
}

/// "Umsatzwachstum" is "Umsatz" and "Wachstum".
fn concepts_of_compound(word: &str) -> Option<(&str, &str)> {
    const FIGURES: &[&str] = &["umsatz", "erlös", "absatz"];
    let says = |part: &str| lexicon::concept(part).is_some_and(|one| one != Concept::Filler);
    let left = FIGURES.iter().find(|figure| word.starts_with(**figure))?;
    let (left, right) = word.split_at_checked(left.len())?;
    (right.len() > 4 && says(right) && lexicon::concept(word).is_none()).then_some((left, right))
}

/// "Mitarbeiterzahl" is a number of "Mitarbeiter", and a headcount one of employees.
fn counted_in_compound(word: &str, schema: &Schema<'_>) -> Option<String> {
    if word == "headcount" {
        let named = schema.named(&canonical("employee"), 0.05).into_iter();
        let mut tables = named.filter(|name| matches!(name.kind, NameKind::Table(_)));
        return tables.next().map(|_| "number of employees".to_owned());
    }
    let rest = ["anzahl", "zahl"]
        .iter()
        .find_map(|end| word.strip_suffix(end))?;
    let is_noun = nouns::noun(rest).is_some();
    (is_noun && lexicon::concept(word).is_none()).then(|| format!("Anzahl {rest}"))
}

/// "more than twice" is more than 2 times.
fn number_of_times(word: &str) -> Option<&'static str> {
    Some(match word {
        "once" | "einmal" => "1",
        "twice" | "zweimal" => "2",
        "thrice" | "dreimal" => "3",
        "viermal" => "4",
        "fünfmal" => "5",
        "zehnmal" => "10",
        _ => return None,
    })
}

/// Words that are two in one, taken apart: "Durchschnittsgehalt" is "Durchschnitt Gehalt", "longest-serving" is "longest
/// serving", and "inactive" of a column `active` is "not active".
fn words_apart(text: &str, schema: &Schema<'_>) -> String {
    let is_flag = |word: &str| {
        let named = schema.named(&canonical(word), 0.0).into_iter();
        let mut columns = named.filter(|name| name.score > 0.9).map(|name| name.kind);
        columns.any(
            |kind| matches!(kind, NameKind::Column(table, column) if schema.is_flag(table, column)),
        )
    };
    let mut before = String::new();
    let words = text.split(' ').map(|word| {
        let lower = word.to_lowercase();
        let core = lower.trim_end_matches(['?', '!', ',', '.']);
        let is_bound =
            words!("than, least, als, mindestens, exactly, genau").contains(&before.as_str());
        before = core.to_owned();
        // "40-mal", "3x"
        let counted = core.strip_suffix("mal").or_else(|| core.strip_suffix('x'));
        let counted = counted.map(|number| number.trim_end_matches('-'));
        let counted = counted
            .filter(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
        if let Some(times) = number_of_times(core).filter(|_| is_bound).or(counted) {
            return lower.replacen(core, &format!("{times} times"), 1);
        }
        if let Some((left, right)) = concepts_of_compound(core) {
            return lower.replacen(core, &format!("{left} {right}"), 1);
        }
        if let Some((function, rest)) = function_of_compound(&lower) {
            return format!("{function} {rest}");
        }
        if let Some(apart) = counted_in_compound(core, schema) {
            return lower.replacen(core, &apart, 1);
        }
        // "german-language films"
        let spoken = [
            "-language",
            "-speaking",
            "-rated",
            "sprachige",
            "sprachigen",
        ]
        .iter()
        .find_map(|end| core.strip_suffix(end));
        if let Some(value) = spoken.and_then(|value| word.get(..value.len())) {
            return value.to_owned();
        }
        let spaced = core.replace('-', " ");
        if spaced != core && lexicon::concept(core).is_none() && lexicon::concept(&spaced).is_some()
        {
            return lower.replacen(core, &spaced, 1);
        }
        let opposite = ["in", "un"].iter().find_map(|no| core.strip_prefix(no));
        match opposite.filter(|opposite| opposite.len() > 3 && is_flag(opposite)) {
            Some(_) if schema.named(&canonical(core), 0.0).is_empty() => {
                format!("not {}", word.get(2..).unwrap_or_default())
            }
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// German numbers as English has them: "1.500,50" is 1500.50.
fn plain_numbers(text: &str, is_german: bool) -> String {
    if !is_german {
        return text.to_owned();
    }
    let is_grouped = |word: &str| {
        let mut groups = word.split('.');
        let first = groups.next().unwrap_or_default();
        let rest: Vec<&str> = groups.collect();
        !rest.is_empty()
            && (1..=3).contains(&first.len())
            && first.bytes().all(|b| b.is_ascii_digit())
            && rest
                .iter()
                .all(|group| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit()))
    };
    let words = text.split(' ').map(|word| {
        let core = word.trim_end_matches(['?', '!', ',', '.']);
        let (whole, fraction) = core.split_once(',').unwrap_or((core, ""));
        let is_fraction = fraction.bytes().all(|b| b.is_ascii_digit());
        if is_fraction
            && (is_grouped(whole)
                || !fraction.is_empty() && whole.bytes().all(|b| b.is_ascii_digit()))
        {
            let whole = whole.replace('.', "");
            match fraction {
                "" => whole,
                fraction => format!("{whole}.{fraction}"),
            }
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn plain(tokens: &[Token], words: Range<usize>) -> Span {
    let text: Vec<&str> = tokens
        .get(words.clone())
        .unwrap_or_default()
        .iter()
        .map(|token| token.text.as_str())
        .collect();
    Span {
        words,
        text: text.join(" "),
        concept: None,
        names: Vec::new(),
        number: None,
        period: None,
        read_as: None,
        term: None,
    }
}

/// Whether two periods are compared: "from 1997 to 1998" is not one stretch then.
fn says_comparison(tokens: &[Token]) -> bool {
    let is_comparison =
        |concept: Option<Concept>| matches!(concept, Some(Concept::Growth | Concept::Compare));
    tokens
        .iter()
        .any(|token| is_comparison(lexicon::concept(&token.lower)))
}

/// Words that say nothing in most questions, and are things where a table is called so.
const OFTEN_THINGS: [&str; 3] = ["member", "result", "results"];

fn names_a_table(word: &str, schema: &Schema<'_>) -> bool {
    let named = schema.named(&stem(word), 0.0);
    named
        .iter()
        .any(|name| matches!(name.kind, NameKind::Table(_)) && name.score >= 1.0)
}

fn span_of(tokens: &[Token], words: Range<usize>, schema: &Schema<'_>) -> Option<(f64, Span)> {
    let length = words.len() as f64;
    let parts = tokens.get(words.clone())?;
    let mut span = plain(tokens, words.clone());
    if let [token] = parts {
        if token.kind == TokenKind::Possessive
            || token.kind == TokenKind::Stop
            || token.kind == TokenKind::Comma
        {
            span.concept = Some(Concept::Filler);
            return Some((0.1, span));
        }
        span.number = match token.kind {
            TokenKind::Number => token.number.clone(),
            TokenKind::Word => number_word(token),
            _ => None,
        };
    }
    let is_text = |token: &Token| {
        matches!(
            token.kind,
            TokenKind::Word | TokenKind::Quoted | TokenKind::Number | TokenKind::Symbol
        )
    };
    let is_endless =
        |token: &Token| token.kind == TokenKind::Word && token.text.len() > LONGEST_WORD;
    if parts.iter().any(is_endless) {
        return (parts.len() == 1).then_some((-0.5, span));
    }
    // "Ph.D." and "Comp. Sci." are one value each.
    let has_stop = parts.iter().any(|token| token.kind == TokenKind::Stop);
    let is_abbreviated = parts.first().is_some_and(is_text)
        && parts
            .iter()
            .all(|token| is_text(token) || token.kind == TokenKind::Stop && token.text == ".");
    if has_stop && is_abbreviated {
        return abbreviated(span, parts, schema);
    }
    // "salary >" is no name.
    let is_sign = |token: &Token| token.text.contains(['<', '>', '=']);
    let has_sign = parts.len() > 1 && parts.iter().any(is_sign);
    if has_sign || parts.iter().any(|token| !is_text(token)) {
        return None;
    }
    let lower: Vec<&str> = parts.iter().map(|token| token.lower.as_str()).collect();
    let phrase = lower.join(" ");
    span.concept = lexicon::concept(&phrase);
    // "US" is a country, "us" is not.
    if let [token] = parts
        && span.concept == Some(Concept::Filler)
        && token.text.len() > 1
        && token.text.chars().all(char::is_uppercase)
        && !lexicon::places(&phrase).is_empty()
    {
        span.concept = None;
    }
    // "A member of the club", but "the member with the most loans", where members are a table.
    if OFTEN_THINGS.contains(&phrase.as_str()) && names_a_table(&phrase, schema) {
        span.concept = None;
    }
    let is_quoted = parts.iter().any(|token| token.kind == TokenKind::Quoted);
    // The grade "A" is no article.
    let is_letter = words.start > 0 && phrase == "a" && span.text == "A";
    if is_quoted || is_letter {
        span.concept = None;
    }
    let own: Vec<String> = lower
        .iter()
        .flat_map(|word| word.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let is_number_only = parts.iter().all(|token| token.kind == TokenKind::Number);
    // Only a capital letter is a value.
    let is_ending = !is_quoted && phrase.chars().count() == 1 && span.text == phrase;
    if !is_number_only && !own.is_empty() && !is_ending {
        span.names = names_of(&own, &phrase, schema, is_quoted, span.concept);
    }
    // "still" and "price" are words of questions, whoever is called so.
    if let [word] = own.as_slice()
        && !is_quoted
        && (span.concept.is_some()
            || lexicon::is_noun(word) && span.text == *word
            || !proper_names::in_english(word).is_empty()
            || lexicon::day_word(word).is_some())
    {
        span.names
            .retain(|name| !matches!(name.kind, NameKind::Value(table, column, _) if schema.is_name_of_person(table, column)));
    }
    let best = span.names.iter().map(|name| name.score).fold(0.0, f64::max);
    let is_known = span.concept.is_some() || span.number.is_some() || !span.names.is_empty();
    if !is_known && parts.len() > 1 {
        return None;
    }
    if let [token] = parts
        && !is_known
        && token.text == token.lower
        && schema.has_root(&token.lower)
    {
        span.concept = Some(Concept::Verb("relate"));
        return Some((0.9, span));
    }
    if let [token] = parts
        && !is_known
        && token.text == token.lower
        && schema.has_date_root(&token.lower)
    {
        span.concept = Some(Concept::Verb("done"));
        return Some((0.9, span));
    }
    if !is_known {
        return Some((misspelt(parts, &mut span, schema), span));
    }
    let explained = match span.concept {
        Some(Concept::Filler) if span.names.is_empty() => 0.9,
        Some(_) => 1.0,
        None => 0.6 + 0.4 * best,
    };
    // "phone number" is no number of something.
    let is_compound = !span.names.is_empty() && lexicon::compound_noun(&own).is_some();
    let whole = if is_compound { 0.5 } else { 0.0 };
    Some((length * explained + 0.35 * (length - 1.0) + whole, span))
}

/// Whether a code of one or two letters is that of a place or of a gender: "F" may be a grade as well.
fn is_of_its_kind(name: &Name, place: &str, schema: &Schema<'_>) -> bool {
    let kinds: &[&str] = match place.len() {
        1 => &["sex", "gender"],
        2 => &["state", "country", "nation", "region", "province", "county"],
        _ => return true,
    };
    match name.kind {
        NameKind::Value(table, column, _) => {
            let words = schema.column_words(table, column);
            words.iter().any(|word| kinds.contains(&word.as_str()))
        }
        _ => true,
    }
}

/// A stored value with full stops.
fn abbreviated(mut span: Span, parts: &[Token], schema: &Schema<'_>) -> Option<(f64, Span)> {
    let words: Vec<String> = parts
        .iter()
        .flat_map(|token| token.lower.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    span.names = schema.valued(&stems(&words));
    let length = parts.len() as f64;
    (words.len() > 1 && !span.names.is_empty()).then_some((1.3 * length, span))
}

fn number_word(token: &Token) -> Option<String> {
    let german = lexicon::day_word(&token.lower).map(|word| Token::new(word, TokenKind::Word));
    let number = token
        .number
        .clone()
        .or_else(|| german.and_then(|word| word.number));
    number
        .filter(|_| !matches!(token.lower.as_str(), "once" | "twice" | "zero"))
        .or_else(|| match token.lower.as_str() {
            "sieben" => Some("7".to_owned()),
            "acht" => Some("8".to_owned()),
            "neun" => Some("9".to_owned()),
            "zehn" => Some("10".to_owned()),
            "zwanzig" => Some("20".to_owned()),
            _ => None,
        })
}

/// "The type of subscription" is the column `subscription_type`; the name of a thing that is a table is none of this.
fn named_in_turn(own: &[String], schema: &Schema<'_>) -> Vec<Name> {
    let [what, of, rest @ ..] = own else {
        return Vec::new();
    };
    if lexicon::concept(of) != Some(Concept::Filler) {
        return Vec::new();
    }
    let is_article = |word: &String| lexicon::concept(word) == Some(Concept::Filler);
    let thing: Vec<String> = rest
        .iter()
        .skip_while(|word| is_article(word))
        .cloned()
        .collect();
    let is_table = |name: &Name| matches!(name.kind, NameKind::Table(_));
    if thing.is_empty() || schema.named(&stems(&thing), 0.0).iter().any(is_table) {
        return Vec::new();
    }
    let mut names = schema.named(&stems(&[thing, vec![what.clone()]].concat()), 0.05);
    names.retain(|name| !is_table(name));
    names
}

fn names_of(
    own: &[String],
    phrase: &str,
    schema: &Schema<'_>,
    is_quoted: bool,
    concept: Option<Concept>,
) -> Vec<Name> {
    let mut found: Vec<Name> = Vec::new();
    let mut add = |names: Vec<Name>| {
        for name in names {
            match found.iter_mut().find(|known| known.kind == name.kind) {
                Some(known) => known.score = known.score.max(name.score),
                None => found.push(name),
            }
        }
    };
    let is_function = concept.is_some_and(|concept| {
        matches!(
            concept,
            Concept::Filler
                | Concept::By
                | Concept::And
                | Concept::Or
                | Concept::Not
                | Concept::Each
        )
    });
    let key = stems(own);
    // "orders by month" is a question, whatever a table is called.
    let is_phrase = own.len() > 1
        && !phrase.contains('_')
        && own
            .iter()
            .any(|word| lexicon::concept(word) == Some(Concept::By));
    if is_phrase && !is_quoted {
        return found;
    }
    if !(is_quoted || is_function && own.len() == 1) {
        add(schema.named_as(&key, 0.0, phrase.contains('_')));
        add(schema.named(&canonicals(own), 0.05));
        if own.len() > 1 {
            add(schema.named(&stem(&own.concat()), 0.05));
        }
        if let Some(noun) = lexicon::compound_noun(own) {
            add(schema.named(&noun, 0.05));
        }
        add(named_in_turn(own, schema));
        if let [word] = own {
            if let Some(noun) = nouns::noun(word) {
                for (at, english) in noun.english.iter().enumerate() {
                    add(schema.named(&stem(english), 0.05 + 0.02 * at as f64));
                }
            }
            if let Some((left, right)) = lexicon::compound(word) {
                add(schema.named(&format!("{left}{right}"), 0.1));
                // "Filmlänge" is the length of a film.
                let of = schema
                    .named(&left, 0.0)
                    .into_iter()
                    .filter_map(|name| match name.kind {
                        NameKind::Table(table) if name.score >= 0.9 => Some(table),
                        _ => None,
                    });
                let of: Vec<usize> = of.collect();
                let mut parts = schema.named(&right, 0.1);
                parts.retain(
                    |name| matches!(name.kind, NameKind::Column(table, _) if of.contains(&table)),
                );
                add(parts);
                // "Zahlungsbetrag" is what a payment amounts to.
                if [canonical("amount"), canonical("value")].contains(&right) {
                    add(schema.named(&left, 0.1));
                }
            }
        }
    }
    if is_function && !is_quoted {
        return found;
    }
    // "products" are no rows of the level "Product": only a kind is named by its plural.
    let is_kind = |name: &Name| match &name.kind {
        NameKind::Value(table, column, value) => {
            let is_plural = own.len() == 1 && phrase.ends_with('s');
            let is_one = !value.to_lowercase().ends_with('s');
            !(is_plural && is_one)
                || schema.column_words(*table, *column).iter().any(|word| {
                    words!("type, kind, category, class, status, role, group, segment, genre")
                        .contains(&word.as_str())
                })
        }
        _ => true,
    };
    let stored: Vec<Name> = schema.valued(&key).into_iter().filter(is_kind).collect();
    let is_stored = !stored.is_empty();
    add(stored);
    // A value that is stored so needs no other name.
    if is_stored {
        return found;
    }
    for place in lexicon::places(phrase) {
        let words: Vec<String> = place.split(' ').map(str::to_lowercase).collect();
        for key in [stems(&[place.to_lowercase()]), stems(&words)] {
            let named = schema.valued(&key).into_iter();
            add(named
                .filter(|name| is_of_its_kind(name, place, schema))
                .collect());
        }
    }
    for name in proper_names::in_english(phrase) {
        let words: Vec<String> = name.split(' ').map(str::to_lowercase).collect();
        add(schema.valued(&stems(&words)));
    }
    if let ([word], true, None) = (own, found.is_empty(), concept) {
        let states = states_of(word, schema);
        return match states.is_empty() {
            true => measured(word, schema),
            false => states,
        };
    }
    found
}

/// What was measured, in the word of a verb: "scored" is of a score.
fn measured(word: &str, schema: &Schema<'_>) -> Vec<Name> {
    let Some(noun) = word.strip_suffix('d').filter(|noun| noun.ends_with('e')) else {
        return Vec::new();
    };
    let mut names = schema.named(&stem(noun), 0.1);
    names.retain(|name| match name.kind {
        NameKind::Column(table, column) => schema.is_numeric(table, column),
        _ => false,
    });
    names
}

/// What became of rows, in the word of a verb: "failed" is the result "Fail".
fn states_of(word: &str, schema: &Schema<'_>) -> Vec<Name> {
    let is_state = |name: &Name| match name.kind {
        NameKind::Value(table, column, _) => {
            let words = schema.column_words(table, column);
            words.iter().any(|word| {
                words!("status, state, result, outcome, stage, phase").contains(&word.as_str())
            })
        }
        _ => false,
    };
    let root = word.strip_suffix("ed").filter(|root| root.len() > 3);
    // "stopped" is of "stop".
    let single = root.filter(|root| {
        let mut last = root.chars().rev();
        last.next() == last.next()
    });
    let single = single.and_then(|root| root.get(..root.len() - 1));
    let roots = root.into_iter().chain(single);
    let stored = roots.flat_map(|root| schema.valued(&stem(root)));
    stored.filter(is_state).collect()
}

/// A word that is a typing error away from one that is known.
fn misspelt(parts: &[Token], span: &mut Span, schema: &Schema<'_>) -> f64 {
    let [token] = parts else { return -1.0 };
    if token.kind != TokenKind::Word
        || token.lower.chars().count() < 4
        || english_words::level(&token.lower).is_some()
        || lexicon::is_noun(&token.lower)
    {
        return -0.5;
    }
    let mut best: Option<(usize, String)> = None;
    let mut consider = |word: &str| {
        let lower = word.to_lowercase();
        // "gmail" is no "email", and "gestellt" not "bestellt": the first letter is seldom wrong.
        if !begins_alike(&token.lower, &lower) {
            return;
        }
        let errors = typing_errors(&token.lower, &lower)
            .or_else(|| typing_errors(&token.lower, &format!("{lower}s")))
            .or_else(|| short_errors(&token.lower, &lower));
        if let Some(errors) = errors
            && best.as_ref().is_none_or(|(known, _)| errors < *known)
        {
            best = Some((errors, lower));
        }
    };
    lexicon::spelled_words().for_each(&mut consider);
    schema.words().for_each(|word| consider(&word));
    schema.value_words().for_each(&mut consider);
    let Some((_, word)) = best else { return -0.5 };
    span.concept = lexicon::concept(&word);
    span.names = names_of(
        std::slice::from_ref(&word),
        &word,
        schema,
        false,
        span.concept,
    );
    span.read_as = Some(word);
    0.5
}

/// Whether two words have the same first letter, or the first two in turn.
fn begins_alike(one: &str, other: &str) -> bool {
    let start = |word: &str| {
        let mut letters = word.chars();
        (letters.next(), letters.next())
    };
    let ((first, second), (third, fourth)) = (start(one), start(other));
    first == third || (first, second) == (fourth, third)
}

/// One letter missing in a short word: "Kuden", "wich".
fn short_errors(one: &str, other: &str) -> Option<usize> {
    let (shorter, longer) = (one.chars().count(), other.chars().count());
    let is_near =
        shorter >= 4 && longer == shorter + 1 && one.chars().next() == other.chars().next();
    if !is_near {
        return None;
    }
    let mut rest = other.chars();
    one.chars()
        .all(|wanted| rest.any(|c| c == wanted))
        .then_some(1)
}
