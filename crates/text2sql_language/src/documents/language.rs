//! The language of a document, as a text search configuration of PostgreSQL.

use whatlang::Lang;

/// Characters that are looked at: enough to be sure, and quick for a text of any length.
const MAX_CHARS: usize = 2_000;

/// The name of the text search configuration for a text, such as `german`; `None` if the text does not say. A
/// language that PostgreSQL has no configuration for is `simple`.
pub fn text_search_configuration(text: &str) -> Option<&'static str> {
    let end = text
        .char_indices()
        .nth(MAX_CHARS)
        .map_or(text.len(), |(end, _)| end);
    let info = whatlang::detect(text.get(..end)?)?;
    info.is_reliable().then(|| configuration(info.lang()))
}

fn configuration(language: Lang) -> &'static str {
    match language {
        Lang::Ara => "arabic",
        Lang::Hye => "armenian",
        Lang::Cat => "catalan",
        Lang::Dan => "danish",
        Lang::Nld => "dutch",
        Lang::Eng => "english",
        Lang::Fin => "finnish",
        Lang::Fra => "french",
        Lang::Deu => "german",
        Lang::Ell => "greek",
        Lang::Hin => "hindi",
        Lang::Hun => "hungarian",
        Lang::Ind => "indonesian",
        Lang::Ita => "italian",
        Lang::Lit => "lithuanian",
        Lang::Nep => "nepali",
        Lang::Nob => "norwegian",
        Lang::Por => "portuguese",
        Lang::Ron => "romanian",
        Lang::Rus => "russian",
        Lang::Srp => "serbian",
        Lang::Spa => "spanish",
        Lang::Swe => "swedish",
        Lang::Tam => "tamil",
        Lang::Tur => "turkish",
        Lang::Yid => "yiddish",
        _ => "simple",
    }
}

#[cfg(test)]
mod tests {
    use super::text_search_configuration;

    #[test]
    fn a_sentence_or_two_say_the_language() {
        let cases = [
            (
                "Customers may return a jacket within thirty days if the zipper is broken, and we pay for the shipping.",
                Some("english"),
            ),
            (
                "Kunden können eine Jacke innerhalb von dreißig Tagen zurückgeben, wenn der Reißverschluss kaputt ist.",
                Some("german"),
            ),
            (
                "Les clients peuvent rendre une veste dans les trente jours si la fermeture éclair est cassée.",
                Some("french"),
            ),
            ("", None),
            ("4711 0815", None),
        ];
        for (text, expected) in cases {
            assert_eq!(text_search_configuration(text), expected, "{text}");
        }
    }

    #[test]
    fn a_long_text_costs_no_more() {
        let text = "Der Reißverschluss klemmt, und die Jacke ist zu klein. ".repeat(100_000);
        assert_eq!(text_search_configuration(&text), Some("german"));
    }
}
