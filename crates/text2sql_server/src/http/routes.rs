//! Routes with their description: the router and the OpenAPI document are made of one list, so that they cannot
//! differ.

use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodRouter, delete, get, post};
use utoipa::openapi::HttpMethod;

use super::App;
use super::description::About;

/// Routes below `/api/v1`, and what they do.
pub struct Routes {
    router: Router<Arc<App>>,
    described: Vec<Described>,
}

/// A route as the OpenAPI document has it.
pub struct Described {
    /// Path below `/api/v1`.
    pub path: &'static str,
    /// Method.
    pub method: HttpMethod,
    /// What it does.
    pub about: About,
}

impl Routes {
    /// None yet.
    pub fn new() -> Self {
        Self {
            router: Router::new(),
            described: Vec::new(),
        }
    }

    /// Adds `GET path`.
    pub fn get<H, T>(self, path: &'static str, handler: H, about: About) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.add(path, HttpMethod::Get, get(handler), about)
    }

    /// Adds `POST path`.
    pub fn post<H, T>(self, path: &'static str, handler: H, about: About) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.add(path, HttpMethod::Post, post(handler), about)
    }

    /// Adds `DELETE path`.
    pub fn delete<H, T>(self, path: &'static str, handler: H, about: About) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        self.add(path, HttpMethod::Delete, delete(handler), about)
    }

    fn add(
        mut self,
        path: &'static str,
        method: HttpMethod,
        handler: MethodRouter<Arc<App>>,
        about: About,
    ) -> Self {
        self.router = self.router.route(path, handler);
        self.described.push(Described {
            path,
            method,
            about,
        });
        self
    }

    /// The router, and the descriptions of its routes.
    pub fn into_parts(self) -> (Router<Arc<App>>, Vec<Described>) {
        (self.router, self.described)
    }
}
