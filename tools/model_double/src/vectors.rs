//! What the double replies on `/embeddings` and `/rerank`: a text is the sum of its words, so texts
//! with the same words are near to each other, on every run.
//!
//! A rule of the script whose text occurs in a text replaces it: with the rule `clients` → `customers`
//! the double knows that the one means the other.

use serde_json::{Value, json};

use crate::script::Script;

/// Length of the vectors, unless the request says `dimensions`.
const DIMENSIONS: usize = 16;

/// Longest vector, whatever the request says.
const MAX_DIMENSIONS: u64 = 20_000;

/// Renders one vector for each text of `input`.
pub(crate) fn embeddings(script: &Script, body: &Value) -> Value {
    let dimensions = body.get("dimensions").and_then(Value::as_u64);
    let dimensions = dimensions.map_or(DIMENSIONS, |wanted| {
        usize::try_from(wanted.clamp(1, MAX_DIMENSIONS)).unwrap_or(DIMENSIONS)
    });
    let texts = texts(body.get("input"));
    let characters: usize = texts.iter().map(String::len).sum();
    let data: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let vector = vector(&meant(script, text), dimensions);
            json!({ "object": "embedding", "index": index, "embedding": vector })
        })
        .collect();
    let tokens = characters.div_ceil(4);
    json!({
        "object": "list",
        "model": body.get("model"),
        "data": data,
        "usage": { "prompt_tokens": tokens, "total_tokens": tokens },
    })
}

/// Renders the documents' scores, best first, as Cohere and Jina do.
pub(crate) fn rerank(script: &Script, body: &Value) -> Value {
    let query = body
        .get("query")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let query = words(&meant(script, query));
    let mut scores: Vec<(usize, f64)> = texts(body.get("documents"))
        .iter()
        .enumerate()
        .map(|(index, document)| {
            let document = words(document);
            let shared = query.iter().filter(|word| document.contains(word)).count();
            (index, shared as f64 / query.len().max(1) as f64)
        })
        .collect();
    scores.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let results: Vec<Value> = scores
        .into_iter()
        .map(|(index, score)| json!({ "index": index, "relevance_score": score }))
        .collect();
    json!({ "id": "rerank-double", "results": results })
}

/// The text, or what the script says that it means.
fn meant(script: &Script, text: &str) -> String {
    script.meaning(text).unwrap_or_else(|| text.to_owned())
}

fn texts(list: Option<&Value>) -> Vec<String> {
    match list {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(texts)) => {
            let texts = texts.iter();
            texts
                .map(|text| text.as_str().unwrap_or_default().to_owned())
                .collect()
        }
        _ => Vec::new(),
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn vector(text: &str, dimensions: usize) -> Vec<f64> {
    // A text without words has a direction, too.
    let mut vector = vec![0.001; dimensions];
    for word in words(text) {
        // FNV-1a.
        let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        let place = usize::try_from(hash % dimensions as u64).unwrap_or(0);
        if let Some(number) = vector.get_mut(place) {
            *number += 1.0;
        }
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(one: &[f32], other: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
    }

    #[test]
    fn texts_with_the_same_meaning_are_near() {
        let script = Script::new().on("clients", ["customers"]);
        let body = json!({
            "input": ["our clients", "customers", "invoices"], "model": "m", "dimensions": 500
        });
        let reply = embeddings(&script, &body);
        let vectors: Vec<Vec<f32>> = reply["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| serde_json::from_value(entry["embedding"].clone()).unwrap())
            .collect();
        assert_eq!(vectors.len(), 3);
        assert_eq!(vectors[0].len(), 500);
        assert!(cosine(&vectors[0], &vectors[1]) > 0.99);
        assert!(cosine(&vectors[0], &vectors[2]) < 0.5);
    }

    #[test]
    fn documents_are_scored_by_the_words_they_share() {
        let body =
            json!({"query": "open invoices", "documents": ["a", "open doors", "open invoices"]});
        let reply = rerank(&Script::new(), &body);
        let order: Vec<u64> = reply["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| result["index"].as_u64().unwrap())
            .collect();
        assert_eq!(order, [2, 1, 0]);
    }
}
