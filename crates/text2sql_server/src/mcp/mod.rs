//! The Model Context Protocol: tools, resources and prompts for agents, over stdio and over HTTP.
//!
//! There is no tool that runs what an agent likes: each one is a function of the extension, which judges SQL on the
//! tree that the server runs, with the rights of the user. Only this module knows the types of `rmcp`.

mod agent;
mod clarify;
mod data;
mod handler;
mod links;
mod prompts;
mod resources;
mod tables;
mod tools;

use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::model::RequestStateCodec;
use rmcp::transport::stdio;
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
    let service = handler
        .serve(stdio())
        .await
        .map_err(|error| failed(error.to_string()))?;
    service
        .waiting()
        .await
        .map_err(|error| failed(error.to_string()))?;
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
