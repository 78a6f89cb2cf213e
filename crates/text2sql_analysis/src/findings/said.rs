//! A question, prepared for its comparison with a query: its words with their stems, and what they say of order, number
//! and negation.

use std::collections::BTreeSet;
use std::sync::Arc;

use sqlparser::ast::Expr;
use sqlparser::tokenizer::Token;

use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{Definition, Table};
use text2sql_domain::words;
use text2sql_language::names::english_words;
use text2sql_language::numbers::of_folded;
use text2sql_language::periods::mentioned::MentionedPeriod;
use text2sql_language::terms::{Analyzer, fold, is_function_word};
use text2sql_language::understanding::Understanding;
use text2sql_sql::reader;
use text2sql_sql::tree::walk::{expressions, walk};
use text2sql_sql::tree::{Tree, aggregates};

/// What a question says, with the definitions of the terms that it uses.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The question, whole in itself.
    pub understanding: &'a Understanding,
    /// The definitions of its terms.
    pub definitions: &'a [Definition],
    /// The periods that were worked out from its words and from definitions.
    pub periods: &'a [MentionedPeriod],
    /// Defined periods that it groups by, with what they mean.
    pub groups: &'a [(String, String)],
    /// Phrases of the question with the stored values that they match.
    pub values: &'a [(String, ValueHit)],
    /// Whether owners have said more of queries, in instructions or verified examples: a condition may come from there.
    pub is_instructed: bool,
}

impl<'a> Asked<'a> {
    /// A question of which nothing else is known.
    pub fn alone(understanding: &'a Understanding) -> Self {
        Self {
            understanding,
            definitions: &[],
            periods: &[],
            groups: &[],
            values: &[],
            is_instructed: false,
        }
    }
}

/// A question, prepared.
pub(super) struct Said<'a> {
    pub(super) question: &'a Understanding,
    pub(super) analyzer: Analyzer,
    /// The stems of its words, in order, function words included.
    stems: Vec<String>,
}

/// Words of a negation, folded, in the languages of questions.
const NEGATIONS: &[&str] = words!(
    "elsewhere, apart, rest, remaining, beyond, foreign, abroad, away, instead, than, bar, \
     not, no, never, without, except, excluding, excludes, exclude, other, different, \
     neither, nor, none, outside, t, isn, aren, don, doesn, didn, wasn, weren, cannot, \
     besides, but, nobody, nothing, nicht, nichts, niemand, niemals, kein, keine, keinen, \
     keinem, keiner, ohne, ausser, ausserhalb, anderen, andere, nie, pas, sans, sauf, hors, \
     sin, excepto, fuera, niet, non, senza, tranne"
);

impl<'a> Said<'a> {
    pub(super) fn of(question: &'a Understanding) -> Self {
        let analyzer = Analyzer::default();
        let stems = question.parts().iter().map(|word| analyzer.stem(word));
        Self {
            stems: stems.collect(),
            question,
            analyzer,
        }
    }

    /// Its folded words, split as names are.
    pub(super) fn words(&self) -> &[String] {
        self.question.parts()
    }

    /// Whether one of the words is in it.
    pub(super) fn has_any(&self, words: &[&str]) -> bool {
        self.words()
            .iter()
            .any(|word| words.contains(&word.as_str()))
    }

    /// Whether the folded words follow each other in it.
    pub(super) fn has_phrase(&self, phrase: &str) -> bool {
        let words = format!(" {} ", self.words().join(" "));
        words.contains(&format!(" {phrase} "))
    }

    /// Whether the terms follow each other in it: a name in full.
    pub(super) fn names(&self, terms: &[String]) -> bool {
        let content: Vec<&String> = self.content().collect();
        !terms.is_empty()
            && content
                .windows(terms.len())
                .any(|run| run.iter().zip(terms).all(|(own, term)| *own == term))
    }

    /// Whether it has the term, by itself or as a part of a compound.
    pub(super) fn has_term(&self, term: &str) -> bool {
        self.has_term_beside(term, &[])
    }

    /// The same, where its words for other things are no part of the term.
    pub(super) fn has_term_beside(&self, term: &str, others: &[String]) -> bool {
        self.stems.iter().any(|stem| {
            stem == term
                || (term.chars().count() > 3 && stem.contains(term))
                || (stem.chars().count() > 3
                    && term.contains(stem.as_str())
                    && !others.contains(stem))
        })
    }

    /// The stems of the words that are no function words.
    fn content(&self) -> impl Iterator<Item = &String> {
        self.words()
            .iter()
            .zip(&self.stems)
            .filter(|(word, _)| !is_function_word(word))
            .map(|(_, stem)| stem)
    }

    /// Whether it negates anything.
    pub(super) fn is_negated(&self) -> bool {
        let words = self.words();
        let negates = |(place, word): (usize, &String)| {
            let beside = |at: Option<usize>, known: &[&str]| {
                at.and_then(|at| words.get(at))
                    .is_some_and(|word| known.contains(&word.as_str()))
            };
            match word.as_str() {
                // "How many different courses" and "less than 50" negate nothing.
                "different" => beside(Some(place + 1), &["from", "than", "to"]),
                "than" => beside(place.checked_sub(1), &["other", "rather", "else"]),
                word => NEGATIONS.contains(&word),
            }
        };
        words.iter().enumerate().any(negates)
            || words.iter().any(|word| {
                // "unpaid", "nonmember".
                ["un", "non"].iter().any(|start| {
                    word.strip_prefix(start)
                        .is_some_and(|rest| english_words::level(rest).is_some())
                })
            })
    }

    /// The whole numbers from two on that count or measure something, in digits or words, each once.
    pub(super) fn counts(&self) -> Vec<f64> {
        let mut found: Vec<f64> = Vec::new();
        let words = self.question.words();
        for (place, word) in words.iter().enumerate() {
            let beside = |at: Option<usize>| {
                at.and_then(|at| words.get(at))
                    .is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()))
            };
            let number = match of_folded(&fold(word)) {
                Some(number) => Some(number),
                // "10,000" and "3.5" are split.
                None if beside(place.checked_sub(1)) || beside(Some(place + 1)) => None,
                None => word.parse().ok(),
            };
            found.extend(number.filter(|number| *number >= 2.0 && !found.contains(number)));
        }
        found
    }

    /// What the question counts: the word after "how many".
    pub(super) fn counted_thing(&self) -> Option<&'a String> {
        let words = self.question.words();
        let begins = |pair: &[String]| {
            matches!(pair, [one, other] if matches!(
                (one.as_str(), other.as_str()),
                ("how", "many") | ("number", "of") | ("wie", "viele") | ("wie", "vielen")
            ))
        };
        let at = words.windows(2).position(begins)?;
        words.get(at + 2)
    }

    /// Whether a word is a part of the name of a table or column that the query reads.
    pub(super) fn is_name(&self, tree: &Tree<'_>, word: &str) -> bool {
        let stem = self.analyzer.stem(word);
        tables_read(tree).any(|table| {
            let columns = table.columns.iter().map(|column| &column.name);
            std::iter::once(&table.name)
                .chain(columns)
                .any(|name| self.analyzer.terms_of_name(name).contains(&stem))
        })
    }

    /// Whether the text of a constant is in it, as it is, by its terms or as a part of its words.
    pub(super) fn says(&self, text: &str) -> bool {
        let folded = fold(text);
        let bare = folded.trim_matches(['%', '_', ' ']);
        let terms = self.analyzer.terms(text);
        bare.is_empty()
            || self.question.folded().contains(bare)
            || (!terms.is_empty() && terms.iter().all(|term| self.has_term(term)))
    }
}

/// Whether a word is a year, as far as its digits say.
pub(super) fn is_year(word: &str) -> bool {
    word.len() == 4
        && word
            .parse::<u16>()
            .is_ok_and(|year| (1900..2100).contains(&year))
}

/// The constants and the names of a query.
pub(super) struct Used {
    /// String constants, folded.
    pub(super) texts: Vec<String>,
    /// Numbers, also those in strings.
    pub(super) numbers: Vec<f64>,
    /// Words without quotes or with, folded, aliases among them.
    pub(super) words: BTreeSet<String>,
}

impl Used {
    pub(super) fn of(sql: &str) -> Option<Self> {
        let mut used = Self {
            texts: Vec::new(),
            numbers: Vec::new(),
            words: BTreeSet::new(),
        };
        for token in reader::tokens(sql).ok()? {
            match token {
                Token::Word(word) => {
                    used.words.insert(fold(&word.value));
                }
                Token::SingleQuotedString(text) => {
                    let runs = text.split(|c: char| !c.is_ascii_digit());
                    used.numbers
                        .extend(runs.filter_map(|run| run.parse::<f64>().ok()));
                    used.texts.push(fold(&text));
                }
                Token::Number(digits, _) => used.numbers.extend(digits.parse::<f64>()),
                _ => {}
            }
        }
        Some(used)
    }
}

/// The tables that a query reads, at any level, each as often as it reads it.
pub(super) fn tables_read<'t>(tree: &'t Tree<'_>) -> impl Iterator<Item = &'t Arc<Table>> {
    let sources = tree.blocks.iter().flat_map(|block| &block.sources);
    sources.filter_map(|source| source.table())
}

/// The names of the aggregates that a query calls.
pub(super) fn aggregates_called(tree: &Tree<'_>) -> Vec<String> {
    let blocks = tree.blocks.iter();
    blocks
        .flat_map(|block| aggregates(block.select, block.query))
        .map(|aggregate| aggregate.name)
        .collect()
}

/// Visits all expressions of a query, with the position of their block.
pub(super) fn each_expression<'q>(tree: &Tree<'q>, visit: &mut impl FnMut(usize, &'q Expr)) {
    for (position, block) in tree.blocks.iter().enumerate() {
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| visit(position, part));
        }
    }
}
