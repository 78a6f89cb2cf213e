//! The contract of [`Reranker`], and a test double of the model.

use serde_json::{Value, json};

use text2sql_domain::ports::{HttpRequest, HttpResponse, Reranker, Transport, TransportError};

/// A re-ranking model: a document's score is the share of the question's words in it. It takes request
/// bodies directly and needs no network.
#[derive(Debug, Default)]
pub struct WordReranking;

impl WordReranking {
    /// Status and body of the reply to a request body: the best document first, as real models do,
    /// and 400 if there is no document.
    pub fn reply(body: &[u8]) -> (u16, Vec<u8>) {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let question = body["query"].as_str().unwrap_or_default().to_lowercase();
        let words: Vec<&str> = question.split_whitespace().collect();
        let score = |document: &Value| {
            let document = document.as_str().unwrap_or_default().to_lowercase();
            let found = words.iter().filter(|word| document.contains(**word));
            found.count() as f64 / words.len().max(1) as f64
        };
        let documents = body["documents"].as_array().into_iter().flatten();
        let mut scores: Vec<(usize, f64)> = documents.map(score).enumerate().collect();
        scores.sort_by(|one, other| other.1.total_cmp(&one.1));
        if scores.is_empty() {
            return (400, br#"{"message": "no documents"}"#.to_vec());
        }
        let results: Vec<Value> = scores
            .iter()
            .map(|(index, score)| json!({"index": index, "relevance_score": score}))
            .collect();
        let body = json!({"results": results}).to_string();
        (200, body.into_bytes())
    }
}

impl Transport for WordReranking {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let (status, body) = Self::reply(&request.body);
        Ok(HttpResponse {
            status,
            content_type: Some("application/json".to_owned()),
            body,
            attempts: 1,
        })
    }
}

/// What any re-ranker must do if its model scores every document.
pub fn reranker(reranker: &dyn Reranker) {
    assert!(
        !reranker.endpoint().is_empty(),
        "the record names who reads the documents"
    );
    let scores = |question: &str, documents: &[&str]| {
        let scores = reranker.rerank(question, documents).expect("scores");
        assert_eq!(scores.len(), documents.len(), "one for each document");
        let finite = scores.iter().flatten().all(|score| score.is_finite());
        assert!(finite, "{scores:?}");
        scores
    };
    assert!(scores("net sales", &[]).is_empty(), "no document, no score");
    assert!(scores("", &["sales"])[0].is_some(), "no question");
    let documents = [
        "wages",
        "sales of a Größenklasse",
        "",
        "net sales",
        "売上 'quoted' \"names\"\n",
        "net sales",
    ];
    let found = scores("net sales", &documents);
    assert!(found.iter().all(Option::is_some), "{found:?}");
    // In the order of the documents, whatever the order of the model's reply.
    assert!(found[3] > found[1] && found[1] > found[0], "{found:?}");
    assert_eq!(found[3], found[5], "the same text, the same score");
    assert_eq!(found, scores("net sales", &documents), "the same each time");
    let japanese = scores("売上", &documents);
    assert!(japanese[4] > japanese[3], "any letters: {japanese:?}");
}
