//! The function words of a question that is not in English: articles, pronouns, prepositions, and the words that
//! ask. They name neither a table nor a value.
//!
//! Many are words of another language (`die`, `son`, `man`), so only those of the question's own language count.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::terms::{fold, is_function_word};

/// Languages that are written with blanks between words, with the words that ask for something, which are no
/// stop words of full-text search. Ties between two languages are decided by this order.
const LANGUAGES: &[(&str, &str)] = &[
    (
        "de",
        "gib gibt zeig zeige zeigen liste nenn nenne nennen finde finden such suche wieviel wieviele viele \
         vieler vielen heisst heissen lautet lauten bitte jeweils insgesamt beim beiden wurde wurden",
    ),
    (
        "fr",
        "donne donner donnez affiche afficher affichez montre montrer montrez liste lister listez trouve \
         trouver trouvez indique indiquer indiquez combien quel quelle quels quelles chaque tous toutes tout \
         toute plus moins appelle appellent est-ce ont fait cette ces",
    ),
    (
        "es",
        "muestra muestrame mostrar lista listar dame dime encuentra encontrar indica cuantos cuantas cuanto \
         cuanta cual cuales cada llama llaman hay mas menos todos todas son esta estan",
    ),
    (
        "it",
        "mostra mostrami elenca dammi dimmi trova indica quanti quante quanto quanta quale quali ogni piu meno \
         chiama chiamano tutti tutte sono",
    ),
    (
        "pt",
        "mostre mostra mostrar liste listar encontre indique quantos quantas quanto quanta qual quais cada \
         mais menos chama chamam todos todas ha sao",
    ),
    (
        "nl",
        "toon geef lijst noem zoek vind hoeveel welke welk elke elk meer minder heet heten alle zijn",
    ),
    (
        "da",
        "vis find giv hvor mange hvilke hvilken hvilket hver hvert",
    ),
    (
        "sv",
        "visa ge lista hitta hur manga vilka vilken vilket varje",
    ),
    (
        "no",
        "vis finn gi hvor mange hvilke hvilken hvilket hver hvert",
    ),
    ("fi", "nayta listaa etsi anna kuinka monta mitka mika kuka"),
    (
        "hu",
        "mutasd listazd keresd add hany mennyi melyik melyek minden",
    ),
    ("ro", "arata listeaza gaseste cati cate care fiecare"),
    (
        "ru",
        "покажи покажите найди найдите перечисли сколько какои какая какие каких кто каждыи все",
    ),
    ("tr", "goster listele bul ver kac hangi her"),
];

/// Function words that a question must have, and more than of English, to be in a language: one alone may be a
/// name or a word of both.
const FEWEST: usize = 2;

static WORDS: LazyLock<Vec<HashSet<String>>> = LazyLock::new(|| {
    let set = |(code, asking): &(&str, &str)| {
        let stop_words = stop_words::lookup(code).unwrap_or_default();
        let all = stop_words.iter().copied().chain(asking.split_whitespace());
        all.map(fold).collect()
    };
    LANGUAGES.iter().map(set).collect()
});

static ENGLISH: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let stop_words = stop_words::lookup("en").unwrap_or_default();
    stop_words.iter().map(|word| fold(word)).collect()
});

/// The language other than English that a question of these folded words is in, as a position for
/// [`is_function_word_of`]; `None` for English and where that is uncertain.
pub fn language_of(words: &[String]) -> Option<usize> {
    let distinct: HashSet<&String> = words.iter().collect();
    let is_english = |word: &&&String| ENGLISH.contains(**word) || is_function_word(word);
    let english = distinct.iter().filter(is_english).count();
    let counts = WORDS.iter().map(|set| {
        let of_language = distinct.iter().filter(|word| set.contains(**word));
        of_language.count()
    });
    let most = counts.clone().max()?;
    let place = counts.into_iter().position(|count| count == most);
    place.filter(|_| most >= FEWEST && most > english)
}

/// The code of a language.
pub fn code_of(language: usize) -> Option<&'static str> {
    LANGUAGES.get(language).map(|(code, _)| *code)
}

/// Whether a folded word is a function word of the language.
pub fn is_function_word_of(language: usize, word: &str) -> bool {
    WORDS.get(language).is_some_and(|set| set.contains(word))
}

/// The code of English.
const ENGLISH_CODE: &str = "en";

/// The codes of the languages with most function words among the folded words; English where there are none.
pub fn likely_languages(words: &[String]) -> Vec<&'static str> {
    let distinct: HashSet<&String> = words.iter().collect();
    let codes = LANGUAGES.iter().map(|(code, _)| *code);
    let counts: Vec<(&str, usize)> = std::iter::once(ENGLISH_CODE)
        .chain(codes)
        .map(|code| {
            let is_own = |word: &&&String| is_function_word_in(code, word);
            (code, distinct.iter().filter(is_own).count())
        })
        .collect();
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    if most == 0 {
        return vec![ENGLISH_CODE];
    }
    let likely = counts.into_iter().filter(|(_, count)| *count == most);
    likely.map(|(code, _)| code).collect()
}

/// Whether a folded word is a function word of the language with this code.
pub fn is_function_word_in(code: &str, word: &str) -> bool {
    if code == ENGLISH_CODE {
        return ENGLISH.contains(word) || is_function_word(word);
    }
    let place = LANGUAGES.iter().position(|(known, _)| *known == code);
    place.is_some_and(|place| is_function_word_of(place, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::split;

    #[test]
    fn the_language_is_that_of_most_function_words() {
        let code = |text: &str| language_of(&split(text)).map(|place| LANGUAGES[place].0);
        assert_eq!(code("Wie viele Kunden gibt es in Berlin?"), Some("de"));
        assert_eq!(code("Combien de fermes y a-t-il ?"), Some("fr"));
        assert_eq!(code("¿Cuántas cuentas hay?"), Some("es"));
        assert_eq!(code("Quanti clienti ci sono in ogni paese?"), Some("it"));
        assert_eq!(code("How many men die in the war of the sons?"), None);
        assert_eq!(code("average height per man"), None);
        assert_eq!(code("Kunden Berlin"), None);
    }
}
