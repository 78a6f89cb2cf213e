//! The words of a question that name nothing of a database, in the languages that are known here: function words
//! ("the", "de", "welche"), and the words that ask and measure ("show", "average", "nombre").
//!
//! The language is the one with most function words in the question; where several have as many, the words of
//! all of them count. A word that is written as a code ("DE" among words in lower case) is not a function word.

mod english;
mod french;
mod german_and_dutch;
mod italian;
mod portuguese;
mod spanish;

use crate::terms::fold;

/// The words of one language, in lower case and without accents.
struct PlainWords {
    /// Articles, pronouns, prepositions, conjunctions, auxiliaries and interrogatives.
    function: &'static [&'static str],
    /// Verbs that ask, and words for measures, orders, periods and things in general.
    general: &'static [&'static str],
    /// Whether every noun has a capital letter.
    capitalises_nouns: bool,
}

static LANGUAGES: [PlainWords; 7] = [
    english::ENGLISH,
    german_and_dutch::GERMAN,
    german_and_dutch::DUTCH,
    french::FRENCH,
    italian::ITALIAN,
    portuguese::PORTUGUESE,
    spanish::SPANISH,
];

/// The words that name nothing in the language of one question.
#[derive(Clone)]
pub struct NamesNothing {
    languages: Vec<&'static PlainWords>,
}

impl NamesNothing {
    /// Of a question, by its words.
    pub fn of<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let words: Vec<String> = words.map(fold).collect();
        let counts: Vec<usize> = LANGUAGES
            .iter()
            .map(|language| {
                let is_own = |word: &&String| language.function.contains(&word.as_str());
                words.iter().filter(is_own).count()
            })
            .collect();
        let most = counts.iter().copied().max().unwrap_or(0);
        let best = LANGUAGES.iter().zip(counts);
        let best = best.filter(|(_, count)| *count == most && most > 0);
        let mut languages: Vec<&PlainWords> = best.map(|(language, _)| language).collect();
        // A question without any function word is read as English.
        if languages.is_empty() {
            languages.extend(LANGUAGES.first());
        }
        Self { languages }
    }

    /// Whether a folded word is an article, a preposition or the like.
    pub fn is_function(&self, word: &str) -> bool {
        self.languages
            .iter()
            .any(|language| language.function.contains(&word))
    }

    /// Whether a folded word asks or measures, or means anything at all: "show", "average", "name".
    pub fn is_general(&self, word: &str) -> bool {
        self.languages
            .iter()
            .any(|language| language.general.contains(&word))
    }

    /// Whether a capital letter in the middle of a sentence marks a name.
    pub fn capitals_mark_names(&self) -> bool {
        !self
            .languages
            .iter()
            .any(|language| language.capitalises_nouns)
    }
}

impl std::fmt::Debug for NamesNothing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NamesNothing({} languages)", self.languages.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(question: &str) -> NamesNothing {
        NamesNothing::of(question.split_whitespace())
    }

    #[test]
    fn lists_are_folded_and_say_nothing_twice() {
        for language in &LANGUAGES {
            let all = language.function.iter().chain(language.general);
            let mut all: Vec<&str> = all.copied().collect();
            assert!(all.iter().all(|word| fold(word) == *word), "{all:?}");
            all.sort_unstable();
            let twice: Vec<_> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
            assert!(twice.is_empty(), "{twice:?}");
        }
    }

    #[test]
    fn each_language_has_its_own_function_words() {
        for (question, function, other) in [
            ("How many orders came from Berlin", "from", "de"),
            ("Wie viele Kunden haben wir in der Schweiz", "der", "le"),
            ("Hoeveel klanten hebben we in de stad", "de", "le"),
            ("Combien de commandes pour le client", "le", "the"),
            ("Quanti ordini per il cliente", "il", "the"),
            ("Quantos pedidos para o cliente", "o", "the"),
            ("Cuántos pedidos para el cliente", "el", "the"),
        ] {
            let words = of(question);
            assert!(words.is_function(function), "{question}: {function}");
            assert!(!words.is_function(other), "{question}: {other}");
        }
        assert!(!of("Wie viele Kunden gibt es").capitals_mark_names());
        assert!(of("How many customers are there").capitals_mark_names());
        // "de" alone is of four languages.
        assert!(of("clientes de Berlin").is_function("de"));
        assert!(of("revenue").is_general("total"));
        assert!(of("Quel est le montant moyen des commandes").is_general("moyen"));
    }
}
