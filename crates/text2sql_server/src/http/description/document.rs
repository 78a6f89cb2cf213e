//! The OpenAPI description of the API, made of the routes themselves: what `openapi.json` has to be.

use std::collections::BTreeMap;

use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, HttpMethod, InfoBuilder, LicenseBuilder, OpenApi,
    OpenApiBuilder, PathsBuilder, Ref, ResponseBuilder,
};
use utoipa::{PartialSchema, ToSchema};

use super::{About, Descriptions, NamedSchema};
use crate::http::openapi::PREFIX;
use crate::problem::{Problem, ReportedProblem};

const DESCRIPTION: &str = "Answers questions in plain language from a PostgreSQL database with the extension \
pg_text2sql. Every request is done with the rights of the role that logs in; PostgreSQL decides what it may do.";

/// A route, and what it does.
pub struct Described {
    pub method: HttpMethod,
    pub path: &'static str,
    pub about: About,
}

impl Descriptions {
    /// The description of all routes.
    pub fn document(self) -> OpenApi {
        let mut items: BTreeMap<String, PathItem> = BTreeMap::new();
        let mut components = ComponentsBuilder::new()
            .schema(Problem::name(), Problem::schema())
            .schema(ReportedProblem::name(), ReportedProblem::schema())
            .security_scheme(
                "basic",
                SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Basic).build()),
            )
            .security_scheme(
                "token",
                SecurityScheme::Http(
                    HttpBuilder::new()
                        .scheme(HttpAuthScheme::Bearer)
                        .bearer_format("JWT")
                        .build(),
                ),
            )
            .security_scheme(
                "session",
                SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("text2sql"))),
            );
        for route in self.0 {
            let path = format!("{PREFIX}{}", route.path);
            let id = operation_id(&route.method, route.path);
            let (operation, schemas) = route.about.into_operation(id);
            components = components.schemas_from_iter(schemas);
            let item = PathItem::new(route.method, operation);
            match items.get_mut(&path) {
                Some(known) => known.merge_operations(item),
                None => drop(items.insert(path, item)),
            }
        }
        let paths = items
            .into_iter()
            .fold(PathsBuilder::new(), |paths, (path, item)| {
                paths.path(path, item)
            });
        let requirement = |name: &str| SecurityRequirement::new(name, Vec::<String>::new());
        OpenApiBuilder::new()
            .info(
                InfoBuilder::new()
                    .title("text2sql-server")
                    .description(Some(DESCRIPTION))
                    .version(env!("CARGO_PKG_VERSION"))
                    .license(Some(
                        LicenseBuilder::new()
                            .name("Apache-2.0")
                            .identifier(Some("Apache-2.0"))
                            .build(),
                    ))
                    .build(),
            )
            .paths(paths)
            .components(Some(components.build()))
            .security(Some([
                requirement("basic"),
                requirement("session"),
                requirement("token"),
            ]))
            .build()
    }
}

impl About {
    /// The operation, and the schemas that it refers to.
    fn into_operation(self, id: String) -> (Operation, Vec<NamedSchema>) {
        let mut operation = self.operation.operation_id(Some(id));
        for parameter in self.parameters {
            operation = operation.parameter(parameter);
        }
        for (status, response) in self.responses {
            operation = operation.response(status, response.build());
        }
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("ReportedProblem")));
        let problem = ResponseBuilder::new()
            .description("What went wrong (RFC 9457)")
            .content("application/problem+json", content.build());
        let operation = operation.response("default", problem.build()).build();
        (operation, self.schemas)
    }
}

/// `postExplainPlan` of `POST /explain-plan`.
fn operation_id(method: &HttpMethod, path: &str) -> String {
    let mut id = match method {
        HttpMethod::Get => "get",
        HttpMethod::Delete => "delete",
        _ => "post",
    }
    .to_owned();
    for word in path.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        id.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        id.push_str(letters.as_str());
    }
    id
}
