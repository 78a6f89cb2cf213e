//! Schema-independent analysis of a question: its words, language, numbers, phrases and periods.
//!
//! It is created at the start of the pipeline and passed to every stage, so no stage splits the question text
//! into words again. Words are computed immediately, because nearly every stage reads them; the rest is
//! computed on first use and cached.

mod asked_part;
mod name_words;
mod phrases;
mod written_words;

pub use self::name_words::name_words;
pub use self::phrases::{Mark, SpokenPhrase};
pub use self::written_words::{WrittenWord, written_words};

use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use crate::function_words;
use crate::german;
use crate::names::english_words;
use crate::numbers::{self, Stated};
use crate::periods::mentioned::{MentionedPeriod, mentioned_periods};
use crate::plain_words::NamesNothing;
use crate::terms::{Analyzer, fold, is_function_word, split};
use crate::words::{self, Token};
use text2sql_phrases::Language;

/// A question with its schema-independent analysis.
#[derive(Debug)]
pub struct Understanding {
    text: String,
    today: String,
    words: Vec<String>,
    /// Positions of the words in the text.
    places: Vec<Range<usize>>,
    parts: OnceCell<Vec<String>>,
    folded: OnceCell<String>,
    name_words: Vec<String>,
    written_words: Vec<WrittenWord>,
    tokens: OnceCell<Tokens>,
    numbers: OnceCell<Vec<Stated>>,
    digits: OnceCell<Vec<String>>,
    plain_words: OnceCell<NamesNothing>,
    phrases: OnceCell<Vec<SpokenPhrase>>,
    periods: OnceCell<Vec<MentionedPeriod>>,
    /// The language of its function words, if not English; see [`function_words::language_of`].
    foreign: OnceCell<Option<usize>>,
    /// See [`Understanding::written_language`].
    written_language: OnceCell<Option<&'static str>>,
    /// By language of the analyzer: the search index has its own language, scores use English.
    terms: RefCell<Vec<(String, Rc<[String]>)>>,
}

/// The tokens of a question.
#[derive(Debug)]
struct Tokens {
    /// The original tokens.
    own: Vec<Token>,
    /// The tokens of a German question, translated to the English words of the grammar.
    translated: Option<Vec<Token>>,
}

impl Understanding {
    /// Analyses the text of a question asked on the day `today`, `YYYY-MM-DD`.
    pub fn of(text: &str, today: &str) -> Self {
        let places = runs(text);
        let words = places.iter().filter_map(|place| text.get(place.clone()));
        Self {
            text: text.to_owned(),
            today: today.to_owned(),
            words: words.map(str::to_lowercase).collect(),
            places,
            parts: OnceCell::new(),
            folded: OnceCell::new(),
            name_words: name_words(text),
            written_words: written_words(text),
            tokens: OnceCell::new(),
            numbers: OnceCell::new(),
            digits: OnceCell::new(),
            plain_words: OnceCell::new(),
            phrases: OnceCell::new(),
            periods: OnceCell::new(),
            foreign: OnceCell::new(),
            written_language: OnceCell::new(),
            terms: RefCell::default(),
        }
    }

    /// The text of the question.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The day of the question, `YYYY-MM-DD`.
    pub fn today(&self) -> &str {
        &self.today
    }

    /// Its runs of letters and digits, in lower case.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The question alone, without the notes, the evidence and the formulas beside it; `None` if there are none.
    pub fn without_notes(&self) -> Option<Self> {
        let asked = asked_part::asked_part(&self.text);
        (asked != self.text.trim()).then(|| Self::of(&asked, &self.today))
    }

    /// Consecutive words in their original spelling, separated by one blank.
    pub fn as_written(&self, words: Range<usize>) -> String {
        let places = self.places.get(words).unwrap_or_default();
        let written = places
            .iter()
            .filter_map(|place| self.text.get(place.clone()));
        written.collect::<Vec<_>>().join(" ")
    }

    /// Where consecutive words are in the text, in bytes.
    pub fn place_of(&self, words: Range<usize>) -> Option<Range<usize>> {
        let places = self.places.get(words)?;
        Some(places.first()?.start..places.last()?.end)
    }

    /// Whether a quotation mark is before the word: it begins a title.
    pub fn is_quoted(&self, word: usize) -> bool {
        let start = self.places.get(word).map_or(0, |place| place.start);
        let before = self.text.get(..start).unwrap_or_default();
        before.ends_with(['"', '\'', '“', '„', '‘', '«', '»', '`'])
    }

    /// Its words split as the search index splits names, without case and accents; see [`split`].
    pub fn parts(&self) -> &[String] {
        self.parts.get_or_init(|| split(&self.text))
    }

    /// The text without case and accents.
    pub fn folded(&self) -> &str {
        self.folded.get_or_init(|| fold(&self.text))
    }

    /// Its words for a name search; see [`name_words`].
    pub fn name_words(&self) -> &[String] {
        &self.name_words
    }

    /// Its words in their original spelling, with the signs that are more than punctuation.
    pub fn written_words(&self) -> &[WrittenWord] {
        &self.written_words
    }

    /// Whether it is read with the German grammar.
    pub fn is_german(&self) -> bool {
        self.cut().translated.is_some()
    }

    /// The language that it is answered in: its own, where the catalogue has it.
    pub fn language(&self) -> Language {
        let own = match self.is_german() {
            true => Some("de"),
            // What the German grammar does not read as German is answered in English.
            false => self.written_language().filter(|tag| *tag != "de"),
        };
        own.and_then(Language::named).unwrap_or_default()
    }

    /// The code of the language that it is written in; `None` if it is in a script without function words.
    pub fn written_language(&self) -> Option<&'static str> {
        *self
            .written_language
            .get_or_init(|| self.find_written_language())
    }

    fn find_written_language(&self) -> Option<&'static str> {
        let foreign = self
            .foreign
            .get_or_init(|| function_words::language_of(self.parts()));
        let is_latin =
            |c: char| c.is_ascii() || matches!(c, '\u{a0}'..='\u{24f}' | '\u{2010}'..='\u{203f}');
        // "Turnover per channel in 2025" has two words of Italian, which are English as well.
        let is_own = |language: usize| {
            let own = self.parts().iter().filter(|word| {
                function_words::is_function_word_of(language, word)
                    && !is_function_word(word)
                    && english_words::level(word).is_none()
            });
            own.count() > 1
        };
        // "Orders der letzten Woche je Kanal" has two words of Dutch, which are German as well.
        let is_german = |code: Option<&str>| matches!(code, None | Some("nl")) && self.is_german();
        let foreign = foreign.filter(|language| is_own(*language));
        match foreign.and_then(function_words::code_of) {
            code if is_german(code) => Some("de"),
            Some(code) => Some(code),
            None => self.text.chars().all(is_latin).then_some("en"),
        }
    }

    /// Its tokens in the English words of the grammar.
    pub fn tokens(&self) -> &[Token] {
        let cut = self.cut();
        cut.translated.as_deref().unwrap_or(&cut.own)
    }

    /// The numbers in it, in digits and words.
    pub fn numbers(&self) -> &[Stated] {
        self.numbers.get_or_init(|| numbers::stated(&self.text))
    }

    /// The numbers in it in digits, without thousands separators.
    pub fn digits(&self) -> &[String] {
        self.digits.get_or_init(|| numbers::in_digits(&self.text))
    }

    /// Which words name nothing in its language.
    pub fn plain_words(&self) -> &NamesNothing {
        let words = || self.words.iter().map(String::as_str);
        self.plain_words.get_or_init(|| NamesNothing::of(words()))
    }

    /// The phrases that may refer to stored values, in look-up order.
    pub fn phrases(&self) -> &[SpokenPhrase] {
        self.phrases
            .get_or_init(|| phrases::phrases(&self.text, self.plain_words()))
    }

    /// The texts in quotation marks.
    pub fn quoted(&self) -> Vec<&str> {
        phrases::quoted_parts(&self.text)
    }

    /// Its periods relative to today, in order.
    pub fn periods(&self) -> &[MentionedPeriod] {
        self.periods.get_or_init(|| {
            let (tokens, language) = (self.tokens(), self.language());
            mentioned_periods(&self.cut().own, tokens, language, &self.today)
        })
    }

    /// Whether a folded word is a function word of the language that the question is in.
    pub fn is_function_word(&self, word: &str) -> bool {
        let foreign = self
            .foreign
            .get_or_init(|| function_words::language_of(self.parts()));
        is_function_word(word)
            || foreign.is_some_and(|language| function_words::is_function_word_of(language, word))
    }

    /// Whether its function words are those of another language than English.
    pub fn is_foreign(&self) -> bool {
        self.foreign
            .get_or_init(|| function_words::language_of(self.parts()))
            .is_some()
    }

    /// Its terms as computed by the analyzer; see [`Analyzer::question_terms`].
    pub fn terms(&self, analyzer: &Analyzer) -> Rc<[String]> {
        let language = analyzer.language();
        let mut known = self.terms.borrow_mut();
        if let Some((_, terms)) = known.iter().find(|(known, _)| known == language) {
            return Rc::clone(terms);
        }
        let terms: Rc<[String]> = analyzer.terms_of_words(self.parts()).into();
        known.push((language.to_owned(), Rc::clone(&terms)));
        terms
    }

    fn cut(&self) -> &Tokens {
        self.tokens.get_or_init(|| {
            let own = words::tokenise(&self.text);
            let translated = german::in_words_of_grammar(&own, &self.text);
            Tokens { own, translated }
        })
    }
}

/// Runs of letters and digits, in lower case.
pub fn lower_words(text: &str) -> Vec<String> {
    let runs = runs(text).into_iter();
    runs.filter_map(|place| Some(text.get(place)?.to_lowercase()))
        .collect()
}

fn runs(text: &str) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices() {
        match (character.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(begin)) => {
                runs.push(begin..at);
                start = None;
            }
            _ => {}
        }
    }
    runs.extend(start.map(|begin| begin..text.len()));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_understood_by_itself() {
        let understanding = Understanding::of(
            "How many orders over 1,000 from \"New York\" last month?",
            "2026-11-21",
        );
        assert_eq!(understanding.language(), Language::ENGLISH);
        assert_eq!(understanding.words().len(), 11);
        assert_eq!(understanding.digits(), ["1000"]);
        assert!(
            understanding
                .numbers()
                .iter()
                .any(|one| one.matches(1000.0))
        );
        assert_eq!(
            understanding
                .periods()
                .first()
                .map(MentionedPeriod::statement),
            Some("'last month' is 2026-10-01 up to but without 2026-11-01".to_owned())
        );
        let first = understanding.phrases().first();
        assert_eq!(first.map(|phrase| phrase.text.as_str()), Some("New York"));
        let english = understanding.terms(&Analyzer::default());
        assert!(Rc::ptr_eq(
            &english,
            &understanding.terms(&Analyzer::default())
        ));
        assert!(english.contains(&"order".to_owned()));
    }

    #[test]
    fn a_german_question_has_the_tokens_of_the_grammar() {
        let understanding = Understanding::of("Wie viele Kunden gibt es?", "2026-11-21");
        assert_eq!(understanding.language().tag(), "de");
        let tokens = understanding.tokens();
        assert_eq!(
            tokens.first().map(|token| token.lower.as_str()),
            Some("how")
        );
        assert_eq!(
            understanding.words().first().map(String::as_str),
            Some("wie")
        );
    }
}
