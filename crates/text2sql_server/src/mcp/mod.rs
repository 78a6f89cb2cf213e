//! The Model Context Protocol: tools, resources and prompts for agents, over stdio and over HTTP.
//!
//! There is no tool that runs what an agent likes: each one is a function of the extension, which judges SQL on the
//! tree that the server runs, with the rights of the user. Only this module knows the types of `rmcp`.

mod agent;
mod clarify;
mod data;
mod handler;
mod lines;
mod links;
mod prompts;
mod resources;
mod tables;
mod tools;

use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::model::RequestStateCodec;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use self::agent::Shared;
use self::handler::Handler;
use crate::identity::Identity;
use crate::problem::Problem;
use crate::questions::Questions;

fn shared(questions: Questions) -> Result<Arc<Shared>, Problem> {
    let mut key = vec![0; 32];
    getrandom::fill(&mut key)
        .map_err(|error| Problem::unavailable(format!("no random numbers: {error}")))?;
    let codec = RequestStateCodec::try_new(key)
        .map_err(|error| Problem::unavailable(format!("no key for request states: {error}")))?;
    Ok(Arc::new(Shared {
        questions,
        links: links::Links::default(),
        codec,
    }))
}

/// Serves one client over standard input and output, with the rights of one identity, until it closes them.
pub async fn over_stdio(questions: Questions, identity: Identity) -> Result<(), Problem> {
    let handler = Handler {
        shared: shared(questions)?,
        identity: Some(identity),
    };
    let failed =
        |error: String| Problem::unavailable(format!("the client cannot be served: {error}"));
    let mut lines = lines::between(tokio::io::stdin(), tokio::io::stdout());
    let mut serving = std::pin::pin!(handler.serve(lines.service));
    let (service, input) = tokio::select! {
        service = &mut serving => (service, None),
        // The whole input was there at once.
        input = &mut lines.reading => {
            drop(input);
            (serving.await, Some(()))
        }
    };
    let service = service.map_err(|error| failed(error.to_string()))?;
    if input.is_none() {
        // When the client closes its output, calls may still end for two seconds; `rmcp` would give them five.
        let ending = service.cancellation_token();
        tokio::spawn(async move {
            let _open = lines.reading.await;
            ending.cancel();
            std::future::pending::<()>().await;
        });
    }
    service
        .waiting()
        .await
        .map_err(|error| failed(error.to_string()))?;
    // What was said last is written.
    let _ = lines.writing.await;
    Ok(())
}

/// The service behind `/mcp`. Each request carries its identity (an extension of the request), and no session is kept.
/// Hosts and origins were checked before, for all routes.
pub fn over_http(
    questions: Questions,
) -> Result<StreamableHttpService<impl rmcp::ServerHandler, NeverSessionManager>, Problem> {
    let shared = shared(questions)?;
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts();
    Ok(StreamableHttpService::new(
        move || {
            Ok(Handler {
                shared: Arc::clone(&shared),
                identity: None,
            })
        },
        Arc::new(NeverSessionManager::default()),
        config,
    ))
}
