//! Throwaway.
use std::io::BufRead;
use text2sql_language::names::{name_reader::NameReader, vocabulary::Vocabulary};
use text2sql_language::terms::Analyzer;
fn main() {
    let analyzer = Analyzer::default();
    let mut vocabulary = Vocabulary::default();
    if let Some(path) = std::env::args().nth(1) {
        for line in std::fs::read_to_string(path).unwrap().lines() { vocabulary.add_name(line, 1, &analyzer); }
    }
    let reader = NameReader::new(&vocabulary, &analyzer);
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let reading = reader.read(&line);
        if reading.further_words().next().is_some() {
            let further: Vec<&str> = reading.further_words().collect();
            println!("{line}: {} [{}]", reading.text(), further.join(" "));
        }
    }
}
