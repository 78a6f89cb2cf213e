//! **Similarity** of two texts: the cosine of their embeddings.
//!
//! `cos(a, b) = a·b / (|a| |b|)`. The embedding used here needs no model: words, pairs of adjacent
//! words and letter trigrams, hashed with a sign into 512 dimensions (feature hashing, Weinberger et al.
//! 2009). It captures wording, not meaning; it is the same on every machine and cheap.

use super::result_table::Fnv;
use text2sql_sql::tree as sql_tree;

const DIMENSIONS: usize = 512;

/// Cosine of two vectors; 0 if one of them is all zeros or they differ in length.
pub fn cosine(one: &[f32], other: &[f32]) -> f64 {
    if one.len() != other.len() {
        return 0.0;
    }
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(x, y)| f64::from(*x) * f64::from(*y))
            .sum()
    };
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    if lengths > 0.0 {
        (dot(one, other) / lengths).clamp(-1.0, 1.0)
    } else {
        0.0
    }
}

/// The embedding of a text.
pub fn embed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0_f32; DIMENSIONS];
    let mut add = |feature: &str, weight: f32| {
        let mut hash = Fnv::new();
        hash.write(feature);
        // The low bits of FNV are weak; mix in the high ones.
        let hash = hash.0 ^ (hash.0 >> 29);
        let place = usize::try_from(hash % DIMENSIONS as u64).unwrap_or(0);
        let sign = if (hash >> 40) & 1 == 0 { 1.0 } else { -1.0 };
        if let Some(value) = vector.get_mut(place) {
            *value += sign * weight;
        }
    };
    let words = words(text);
    for word in &words {
        add(word, 1.0);
        let letters: Vec<char> = format!("^{word}$").chars().collect();
        for trigram in letters.windows(3) {
            add(&trigram.iter().collect::<String>(), 0.3);
        }
    }
    for pair in words.windows(2) {
        add(&pair.join(" "), 0.5);
    }
    vector
}

/// Words in any script, and operators unchanged.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if matches!(c, '=' | '<' | '>' | '*' | '/' | '+' | '-' | '%') {
            words.push(c.to_string());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Similarity of two statements, normalised in white space, case and quotes.
pub fn similarity(one: &str, other: &str) -> f64 {
    cosine(&embed(&normal_sql(one)), &embed(&normal_sql(other)))
}

/// A normalised statement; if it cannot be parsed, its words.
pub fn normal_sql(sql: &str) -> String {
    match sql_tree::read_query(sql) {
        Some(query) => query.to_string(),
        None => {
            let words: Vec<&str> = sql
                .trim()
                .trim_end_matches(';')
                .split_whitespace()
                .collect();
            words.join(" ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosine_by_hand() {
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 1.0]), 0.0);
        assert_eq!(cosine(&[3.0, 4.0], &[6.0, 8.0]), 1.0);
        assert!((cosine(&[1.0, 1.0], &[1.0, 0.0]) - 0.5_f64.sqrt()).abs() < 1e-9);
        assert_eq!(cosine(&[1.0], &[-2.0]), -1.0);
        assert_eq!(cosine(&[0.0], &[1.0]), 0.0);
        assert_eq!(cosine(&[1.0], &[1.0, 0.0]), 0.0);
    }

    #[test]
    fn near_statements_are_nearer_than_far_ones() {
        let base = "SELECT name, count(*) FROM customers GROUP BY name";
        let near = similarity(
            base,
            "select name , count( * ) from customers group by name limit 5",
        );
        let far = similarity(
            base,
            "SELECT max(price) FROM products WHERE brand = 'Bergfalk'",
        );
        assert!(
            (similarity(
                base,
                "select name,\n count(*)  from customers GROUP BY name;"
            ) - 1.0)
                .abs()
                < 1e-9
        );
        assert!(near > 0.8 && near < 1.0 && far < 0.35, "{near} {far}");
    }
}
