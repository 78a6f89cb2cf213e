//! What a message asks: a question about the database, or for SQL over a schema that is not in it.

use a2a::{A2AError, Message, PartContent};

use crate::given_schema::GivenSchema;

/// A request to `text2sql.ask`, or to `text2sql.generate_sql` where a schema came with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) question: String,
    pub(super) schema: Option<Schema>,
}

/// The schema of another database: its DDL, the dialect that the SQL is to have, and what the caller calls the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Schema {
    pub(super) schema_ddl: String,
    pub(super) dialect: Option<String>,
    pub(super) task_id: Option<String>,
}

impl Asked {
    /// The question is the text of the message, the schema its data. Files cannot be asked.
    pub(super) fn read(message: &Message) -> Result<Self, A2AError> {
        let mut texts = Vec::new();
        let mut given: Option<GivenSchema> = None;
        for part in &message.parts {
            match &part.content {
                PartContent::Text(text) => texts.push(text.as_str()),
                PartContent::Data(data) if given.is_none() && data.is_object() => {
                    let read = serde_json::from_value(data.clone()).map_err(|error| {
                        A2AError::invalid_params(format!(
                            "data must be {{\"schema_ddl\": …, \"dialect\": …}}: {error}"
                        ))
                    })?;
                    given = Some(read);
                }
                PartContent::Data(_) => {
                    return Err(A2AError::invalid_params(
                        "data must be one object: {\"schema_ddl\": …, \"dialect\": …}",
                    ));
                }
                PartContent::Raw(_) | PartContent::Url(_) => {
                    return Err(A2AError::content_type_not_supported());
                }
            }
        }
        if texts.is_empty() && given.is_none() {
            return Err(A2AError::content_type_not_supported());
        }
        let Some(mut given) = given else {
            return Self::checked(texts.join("\n"), None);
        };
        let schema = Schema {
            schema_ddl: given.ddl().map_err(A2AError::invalid_params)?,
            dialect: given.dialect.take(),
            task_id: given.task_id.take(),
        };
        let question = given.question.unwrap_or_else(|| texts.join("\n"));
        Self::checked(question, Some(schema))
    }

    fn checked(question: String, schema: Option<Schema>) -> Result<Self, A2AError> {
        GivenSchema::check(&question).map_err(A2AError::invalid_params)?;
        let texts = schema.iter().flat_map(|schema| {
            let others = [&schema.dialect, &schema.task_id];
            others.into_iter().flatten().chain([&schema.schema_ddl])
        });
        if texts.chain([&question]).any(|text| text.contains('\0')) {
            return Err(A2AError::invalid_params(
                "the message contains a null character",
            ));
        }
        Ok(Self { question, schema })
    }
}

#[cfg(test)]
mod tests {
    use a2a::{Part, Role};
    use serde_json::json;

    use super::*;
    use crate::given_schema::LONGEST_QUESTION;

    fn read(parts: Vec<Part>) -> Result<Asked, A2AError> {
        Asked::read(&Message::new(Role::User, parts))
    }

    #[test]
    fn a_question_may_bring_its_schema() {
        let asked = read(vec![Part::text("How many?"), Part::text("And where?")]).unwrap();
        assert_eq!(
            (asked.question.as_str(), asked.schema),
            ("How many?\nAnd where?", None)
        );
        let schema = json!({"schema_ddl": "CREATE TABLE t (a int)", "dialect": "sqlite"});
        let asked = read(vec![Part::text("How many?"), Part::data(schema)]).unwrap();
        assert_eq!(asked.schema.unwrap().dialect.as_deref(), Some("sqlite"));
        let tables = json!({"question": "How many?", "schema": {"tables": {"t": {"a": "int"}}}, "task_id": "t-1"});
        let asked = read(vec![Part::data(tables)]).unwrap().schema.unwrap();
        assert_eq!(
            asked.schema_ddl,
            "CREATE TABLE \"t\" (\n  \"a\" integer\n);"
        );
        assert_eq!(asked.task_id.as_deref(), Some("t-1"));
        let alone = json!({"question": "How many?", "schema_ddl": "CREATE TABLE t (a int)"});
        assert_eq!(read(vec![Part::data(alone)]).unwrap().question, "How many?");
    }

    #[test]
    fn what_cannot_be_asked_is_refused() {
        let schema = || Part::data(json!({"schema_ddl": "x"}));
        for parts in [
            vec![],
            vec![Part::text(" ")],
            vec![schema()],
            vec![Part::text("a"), schema(), schema()],
            vec![Part::text("a"), Part::data(json!({"options": {}}))],
            vec![Part::text("a"), Part::data(json!(["x"]))],
            vec![Part::text("a\0")],
            vec![Part::text("a".repeat(LONGEST_QUESTION + 1))],
        ] {
            assert!(read(parts.clone()).is_err(), "{parts:?}");
        }
    }
}
