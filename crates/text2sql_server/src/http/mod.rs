//! HTTP: routes, and what stands before them.

mod admin;
mod agents;
mod answer;
mod answers;
mod around;
mod ask;
mod attachment;
mod boards;
mod body;
mod chart;
mod client_address;
mod clients;
mod conversations;
mod databases;
mod description;
mod documents;
mod ending;
mod export;
mod feedback;
mod file_body;
mod health;
mod identification;
mod imports;
mod knowledge;
mod learning;
mod loaded_tables;
mod no_route;
mod openapi;
mod page;
mod page_of;
mod page_texts;
mod plans;
mod records;
mod routes;
mod session;
mod state;
mod statements;
mod tables;
mod teach;
mod waiting;
mod who_am_i;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use routes::Routes;

pub use state::App;

use self::no_route::{no_such_route, wrong_method};
use crate::config::Config;
use crate::mcp;
use crate::problem::Problem;

/// Listens until the process is asked to end.
pub async fn serve(config: Config) -> Result<(), Problem> {
    let listen = config.listen;
    around::log_panics();
    let apps = App::all(&config)?;
    for app in apps.iter().filter(|app| app.config.jwt.is_some()) {
        app.database.check_login_role().await?;
    }
    let listener = tokio::net::TcpListener::bind(listen)
        .await
        .map_err(|error| Problem::unavailable(format!("cannot listen on {listen}: {error}")))?;
    let address = listener.local_addr().unwrap_or(listen);
    tracing::info!("listening on http://{address}");
    let routes = databases::router(&apps, router)?;
    ending::serve(listener, routes, apps).await
}

/// Serves one agent over standard input and output, with the credentials that psql would use.
pub async fn serve_agent(config: Config) -> Result<(), Problem> {
    let app = App::new(config)?;
    let identity = app.own_identity()?;
    mcp::over_stdio(app.questions.clone(), identity).await
}

/// All routes below `/api/v1`, with their description.
fn api() -> Routes {
    let routes = Routes::new();
    let routes = session::routes(routes);
    let routes = ask::routes(routes);
    let routes = answer::routes(routes);
    let routes = plans::routes(routes);
    let routes = statements::routes(routes);
    let routes = learning::routes(routes);
    let routes = export::routes(routes);
    let routes = chart::routes(routes);
    let routes = feedback::routes(routes);
    let routes = conversations::routes(routes);
    let routes = boards::routes(routes);
    let routes = imports::routes(routes);
    let routes = documents::routes(routes);
    let routes = knowledge::routes(routes);
    let routes = records::routes(routes);
    let routes = tables::routes(routes);
    let routes = teach::routes(routes);
    let routes = waiting::routes(routes);
    admin::routes(routes)
}

/// Everything that is served.
pub fn router(app: Arc<App>) -> Result<Router, Problem> {
    let (api, _) = api().into_parts();
    let description = openapi::description(&identification::cookie_name(&app))?;
    let json = [(CONTENT_TYPE, "application/json")];
    let api = api
        .route(
            "/openapi.json",
            get(move || async move { (json, description) }),
        )
        .fallback(no_such_route);
    let mut routes = Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .nest(openapi::PREFIX, api)
        .merge(agents::routes(&app)?);
    routes = match app.config.page {
        true => routes.fallback(page::file),
        false => routes.fallback(no_such_route),
    };
    let routes = routes
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(body::USUAL))
        .with_state(Arc::clone(&app));
    Ok(around::surround(routes, &app))
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;

    /// `UPDATE_EXPECT=1` writes the file anew: read the difference.
    #[test]
    fn openapi_json_describes_the_routes_as_they_are() {
        let (_, described) = super::api().into_parts();
        let mut text = serde_json::to_string_pretty(&described.document()).unwrap();
        text.push('\n');
        expect_file!["../../openapi.json"].assert_eq(&text);
    }
}
