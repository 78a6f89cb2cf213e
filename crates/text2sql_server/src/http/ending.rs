//! How the server ends: streams end, requests may finish, and what takes too long is cut off.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::App;
use super::clients::Clients;
use crate::problem::Problem;

/// How long requests may take to finish after the process was asked to end.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often passwords that are not needed any more are forgotten.
const SWEEP: Duration = Duration::from_secs(30);

/// Serves until SIGTERM or SIGINT.
pub async fn serve(
    listener: TcpListener,
    routes: Router,
    apps: Vec<Arc<App>>,
) -> Result<(), Problem> {
    // They end together.
    let app = apps.first().map(Arc::clone).ok_or_else(Problem::internal)?;
    let failed = |error: std::io::Error| Problem::unavailable(format!("cannot serve: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let ending = Arc::clone(&app);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("ending: requests may finish");
        ending.end();
    });
    tokio::spawn(sweep(apps));
    let connections = GracefulShutdown::new();
    let clients = Clients::of_process(&app.config.trusted_proxies);
    tokio::select! {
        () = clients.serve(&listener, &routes, &connections) => {}
        () = app.ending() => {}
    }
    drop(listener);
    tokio::select! {
        () = connections.shutdown() => {}
        () = tokio::time::sleep(PATIENCE) => {}
    }
    Ok(())
}

async fn sweep(apps: Vec<Arc<App>>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        for app in &apps {
            app.sessions.forget_old();
            app.login.forget_old();
        }
    }
}
