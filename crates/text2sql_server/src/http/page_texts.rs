//! The texts of the page in a language, as a module that the page imports.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use text2sql_phrases::Language;

/// Which plural form these numbers need tells that of any other: rules look at the last two digits.
const NUMBERS: u64 = 200;

/// The module of a path such as `texts/de.js`.
pub(super) fn module(path: &str) -> Option<String> {
    let tag = path.strip_prefix("texts/")?.strip_suffix(".js")?;
    let language = Language::all().find(|language| language.tag() == tag)?;
    Some(module_of(language))
}

fn module_of(language: Language) -> String {
    // In their order: English first.
    let languages: Vec<String> = Language::all()
        .map(|language| format!("{}:{}", json!(language.tag()), json!(language.name())))
        .collect();
    let forms: String = (0..NUMBERS)
        .map(|number| language.plural_form(number).to_string())
        .collect();
    let texts: BTreeMap<&str, Value> = language
        .named_texts("page")
        .map(|(key, texts)| match texts {
            [text] => (key, json!(text)),
            forms => (key, json!(forms)),
        })
        .collect();
    format!(
        "export const languages = {{{}}};\nexport const forms = {};\nexport const texts = {};\n",
        languages.join(","),
        json!(forms),
        json!(texts)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MADE_UP: &str = include_str!("../../../text2sql_phrases/tests/made_up.po");

    #[test]
    fn the_page_has_its_texts_in_each_language() {
        let english = module("texts/en.js").unwrap();
        assert!(english.contains(r#"{"en":"English","de":"Deutsch"}"#));
        assert!(english.contains(r#""rows":["{count} row","{count} rows"]"#));
        assert!(
            module("texts/de.js")
                .unwrap()
                .contains(r#""retry":"Noch einmal versuchen""#)
        );
        assert_eq!(module("texts/xx.js"), None);
        assert_eq!(module("texts/../de.js"), None);
    }

    #[test]
    fn a_made_up_language_needs_a_file_and_nothing_else() {
        let module = module_of(Language::of_file("xx", MADE_UP));
        assert!(module.contains(r#""retry":"nu oro""#), "{module}");
        // What its file leaves out is English.
        assert!(module.contains(r#""close":"Close""#), "{module}");
        assert!(module.contains(r#"export const forms = "0122"#), "{module}");
    }
}
