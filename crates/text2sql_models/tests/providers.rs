//! What goes to an endpoint and what comes back, protocol by protocol, over a scripted transport.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::cell::RefCell;

use port_contracts as contract;
use port_contracts::WordReranking;
use serde_json::{Value, json};
use text2sql_domain::config::Endpoint;
use text2sql_domain::error::ErrorKind;
use text2sql_domain::ports::{
    Embedder, HttpRequest, HttpResponse, Purpose, Reranker, Transport, TransportError,
};
use text2sql_domain::secret::Secret;
use text2sql_models::providers::embeddings::EndpointEmbedder;
use text2sql_models::providers::rerank::EndpointReranker;
use text2sql_models::providers::{self, ChatRequest, Speaker, Turn, options};

type Reply = Result<(u16, Value), TransportError>;

struct Script {
    replies: RefCell<Vec<Reply>>,
    requests: RefCell<Vec<HttpRequest>>,
}

impl Transport for Script {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        self.requests.borrow_mut().push(request.clone());
        let (status, body) = self.replies.borrow_mut().remove(0)?;
        let body = match body {
            Value::String(raw) => raw.into_bytes(),
            body => body.to_string().into_bytes(),
        };
        Ok(HttpResponse {
            status,
            content_type: Some("application/json".into()),
            body,
            attempts: 1,
        })
    }
}

fn endpoint(protocol: &str) -> Endpoint {
    let options: Vec<(String, String)> = [
        ("protocol", protocol),
        ("base_url", "https://host.example/v1/"),
        ("model", "m-1"),
        ("extra_body", r#"{"top_p": 0.5}"#),
        ("temperature", "0"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    options::endpoint("gpt", &options, Some(Secret::new("sk-secret")), None).unwrap()
}

fn ask(endpoint: &Endpoint, replies: Vec<Reply>) -> Asked {
    ask_sharing(endpoint, replies, 0)
}

type Asked = (
    Result<providers::ChatReply, text2sql_domain::error::Error>,
    Vec<HttpRequest>,
);

/// The same with a question whose first bytes others share.
fn ask_sharing(endpoint: &Endpoint, replies: Vec<Reply>, shared: usize) -> Asked {
    ask_under("rules", endpoint, replies, shared)
}

fn ask_under(rules: &str, endpoint: &Endpoint, replies: Vec<Reply>, shared: usize) -> Asked {
    let script = Script {
        replies: RefCell::new(replies),
        requests: RefCell::default(),
    };
    let request = ChatRequest {
        system: rules.into(),
        turns: vec![Turn {
            speaker: Speaker::User,
            text: "question".into(),
        }],
        shared,
        reply_schema: json!({"type": "object"}).into(),
        purpose: "generate",
        names: providers::Names {
            tables: vec!["orders".into()],
            columns: vec!["order_id".into()],
        },
        tools: Vec::new(),
    };
    let reply = providers::complete(endpoint, &request, &script);
    (reply, script.requests.into_inner())
}

fn body(request: &HttpRequest) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

fn ask_with_a_tool(endpoint: &Endpoint, replies: Vec<Reply>) -> Asked {
    let script = Script {
        replies: RefCell::new(replies),
        requests: RefCell::default(),
    };
    let request = ChatRequest {
        system: "rules".into(),
        turns: vec![Turn {
            speaker: Speaker::User,
            text: "question".into(),
        }],
        shared: 0,
        reply_schema: json!({"type": "object"}).into(),
        purpose: "generate",
        names: providers::Names::default(),
        tools: vec![providers::Tool {
            name: "count_rows",
            description: "Counts.",
            parameters: json!({"type": "object"}),
        }],
    };
    let reply = providers::complete(endpoint, &request, &script);
    (reply, script.requests.into_inner())
}

#[test]
fn openai_offers_tools_and_reads_calls() {
    let calls = json!({"choices": [{"message": {"content": null, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "count_rows", "arguments": "{\"table\": \"orders\"}"}},
        {"id": "2", "type": "function", "function": {"name": "count_rows", "arguments": {"table": "stores"}}},
        {"id": "3", "type": "function"}]}, "finish_reason": "tool_calls"}]});
    let (reply, requests) = ask_with_a_tool(&endpoint("openai"), vec![Ok((200, calls))]);
    let reply = reply.unwrap();
    let called: Vec<(&str, &str)> = reply
        .calls
        .iter()
        .map(|call| (call.name.as_str(), call.arguments.as_str()))
        .collect();
    assert_eq!(
        called,
        [
            ("count_rows", r#"{"table": "orders"}"#),
            ("count_rows", r#"{"table":"stores"}"#)
        ]
    );
    assert!(
        reply
            .text
            .starts_with("count_rows({\"table\": \"orders\"})\n"),
        "{}",
        reply.text
    );
    assert_eq!(
        body(&requests[0])["tools"][0]["function"]["name"],
        "count_rows"
    );
    // Without a tool nothing of it is sent, and an endpoint that refuses it is asked without, and still for the form.
    let good = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]});
    let (_, requests) = ask(&endpoint("openai"), vec![Ok((200, good.clone()))]);
    assert!(body(&requests[0]).get("tools").is_none());
    let refused = Ok((
        400,
        json!({"error": {"message": "tools are not supported"}}),
    ));
    let (reply, requests) = ask_with_a_tool(&endpoint("openai"), vec![refused, Ok((200, good))]);
    assert_eq!(reply.unwrap().text, "hi");
    assert!(body(&requests[1]).get("tools").is_none());
    assert!(body(&requests[1]).get("response_format").is_some());
}

#[test]
fn anthropic_has_tools_beside_the_answer() {
    let called = json!({"content": [{"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "1", "name": "count_rows", "input": {"table": "orders"}}], "stop_reason": "tool_use"});
    let (reply, requests) = ask_with_a_tool(&endpoint("anthropic"), vec![Ok((200, called))]);
    let reply = reply.unwrap();
    assert_eq!(reply.text, r#"count_rows({"table":"orders"})"#);
    assert_eq!(reply.calls.len(), 1);
    let sent = body(&requests[0]);
    assert_eq!(sent["tool_choice"], json!({"type": "any"}));
    assert_eq!(sent["tools"][0]["name"], "answer");
    assert_eq!(sent["tools"][1]["name"], "count_rows");
    let answered = json!({"content": [{"type": "tool_use", "id": "1", "name": "answer", "input": {"sql": "SELECT 1"}}]});
    let (reply, _) = ask_with_a_tool(&endpoint("anthropic"), vec![Ok((200, answered))]);
    let reply = reply.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.calls.len()),
        (r#"{"sql":"SELECT 1"}"#, 0)
    );
}

#[test]
fn openai_speaks_chat_completions() {
    let good = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2}});
    let (reply, requests) = ask(&endpoint("openai"), vec![Ok((200, good))]);
    let reply = reply.unwrap();
    assert_eq!(
        (
            reply.text.as_str(),
            reply.input_tokens,
            reply.output_tokens,
            reply.requests
        ),
        ("hi", 7, 2, 1)
    );
    let request = &requests[0];
    assert_eq!(request.url, "https://host.example/v1/chat/completions");
    assert_eq!(
        request.secret_headers,
        [("authorization".into(), Secret::new("Bearer sk-secret"))]
    );
    let body = body(request);
    assert_eq!(body["model"], "m-1");
    assert_eq!(body["top_p"], 0.5);
    assert_eq!(
        body["messages"],
        json!([{"role": "system", "content": "rules"}, {"role": "user", "content": "question"}])
    );
    assert_eq!(body["response_format"]["json_schema"]["strict"], true);
    assert!(
        !format!("{request:?}").contains("sk-secret"),
        "the key does not print"
    );
}

#[test]
fn a_prompt_without_rules_has_no_system_message() {
    let good = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]});
    let (_, requests) = ask_under("", &endpoint("openai"), vec![Ok((200, good))], 0);
    assert_eq!(
        body(&requests[0])["messages"],
        json!([{"role": "user", "content": "question"}])
    );
    let good =
        json!({"content": [{"type": "text", "text": "SELECT 1"}], "stop_reason": "end_turn"});
    let (_, requests) = ask_under("", &endpoint("anthropic"), vec![Ok((200, good))], 0);
    assert_eq!(body(&requests[0]).get("system"), None);
}

#[test]
fn what_may_be_named_is_for_a_program_of_ours_alone() {
    let good = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]});
    let (_, requests) = ask(&endpoint("openai"), vec![Ok((200, good.clone()))]);
    assert_eq!(body(&requests[0]).get("names"), None);
    let file = [("protocol", "local"), ("model_file", "/m/x.gguf")];
    let file = file.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let local = options::endpoint("own", &file, None, None).unwrap();
    let (_, requests) = ask(&local, vec![Ok((200, good))]);
    assert_eq!(
        body(&requests[0])["names"],
        json!({"tables": ["orders"], "columns": ["order_id"]})
    );
}

#[test]
fn the_parts_of_a_message_are_one_reply_without_reasoning() {
    let parts = json!([
        {"type": "reasoning", "text": "SELECT 7"},
        {"type": "text", "text": "SELECT 1 "},
        {"type": "text", "text": "AS one"},
    ]);
    let reply = json!({"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]});
    let (answer, _) = ask(&endpoint("openai"), vec![Ok((200, reply))]);
    assert_eq!(answer.unwrap().text, "SELECT 1 AS one");
}

#[test]
fn anthropic_speaks_messages_and_answers_through_a_tool() {
    let good = json!({"content": [{"type": "tool_use", "name": "answer", "input": {"sql": "SELECT 1"}}],
        "stop_reason": "tool_use", "usage": {"input_tokens": 9, "output_tokens": 3}});
    let (reply, requests) = ask(&endpoint("anthropic"), vec![Ok((200, good))]);
    let reply = reply.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.input_tokens),
        (r#"{"sql":"SELECT 1"}"#, 9)
    );
    let body = body(&requests[0]);
    assert_eq!(requests[0].url, "https://host.example/v1/messages");
    assert_eq!(
        (&body["system"], &body["max_tokens"]),
        (&json!("rules"), &json!(4096))
    );
    assert_eq!(body["tool_choice"]["name"], "answer");
    assert_eq!(requests[0].secret_headers[0].0, "x-api-key");
    assert_eq!(body["messages"][0]["content"], "question");
    let prose =
        json!({"content": [{"type": "text", "text": "SELECT 2"}], "stop_reason": "end_turn"});
    assert_eq!(
        ask(&endpoint("anthropic"), vec![Ok((200, prose))])
            .0
            .unwrap()
            .text,
        "SELECT 2"
    );
}

#[test]
fn what_questions_share_is_marked_and_what_was_kept_is_counted() {
    let good = json!({"content": [{"type": "text", "text": "SELECT 1"}], "usage":
        {"input_tokens": 9, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300, "output_tokens": 3}});
    let (reply, requests) = ask_sharing(&endpoint("anthropic"), vec![Ok((200, good))], 5);
    let reply = reply.unwrap();
    assert_eq!((reply.input_tokens, reply.cached_input_tokens), (329, 300));
    assert_eq!(
        body(&requests[0])["messages"][0]["content"],
        json!([
            {"type": "text", "text": "quest", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "ion"},
        ])
    );
    let good = json!({"choices": [{"message": {"content": "hi"}}], "usage": {"prompt_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens": 2}});
    let (reply, requests) = ask_sharing(&endpoint("openai"), vec![Ok((200, good))], 5);
    let reply = reply.unwrap();
    assert_eq!((reply.input_tokens, reply.cached_input_tokens), (7, 4));
    assert_eq!(body(&requests[0])["messages"][1]["content"], "question");
}

#[test]
fn an_endpoint_without_structured_output_is_asked_again_without() {
    let good = json!({"choices": [{"message": {"content": "hi"}}]});
    let (reply, requests) = ask(
        &endpoint("openai"),
        vec![
            Ok((400, json!({"error": {"code": "unsupported"}}))),
            Ok((200, good)),
        ],
    );
    let reply = reply.unwrap();
    assert!(reply.structured_refused);
    assert_eq!(reply.requests, 2);
    assert!(body(&requests[0]).get("response_format").is_some());
    assert!(body(&requests[1]).get("response_format").is_none());
}

#[test]
fn an_endpoint_that_wants_max_completion_tokens_is_asked_again_with_them() {
    let good = || Ok((200, json!({"choices": [{"message": {"content": "hi"}}]})));
    let refuses = |what: &str| {
        let message =
            format!("Unsupported parameter: '{what}'. Use 'max_completion_tokens' instead.");
        Ok((
            400,
            json!({"error": {"code": "unsupported_parameter", "message": message}}),
        ))
    };
    let mut endpoint = endpoint("openai");
    endpoint.max_output_tokens = Some(77);
    let (reply, requests) = ask(&endpoint, vec![refuses("max_tokens"), good()]);
    let reply = reply.unwrap();
    assert!(reply.max_tokens_refused && !reply.structured_refused);
    assert_eq!(body(&requests[0])["max_tokens"], 77);
    let second = body(&requests[1]);
    assert_eq!(second["max_completion_tokens"], 77);
    assert!(second.get("max_tokens").is_none() && second.get("response_format").is_some());
    // An endpoint may refuse both, and one that refuses everything is asked three times.
    let refuses_format = Ok((400, json!({"error": {"code": "unsupported"}})));
    let (reply, requests) = ask(
        &endpoint,
        vec![refuses("max_tokens"), refuses_format, good()],
    );
    let reply = reply.unwrap();
    assert!(reply.max_tokens_refused && reply.structured_refused);
    assert_eq!(requests.len(), 3);
    let always = || refuses("max_tokens");
    let (reply, requests) = ask(&endpoint, vec![always(), always(), always()]);
    assert!(reply.is_err());
    assert_eq!(requests.len(), 3);
    // Once the endpoint is known to want it, the first request already has it.
    endpoint.completion_tokens = true;
    let (_, requests) = ask(&endpoint, vec![good()]);
    assert_eq!(body(&requests[0])["max_completion_tokens"], 77);
}

#[test]
fn azure_wants_the_bare_key_in_a_header_of_its_own() {
    let mut endpoint = endpoint("openai");
    endpoint.api_key_header = Some("api-key".into());
    let good = json!({"choices": [{"message": {"content": "hi"}}]});
    let (_, requests) = ask(&endpoint, vec![Ok((200, good))]);
    assert_eq!(
        requests[0].secret_headers,
        [("api-key".into(), Secret::new("sk-secret"))]
    );
}

#[test]
fn what_to_change_can_be_pasted_whether_it_is_set_or_not() {
    let hint = |more: &[(&str, &str)], reply: Reply| -> String {
        let mut options: Vec<(String, String)> = [
            ("protocol", "openai"),
            ("base_url", "https://host.example/v1"),
            ("model", "m-1"),
        ]
        .iter()
        .chain(more)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
        options.sort();
        let endpoint = options::endpoint("gpt", &options, None, None).unwrap();
        let error = ask(&endpoint, vec![reply]).0.unwrap_err();
        error.hint().unwrap_or_default().to_owned()
    };
    let slow = || Err(TransportError::Timeout(std::time::Duration::from_secs(1)));
    assert_eq!(
        hint(&[], slow()),
        "ALTER SERVER gpt OPTIONS (ADD timeout_ms '120000')"
    );
    assert_eq!(
        hint(&[("timeout_ms", "90000")], slow()),
        "ALTER SERVER gpt OPTIONS (SET timeout_ms '180000')"
    );
    let cut = || {
        let choice = json!({"finish_reason": "length", "message": {"content": "{"}});
        Ok((200, json!({"choices": [choice]})))
    };
    assert_eq!(
        hint(&[], cut()),
        "ALTER SERVER gpt OPTIONS (ADD max_output_tokens '8192')"
    );
    assert_eq!(
        hint(&[("max_output_tokens", "10000")], cut()),
        "ALTER SERVER gpt OPTIONS (SET max_output_tokens '20000')"
    );
}

#[test]
fn every_failure_has_a_message_a_hint_and_no_secret() {
    let leak = json!({"error": {"message": "bad key sk-secret", "code": "invalid_api_key"}});
    let check = |reply: Reply, kind: ErrorKind, message: &str| {
        // The second reply is for the attempt without structured output.
        let again = reply.clone();
        let error = ask(&endpoint("openai"), vec![reply, again]).0.unwrap_err();
        assert_eq!((error.kind(), error.message()), (kind, message));
        assert!(error.hint().is_some(), "{message}");
        let everything = format!("{error:?} {:?} {:?}", error.detail(), error.hint());
        assert!(!everything.contains("sk-secret"), "{everything}");
    };
    use ErrorKind::{ModelReply, ModelUnreachable, Setting, Setup};
    check(
        Ok((401, leak.clone())),
        Setup,
        "the endpoint of server \"gpt\" refused the key (401)",
    );
    check(
        Ok((404, leak.clone())),
        Setup,
        "the endpoint of server \"gpt\" has no model \"m-1\", or its base_url is wrong (404)",
    );
    check(
        Ok((429, leak.clone())),
        ModelUnreachable,
        "the endpoint of server \"gpt\" answered 429 (too many requests) once",
    );
    check(
        Ok((500, json!("oops"))),
        ModelUnreachable,
        "the endpoint of server \"gpt\" answered 500 (server error) once",
    );
    check(
        Ok((400, leak.clone())),
        ModelReply,
        "the endpoint of server \"gpt\" did not accept the request (400)",
    );
    check(
        Ok((302, json!(""))),
        Setting,
        "the endpoint of server \"gpt\" redirects (302), which is not followed",
    );
    check(
        Ok((200, json!("<html>"))),
        ModelReply,
        "the reply of server \"gpt\" is not JSON",
    );
    check(
        Ok((200, json!("{\"choices\": [{\"mess"))),
        ModelReply,
        "the reply of server \"gpt\" is not JSON",
    );
    check(
        Ok((200, json!(""))),
        ModelReply,
        "the reply of server \"gpt\" is empty",
    );
    check(
        Ok((200, json!({"choices": [{"message": {"content": " "}}]}))),
        ModelReply,
        "the reply of server \"gpt\" contains no text",
    );
    check(
        Ok((200, json!({"choices": [{"message": {"refusal": "no"}}]}))),
        ModelReply,
        "the model of server \"gpt\" refused to answer",
    );
    check(
        Ok((
            200,
            json!({"choices": [{"message": {"content": "SEL"}, "finish_reason": "length"}]}),
        )),
        ModelReply,
        "the reply of server \"gpt\" was cut off at the limit on output tokens",
    );
    check(
        Err(TransportError::Dns),
        ModelUnreachable,
        "the host name of server \"gpt\" does not resolve",
    );
    check(
        Err(TransportError::Connect("refused".into())),
        ModelUnreachable,
        "the endpoint of server \"gpt\" cannot be reached",
    );
    check(
        Err(TransportError::Tls("unknown issuer".into())),
        ModelUnreachable,
        "no secure connection to the endpoint of server \"gpt\"",
    );
    check(
        Err(TransportError::Timeout(std::time::Duration::from_secs(1))),
        ModelUnreachable,
        "no complete reply from server \"gpt\" within 1000 ms",
    );
    check(
        Err(TransportError::PrivateAddress),
        Setting,
        "the endpoint of server \"gpt\" has a loopback, private or otherwise non-public address",
    );
    check(
        Err(TransportError::PlainHttp),
        Setting,
        "server \"gpt\" has a base_url with plain http, which would show the key to the network",
    );
    check(
        Err(TransportError::TooLarge(8)),
        ModelReply,
        "the reply of server \"gpt\" is larger than 8 bytes",
    );
    check(
        Err(TransportError::Broken("reset".into())),
        ModelUnreachable,
        "the reply of server \"gpt\" broke off",
    );
}

fn scripted(replies: Vec<Reply>) -> Script {
    Script {
        replies: RefCell::new(replies),
        requests: RefCell::default(),
    }
}

#[test]
fn embeddings_are_asked_in_batches_and_read_in_order() {
    let vector = |index: usize, x: f64| json!({"index": index, "embedding": [x, 0.0]});
    let first: Vec<Value> = (0..32)
        .rev()
        .map(|index| vector(index, 2.0 + index as f64))
        .collect();
    let script = scripted(vec![
        Ok((200, json!({"data": first}))),
        Ok((200, json!({"data": [{"embedding": [0.0, -3.0]}]}))),
    ]);
    let embedder = EndpointEmbedder::new(endpoint("embeddings"), &script);
    let texts = vec!["orders"; 33];
    let vectors = embedder.embed(&texts, Purpose::Document).unwrap();
    assert_eq!((vectors.len(), &vectors[32]), (33, &vec![0.0, -1.0]));
    assert_eq!(embedder.name(), "embeddings:m-1");
    let requests = script.requests.borrow();
    assert_eq!(requests[0].url, "https://host.example/v1/embeddings");
    let body: Value = serde_json::from_slice(&requests[1].body).unwrap();
    assert_eq!(
        body,
        json!({"model": "m-1", "input": ["orders"], "encoding_format": "float", "top_p": 0.5})
    );
}

#[test]
fn vectors_that_are_missing_or_of_two_lengths_are_refused() {
    for data in [
        json!([]),
        json!([{"index": 0, "embedding": [1.0]}]),
        json!([{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]),
        json!([{"index": 0, "embedding": [1.0]}, {"index": 9, "embedding": [1.0]}]),
    ] {
        let script = scripted(vec![Ok((200, json!({"data": data})))]);
        let embedder = EndpointEmbedder::new(endpoint("embeddings"), &script);
        let error = embedder.embed(&["a", "b"], Purpose::Question).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ModelReply, "{data}");
    }
}

#[test]
fn scores_are_read_as_each_kind_of_server_writes_them() {
    let cohere = json!({"results": [
        {"index": 2, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]});
    let inference = json!([{"index": 2, "score": 0.9}, {"index": 0, "score": 0.1}]);
    for reply in [cohere, inference] {
        let script = scripted(vec![Ok((200, reply))]);
        let reranker = EndpointReranker::new(endpoint("rerank"), &script);
        let scores = reranker.rerank("q", &["a", "b", "c"]).unwrap();
        assert_eq!(scores, [Some(0.1), None, Some(0.9)]);
        assert_eq!(
            script.requests.borrow()[0].url,
            "https://host.example/v1/rerank"
        );
    }
    let script = scripted(vec![Ok((200, json!({"results": []})))]);
    let reranker = EndpointReranker::new(endpoint("rerank"), &script);
    let error = reranker.rerank("q", &["a"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ModelReply);
}

#[test]
fn a_model_that_scores_every_document_keeps_the_contract() {
    contract::reranker(&EndpointReranker::new(endpoint("rerank"), &WordReranking));
}

#[test]
fn a_server_without_chat_writes_no_sql() {
    let (reply, requests) = ask(&endpoint("embeddings"), Vec::new());
    let error = reply.unwrap_err();
    assert_eq!(
        error.message(),
        "server \"gpt\" has protocol embeddings and cannot write SQL"
    );
    assert!(requests.is_empty());
}
