//! Several databases behind one server: each has every route below `/databases/NAME/`, and the first also those without
//! it. A session belongs to one of them, and its cookie has its name, so that two can be open side by side.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Uri;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Serialize;
use tower::ServiceExt;
use utoipa::ToSchema;

use super::App;
use crate::problem::Problem;

/// Where each of them begins.
const PREFIX: &str = "/databases/";

/// A database that one can log in to.
#[derive(Serialize, ToSchema)]
pub struct Offered {
    /// What the configuration calls it.
    name: String,
    /// Where its page is, and below it its routes.
    path: String,
    /// Whether it is that of this address.
    is_this: bool,
}

type Named = Arc<[(String, Router)]>;

/// The path of a database of this name.
pub fn path_of(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// The databases that this server offers; none where there is only one.
pub fn offered(app: &App) -> Vec<Offered> {
    let names = app.config.databases.iter().map(|(name, _)| name);
    names
        .map(|name| Offered {
            name: name.clone(),
            path: format!("{}/", path_of(name)),
            is_this: app.name.as_deref() == Some(name),
        })
        .collect()
}

/// The routes of all databases; of one without a name its own.
pub fn router(
    apps: &[Arc<App>],
    routes: impl Fn(Arc<App>) -> Result<Router, Problem>,
) -> Result<Router, Problem> {
    let all = apps.iter().map(|app| {
        let name = app.name.clone().unwrap_or_default();
        Ok((name, routes(Arc::clone(app))?))
    });
    let mut all: Vec<(String, Router)> = all.collect::<Result<_, Problem>>()?;
    match all.as_slice() {
        [(name, _)] if name.is_empty() => Ok(all.remove(0).1),
        _ => Ok(Router::new().fallback(choose).with_state(all.into())),
    }
}

/// Hands a request to its database.
async fn choose(State(all): State<Named>, mut request: Request) -> Response {
    let chosen = match request.uri().path().strip_prefix(PREFIX) {
        None => all.first().map(|(_, router)| router),
        Some(rest) => {
            let (name, rest) = match rest.split_once('/') {
                Some((name, rest)) => (name, Some(rest)),
                None => (rest, None),
            };
            let found = all.iter().find(|(other, _)| other == name);
            match (
                found,
                rest.and_then(|rest| without_prefix(request.uri(), rest)),
            ) {
                // What the page asks for is relative to its address.
                (Some((name, _)), None) => {
                    return Redirect::permanent(&format!("{}/", path_of(name))).into_response();
                }
                (Some((_, router)), Some(uri)) => {
                    *request.uri_mut() = uri;
                    Some(router)
                }
                // The first one says that there is no such page, with all that stands around an answer.
                (None, _) => all.first().map(|(_, router)| router),
            }
        }
    };
    match chosen {
        Some(router) => router.clone().oneshot(request).await.into_response(),
        None => Problem::internal().into_response(),
    }
}

/// The address as the routes of a database know it.
fn without_prefix(uri: &Uri, rest: &str) -> Option<Uri> {
    let query = uri.query().map(|query| format!("?{query}"));
    let path = format!("/{rest}{}", query.unwrap_or_default());
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path.parse().ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::routing::get;

    use super::*;

    async fn asked(uri: &str) -> (u16, String) {
        let named = |name: &'static str| {
            let says = move |uri: Uri| async move { format!("{name} {uri}") };
            (name.to_owned(), Router::new().route("/x", get(says)))
        };
        let all: Named = vec![named("shop"), named("hr")].into();
        let router = Router::new().fallback(choose).with_state(all);
        let request = Request::get(uri).body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let place = response.headers().get("location").cloned();
        let body = to_bytes(response.into_body(), 1000).await.unwrap();
        let text = match place {
            Some(place) => place.to_str().unwrap().to_owned(),
            None => String::from_utf8(body.to_vec()).unwrap(),
        };
        (status, text)
    }

    #[tokio::test]
    async fn a_request_reaches_the_database_of_its_address() {
        assert_eq!(asked("/x?a=1").await, (200, "shop /x?a=1".to_owned()));
        assert_eq!(
            asked("/databases/shop/x").await,
            (200, "shop /x".to_owned())
        );
        assert_eq!(
            asked("/databases/hr/x?a=/databases/shop/").await,
            (200, "hr /x?a=/databases/shop/".to_owned())
        );
        assert_eq!(
            asked("/databases/hr").await,
            (308, "/databases/hr/".to_owned())
        );
        assert_eq!(asked("/databases/hr//x").await.0, 404);
        assert_eq!(asked("/databases/other/x").await.0, 404);
        assert_eq!(asked("/databases//x").await.0, 404);
        // One prefix is enough.
        assert_eq!(asked("/databases/hr/databases/shop/x").await.0, 404);
    }
}
