//! German names of countries and languages with their English ones: values that are stored in English.

use std::collections::HashMap;
use std::sync::LazyLock;

/// German and English names; `|` separates spellings that data have. Names that are the same in both languages are
/// left out.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    ("Albanien", "Albania"), ("Algerien", "Algeria"), ("Argentinien", "Argentina"),
    ("Armenien", "Armenia"), ("Aserbaidschan", "Azerbaijan"), ("Australien", "Australia"), ("Bangladesch", "Bangladesh"),
    ("Belgien", "Belgium"), ("Bolivien", "Bolivia"), ("Brasilien", "Brazil"), ("Bulgarien", "Bulgaria"),
    ("Deutschland", "Germany"), ("Dänemark", "Denmark"), ("Estland", "Estonia"), ("Finnland", "Finland"),
    ("Frankreich", "France"), ("Georgien", "Georgia"), ("Griechenland", "Greece"), ("Grönland", "Greenland"),
    ("Großbritannien", "United Kingdom|UK|Great Britain"), ("Indien", "India"), ("Indonesien", "Indonesia"),
    ("Irak", "Iraq"), ("Irland", "Ireland"), ("Island", "Iceland"), ("Italien", "Italy"), ("Jordanien", "Jordan"),
    ("Jugoslawien", "Yugoslavia"), ("Kambodscha", "Cambodia"), ("Kamerun", "Cameroon"), ("Kanada", "Canada"),
    ("Kasachstan", "Kazakstan|Kazakhstan"), ("Katar", "Qatar"), ("Kenia", "Kenya"), ("Kolumbien", "Colombia"),
    ("Kroatien", "Croatia"), ("Kuba", "Cuba"), ("Lettland", "Latvia"), ("Libanon", "Lebanon"), ("Libyen", "Libya"),
    ("Litauen", "Lithuania"), ("Luxemburg", "Luxembourg"), ("Madagaskar", "Madagascar"), ("Marokko", "Morocco"),
    ("Mexiko", "Mexico"), ("Moldawien", "Moldova"), ("Mongolei", "Mongolia"), ("Mosambik", "Mozambique"),
    ("Neuseeland", "New Zealand"), ("Niederlande|Niederlanden|Holland", "Netherlands|The Netherlands|Holland"),
    ("Nordkorea", "North Korea"), ("Norwegen", "Norway"), ("Österreich", "Austria"), ("Philippinen", "Philippines"),
    ("Polen", "Poland"), ("Rumänien", "Romania"), ("Russland", "Russia|Russian Federation"), ("Sambia", "Zambia"),
    ("Saudi-Arabien", "Saudi Arabia"), ("Schottland", "Scotland"), ("Schweden", "Sweden"), ("Schweiz", "Switzerland"),
    ("Serbien", "Serbia"), ("Simbabwe", "Zimbabwe"), ("Singapur", "Singapore"), ("Slowakei", "Slovakia"),
    ("Slowenien", "Slovenia"), ("Spanien", "Spain"), ("Südafrika", "South Africa"), ("Südkorea", "South Korea"),
    ("Syrien", "Syria"), ("Tansania", "Tanzania"), ("Tschad", "Chad"), ("Tschechien", "Czech Republic|Czechia"),
    ("Tunesien", "Tunisia"), ("Türkei", "Turkey"), ("Ungarn", "Hungary"),
    ("USA|Vereinigte Staaten|Vereinigten Staaten", "United States|USA|US|United States of America"),
    ("Vereinigtes Königreich|Vereinigten Königreich", "United Kingdom|UK"),
    ("Vereinigte Arabische Emirate", "United Arab Emirates"), ("Weißrussland", "Belarus"), ("Zypern", "Cyprus"),
    ("Ägypten", "Egypt"), ("Äthiopien", "Ethiopia"),
    ("Wien", "Vienna"), ("München", "Munich"), ("Köln", "Cologne"), ("Mailand", "Milan"), ("Rom", "Rome"),
    ("Prag", "Prague"), ("Warschau", "Warsaw"), ("Lissabon", "Lisbon"), ("Brüssel", "Brussels"), ("Genf", "Geneva"),
    ("Kopenhagen", "Copenhagen"), ("Moskau", "Moscow"), ("Athen", "Athens"), ("Zürich", "Zurich"),
    ("Englisch|Englische|Englischen|Englischer", "English"),
    ("Deutsch|Deutsche|Deutschen|Deutscher|German", "German|Germany"),
    ("Französisch|Französische|Französischen|Französischer|French", "French|France"),
    ("Italienisch|Italienische|Italienischen|Italienischer|Italian", "Italian|Italy"),
    ("Spanisch|Spanische|Spanischen|Spanischer|Spanish", "Spanish|Spain"),
    ("Japanisch|Japanische|Japanischen|Japanischer|Japanese", "Japanese|Japan"),
    ("Mandarin|Chinesisch|Chinesische|Chinesischen|Chinese", "Mandarin|Chinese|China"),
    ("Russisch|Russische|Russischen|Russian", "Russian|Russia|Russian Federation"),
    ("Portugiesisch|Portugiesische|Portugiesischen|Portuguese", "Portuguese|Portugal"),
    ("Amerikanisch|Amerikanische|Amerikanischen|American", "American|United States|USA"),
    ("Britisch|Britische|Britischen|British", "British|United Kingdom|UK"),
    ("Österreichisch|Österreichische|Österreichischen|Austrian", "Austrian|Austria"),
    ("Schweizer|Schweizerische|Schweizerischen|Swiss", "Swiss|Switzerland"),
    ("Kanadisch|Kanadische|Kanadischen|Canadian", "Canadian|Canada"),
    ("Brasilianisch|Brasilianische|Brasilianischen|Brazilian", "Brazilian|Brazil"),
    ("Mexikanisch|Mexikanische|Mexikanischen|Mexican", "Mexican|Mexico"),
    ("Indisch|Indische|Indischen|Indian", "Indian|India"),
    ("Polnisch|Polnische|Polnischen|Polish", "Polish|Poland"),
    ("Türkisch|Türkische|Türkischen|Turkish", "Turkish|Turkey"),
    ("Schwedisch|Schwedische|Schwedischen|Swedish", "Swedish|Sweden"),
    ("Niederländisch|Niederländische|Niederländischen|Dutch", "Dutch|Netherlands"),
];

static BY_GERMAN: LazyLock<HashMap<String, Vec<&str>>> = LazyLock::new(|| {
    let entries = NAMES.iter().flat_map(|(german, english)| {
        let english: Vec<&str> = english.split('|').collect();
        german
            .split('|')
            .map(move |name| (name.to_lowercase(), english.clone()))
    });
    entries.collect()
});

/// The English names of what has this name in German, in any case.
pub fn in_english(name: &str) -> &'static [&'static str] {
    BY_GERMAN
        .get(&name.to_lowercase())
        .map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(in_english("deutschland"), ["Germany"]);
        assert_eq!(in_english("ÖSTERREICH"), ["Austria"]);
        assert!(in_english("Germany").is_empty());
    }
}
