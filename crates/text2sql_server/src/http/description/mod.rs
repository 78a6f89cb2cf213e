//! What routes do, as it is said where they are declared. A test makes `openapi.json` of it; the program serves that
//! file, and asks no route.

#[cfg(test)]
mod document;

use std::collections::BTreeMap;

use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{
    ContentBuilder, HttpMethod, ObjectBuilder, Ref, RefOr, Required, ResponseBuilder, Schema, Type,
};
use utoipa::{IntoParams, ToSchema};

/// What the routes do. Outside tests it is empty, so that the program has no machine code of schemas.
#[derive(Default)]
pub struct Descriptions(#[cfg(test)] Vec<document::Described>);

impl Descriptions {
    /// Adds what a route does.
    #[cfg(test)]
    pub fn add(&mut self, method: HttpMethod, path: &'static str, about: impl FnOnce() -> About) {
        let about = about();
        self.0.push(document::Described {
            method,
            path,
            about,
        });
    }

    /// Asks nothing.
    #[cfg(not(test))]
    pub fn add(&mut self, _: HttpMethod, _: &'static str, _: impl FnOnce() -> About) {}
}

/// A schema with its name.
type NamedSchema = (String, RefOr<Schema>);

/// What a route does.
pub struct About {
    operation: OperationBuilder,
    parameters: Vec<Parameter>,
    responses: BTreeMap<&'static str, ResponseBuilder>,
    schemas: Vec<NamedSchema>,
}

impl About {
    /// A route of a family, with the parameters of its path.
    pub fn new(family: &str, path: &str, summary: &str) -> Self {
        let operation = OperationBuilder::new().tag(family).summary(Some(summary));
        let parts = path.split('/').filter_map(|part| part.strip_prefix('{'));
        Self {
            operation,
            parameters: parts
                .map(|part| of_path(part.trim_end_matches('}')))
                .collect(),
            responses: BTreeMap::new(),
            schemas: Vec::new(),
        }
    }

    /// It needs no login.
    #[must_use]
    pub fn public(mut self) -> Self {
        self.operation = self.operation.security(SecurityRequirement::default());
        self
    }

    /// Its body is JSON of this type.
    #[must_use]
    pub fn takes<T: ToSchema>(mut self) -> Self {
        let content = ContentBuilder::new().schema(Some(self.collect::<T>()));
        let body = RequestBodyBuilder::new()
            .content("application/json", content.build())
            .required(Some(Required::True));
        self.operation = self.operation.request_body(Some(body.build()));
        self
    }

    /// It answers with JSON of this type.
    #[must_use]
    pub fn gives<T: ToSchema>(mut self) -> Self {
        let schema = self.collect::<T>();
        self.answer("application/json", Some(schema))
    }

    /// It answers with some JSON object.
    #[must_use]
    pub fn gives_object(self) -> Self {
        self.gives_text("application/json")
    }

    /// It answers with 204.
    #[must_use]
    pub fn gives_nothing(mut self) -> Self {
        let done = ResponseBuilder::new().description("Done");
        self.responses.insert("204", done);
        self
    }

    /// It answers with text of this media type.
    #[must_use]
    pub fn gives_text(self, media_type: &str) -> Self {
        self.answer(media_type, None)
    }

    /// It answers with a stream of events of this type, where the client asks for one.
    #[must_use]
    pub fn streams<T: ToSchema>(mut self) -> Self {
        let schema = self.collect::<T>();
        self.answer("text/event-stream", Some(schema))
    }

    /// What a parameter of its path is, where the usual words do not say it.
    #[must_use]
    pub fn path_parameter(mut self, name: &str, description: &str) -> Self {
        for parameter in &mut self.parameters {
            if parameter.name == name {
                parameter.description = Some(description.to_owned());
            }
        }
        self
    }

    /// It takes these parameters behind the `?`.
    #[must_use]
    pub fn query<T: IntoParams>(mut self) -> Self {
        self.parameters
            .extend(T::into_params(|| Some(ParameterIn::Query)));
        self
    }

    fn answer(mut self, media_type: &str, schema: Option<Ref>) -> Self {
        let content = ContentBuilder::new().schema(schema).build();
        let response = self
            .responses
            .remove("200")
            .unwrap_or_else(|| ResponseBuilder::new().description("The answer"));
        self.responses
            .insert("200", response.content(media_type, content));
        self
    }

    /// Keeps the schema of a type and of those it consists of, and refers to it.
    fn collect<T: ToSchema>(&mut self) -> Ref {
        let name = T::name().into_owned();
        self.schemas.push((name.clone(), T::schema()));
        T::schemas(&mut self.schemas);
        Ref::from_schema_name(name)
    }
}

fn of_path(name: &str) -> Parameter {
    let (kind, description) = match name {
        "id" => (Type::Integer, "Its id"),
        "right" => (Type::String, "usage, curator, approver or evaluation"),
        _ => (Type::String, "Its name"),
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(kind)))
        .build()
}
