//! Routes with their description: the router and the OpenAPI document (`openapi.json`) are made of one list, so that they
//! cannot differ.
//!
//! Most routes are one call of a function of the extension, whose privileges decide who may. Such a route is a statement
//! that returns one JSON value. Its parameters are the parts of the path, and then the fields of the body or of the query
//! in their order: a text as it is, a missing value as NULL, anything else as JSON.

use std::sync::Arc;

use axum::extract::State;
use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, delete, get, on, post};
use axum::{Json, Router};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::openapi::HttpMethod;
use utoipa::{IntoParams, ToSchema};

use super::App;
use super::body::{Body, Parameters, Part};
use super::description::{About, Descriptions};
use super::page_of::none_is_not_found;
use crate::identity::Identity;
use crate::problem::Problem;

/// What a route of one statement answers with.
pub type Reply = Result<Json<Box<RawValue>>, Problem>;

/// What comes with a request besides its path.
pub trait Fields: DeserializeOwned + Serialize + Send + Sync + 'static {}

impl<T: DeserializeOwned + Serialize + Send + Sync + 'static> Fields for T {}

/// Routes below `/api/v1`, and what they do.
pub struct Routes {
    router: Router<Arc<App>>,
    described: Descriptions,
    family: &'static str,
}

impl Routes {
    /// None yet.
    pub fn new() -> Self {
        Self {
            router: Router::new(),
            described: Descriptions::default(),
            family: "",
        }
    }

    /// The routes that follow belong to this family.
    pub fn family(mut self, name: &'static str) -> Self {
        self.family = name;
        self
    }

    /// Adds `GET path`, which is one statement.
    pub fn reads(self, path: &'static str, summary: &'static str, sql: &'static str) -> Self {
        let route = of_path(MethodFilter::GET, sql);
        self.add(path, HttpMethod::Get, summary, route, |about| {
            about.gives_object()
        })
    }

    /// The same with fields behind the `?`.
    pub fn reads_with<T: Fields + IntoParams>(
        self,
        path: &'static str,
        summary: &'static str,
        sql: &'static str,
    ) -> Self {
        let route = of_query::<T>(MethodFilter::GET, sql);
        self.add(path, HttpMethod::Get, summary, route, |about| {
            about.query::<T>().gives_object()
        })
    }

    /// Adds `POST path`, which is one statement.
    pub fn does(self, path: &'static str, summary: &'static str, sql: &'static str) -> Self {
        let route = of_path(MethodFilter::POST, sql);
        self.add(path, HttpMethod::Post, summary, route, |about| {
            about.gives_object()
        })
    }

    /// The same with fields in a body.
    pub fn does_with<T: Fields + ToSchema>(
        self,
        path: &'static str,
        summary: &'static str,
        sql: &'static str,
    ) -> Self {
        let route = of_body::<T>(sql);
        self.add(path, HttpMethod::Post, summary, route, |about| {
            about.takes::<T>().gives_object()
        })
    }

    /// The same with a described answer.
    pub fn answers<T: Fields + ToSchema, A: ToSchema>(
        self,
        path: &'static str,
        summary: &'static str,
        sql: &'static str,
    ) -> Self {
        let route = of_body::<T>(sql);
        self.add(path, HttpMethod::Post, summary, route, |about| {
            about.takes::<T>().gives::<A>()
        })
    }

    /// Adds `DELETE path`, which is one statement.
    pub fn removes(self, path: &'static str, summary: &'static str, sql: &'static str) -> Self {
        let route = of_path(MethodFilter::DELETE, sql);
        self.add(path, HttpMethod::Delete, summary, route, |about| {
            about.gives_object()
        })
    }

    /// The same with fields behind the `?`.
    pub fn removes_with<T: Fields + IntoParams>(
        self,
        path: &'static str,
        summary: &'static str,
        sql: &'static str,
    ) -> Self {
        let route = of_query::<T>(MethodFilter::DELETE, sql);
        self.add(path, HttpMethod::Delete, summary, route, |about| {
            about.query::<T>().gives_object()
        })
    }

    /// Adds `GET path`.
    pub fn get<H, T>(
        self,
        path: &'static str,
        summary: &'static str,
        handler: H,
        about: impl FnOnce(About) -> About,
    ) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.add(path, HttpMethod::Get, summary, get(handler), about)
    }

    /// Adds `POST path`.
    pub fn post<H, T>(
        self,
        path: &'static str,
        summary: &'static str,
        handler: H,
        about: impl FnOnce(About) -> About,
    ) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.add(path, HttpMethod::Post, summary, post(handler), about)
    }

    /// Adds `DELETE path`.
    pub fn delete<H, T>(
        self,
        path: &'static str,
        summary: &'static str,
        handler: H,
        about: impl FnOnce(About) -> About,
    ) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.add(path, HttpMethod::Delete, summary, delete(handler), about)
    }

    fn add(
        mut self,
        path: &'static str,
        method: HttpMethod,
        summary: &'static str,
        handler: MethodRouter<Arc<App>>,
        about: impl FnOnce(About) -> About,
    ) -> Self {
        self.router = self.router.route(path, handler);
        let family = self.family;
        self.described
            .add(method, path, || about(About::new(family, path, summary)));
        self
    }

    /// The router, and the descriptions of its routes.
    pub fn into_parts(self) -> (Router<Arc<App>>, Descriptions) {
        (self.router, self.described)
    }
}

fn of_path(method: MethodFilter, sql: &'static str) -> MethodRouter<Arc<App>> {
    let handler = move |State(app): State<Arc<App>>, identity: Identity, Part(path): Part<_>| async move {
        run(&app, &identity, sql, path, &()).await
    };
    on(method, handler)
}

fn of_query<T: Fields>(method: MethodFilter, sql: &'static str) -> MethodRouter<Arc<App>> {
    let handler = move |State(app): State<Arc<App>>,
                        identity: Identity,
                        Part(path): Part<_>,
                        Parameters(said): Parameters<T>| async move {
        run(&app, &identity, sql, path, &said).await
    };
    on(method, handler)
}

fn of_body<T: Fields>(sql: &'static str) -> MethodRouter<Arc<App>> {
    let handler =
        move |State(app): State<Arc<App>>,
              identity: Identity,
              Part(path): Part<_>,
              Body(said): Body<T>| async move { run(&app, &identity, sql, path, &said).await };
    post(handler)
}

/// Runs the statement of a route. One without a row found nothing that the caller may see.
async fn run(
    app: &App,
    identity: &Identity,
    sql: &str,
    path: Vec<String>,
    said: &impl Serialize,
) -> Reply {
    let mut parameters: Vec<Option<String>> = path.into_iter().map(Some).collect();
    if let Value::Object(fields) = serde_json::to_value(said).map_err(|_| Problem::internal())? {
        parameters.extend(fields.into_values().map(parameter));
    }
    let parameters: Vec<_> = parameters.iter().map(Option::as_deref).collect();
    let value = app.database.json(identity, sql, &parameters).await?;
    none_is_not_found(value).map(Json)
}

fn parameter(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}
