//! What a route does, for the OpenAPI document.

use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{
    ContentBuilder, ObjectBuilder, Ref, RefOr, Required, ResponseBuilder, Schema, Type,
};
use utoipa::{IntoParams, ToSchema};

/// A schema with its name.
pub type NamedSchema = (String, RefOr<Schema>);

/// What a route does.
pub struct About {
    tag: &'static str,
    summary: &'static str,
    is_public: bool,
    body: Option<String>,
    answers: Vec<Answer>,
    parameters: Vec<Parameter>,
    schemas: Vec<NamedSchema>,
}

struct Answer {
    status: &'static str,
    media_type: Option<&'static str>,
    schema: Option<String>,
}

impl About {
    /// A route of a family.
    pub fn new(tag: &'static str, summary: &'static str) -> Self {
        Self {
            tag,
            summary,
            is_public: false,
            body: None,
            answers: Vec::new(),
            parameters: Vec::new(),
            schemas: Vec::new(),
        }
    }

    /// It needs no login.
    #[must_use]
    pub fn public(mut self) -> Self {
        self.is_public = true;
        self
    }

    /// Its body is JSON of this type.
    #[must_use]
    pub fn takes<T: ToSchema>(mut self) -> Self {
        self.body = Some(self.collect::<T>());
        self
    }

    /// It answers with JSON of this type.
    #[must_use]
    pub fn gives<T: ToSchema>(mut self) -> Self {
        let schema = Some(self.collect::<T>());
        self.answer("200", Some("application/json"), schema)
    }

    /// It answers with some JSON object.
    #[must_use]
    pub fn gives_object(self) -> Self {
        self.answer("200", Some("application/json"), None)
    }

    /// It answers with 204.
    #[must_use]
    pub fn gives_nothing(self) -> Self {
        self.answer("204", None, None)
    }

    /// It answers with text of this media type.
    #[must_use]
    pub fn gives_text(self, media_type: &'static str) -> Self {
        self.answer("200", Some(media_type), None)
    }

    /// It answers with a stream of events of this type, where the client asks for one.
    #[must_use]
    pub fn streams<T: ToSchema>(mut self) -> Self {
        let schema = Some(self.collect::<T>());
        self.answer("200", Some("text/event-stream"), schema)
    }

    /// Its path has a parameter, a text.
    #[must_use]
    pub fn path_parameter(self, name: &'static str, description: &'static str) -> Self {
        self.path(
            name,
            description,
            ObjectBuilder::new().schema_type(Type::String),
        )
    }

    /// Its path has a parameter, a number.
    #[must_use]
    pub fn path_number(self, name: &'static str, description: &'static str) -> Self {
        self.path(
            name,
            description,
            ObjectBuilder::new().schema_type(Type::Integer),
        )
    }

    /// It takes these parameters behind the `?`.
    #[must_use]
    pub fn query<T: IntoParams>(mut self) -> Self {
        self.parameters
            .extend(T::into_params(|| Some(ParameterIn::Query)));
        self
    }

    fn path(mut self, name: &str, description: &str, schema: ObjectBuilder) -> Self {
        let parameter = ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(Some(description))
            .schema(Some(schema));
        self.parameters.push(parameter.build());
        self
    }

    fn answer(
        mut self,
        status: &'static str,
        media_type: Option<&'static str>,
        schema: Option<String>,
    ) -> Self {
        self.answers.push(Answer {
            status,
            media_type,
            schema,
        });
        self
    }

    /// Keeps the schema of a type and of those it consists of, and returns its name.
    fn collect<T: ToSchema>(&mut self) -> String {
        let name = T::name().into_owned();
        self.schemas.push((name.clone(), T::schema()));
        T::schemas(&mut self.schemas);
        name
    }

    /// The operation, and the schemas that it refers to.
    pub(super) fn into_operation(self, id: String) -> (OperationBuilder, Vec<NamedSchema>) {
        let mut operation = OperationBuilder::new()
            .tag(self.tag)
            .summary(Some(self.summary))
            .operation_id(Some(id));
        if self.is_public {
            operation = operation.security(SecurityRequirement::default());
        }
        for parameter in self.parameters {
            operation = operation.parameter(parameter);
        }
        if let Some(body) = self.body {
            let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(body)));
            let body = RequestBodyBuilder::new()
                .content("application/json", content.build())
                .required(Some(Required::True));
            operation = operation.request_body(Some(body.build()));
        }
        let mut statuses: Vec<(&str, ResponseBuilder)> = Vec::new();
        for answer in self.answers {
            let content = ContentBuilder::new().schema(answer.schema.map(Ref::from_schema_name));
            let at = statuses
                .iter()
                .position(|(status, _)| *status == answer.status);
            let response = match at {
                Some(at) => statuses.swap_remove(at).1,
                None => ResponseBuilder::new().description(description_of(answer.status)),
            };
            let response = match answer.media_type {
                Some(media_type) => response.content(media_type, content.build()),
                None => response,
            };
            statuses.push((answer.status, response));
        }
        for (status, response) in statuses {
            operation = operation.response(status, response.build());
        }
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("ReportedProblem")));
        let problem = ResponseBuilder::new()
            .description("What went wrong (RFC 9457)")
            .content("application/problem+json", content.build());
        (operation.response("default", problem.build()), self.schemas)
    }
}

fn description_of(status: &str) -> &'static str {
    match status {
        "204" => "Done",
        _ => "The answer",
    }
}
