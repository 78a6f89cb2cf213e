//! The agent card: what every client may know before it has logged in. It names no table and no database.

use std::collections::HashMap;

use a2a::{
    AgentCapabilities, AgentCard, AgentInterface, AgentSkill, HttpAuthSecurityScheme,
    SecurityScheme, TRANSPORT_PROTOCOL_JSONRPC,
};

/// The card of the server at this address, such as `https://ask.example.com`.
pub(super) fn card(public_url: &str) -> AgentCard {
    let text = || vec!["text/plain".to_owned()];
    let skill = |id: &str, name: &str, description: &str, example: &str| AgentSkill {
        id: id.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        tags: vec![
            "sql".to_owned(),
            "postgresql".to_owned(),
            "analytics".to_owned(),
        ],
        examples: Some(vec![example.to_owned()]),
        input_modes: None,
        output_modes: None,
        security_requirements: None,
    };
    let scheme = |scheme: &str| {
        SecurityScheme::HttpAuth(HttpAuthSecurityScheme {
            scheme: scheme.to_owned(),
            description: None,
            bearer_format: None,
        })
    };
    let requirement = |name: &str| HashMap::from([(name.to_owned(), Vec::new())]);
    let mut generate_sql = skill(
        "generate_sql",
        "Write SQL for a schema",
        "A question with a part of data, {\"schema_ddl\": \"CREATE TABLE …\", \"dialect\": \"sqlite\"}: SQL for that \
         schema with its reasoning and assumptions. The dialect is postgresql, sqlite, duckdb, mysql or tsql. The SQL \
         is checked against the schema and not run.",
        "How many orders are there per customer?",
    );
    generate_sql.input_modes = Some(vec!["text/plain".to_owned(), "application/json".to_owned()]);
    AgentCard {
        name: "text2sql".to_owned(),
        description: "Answers questions in plain language from a PostgreSQL database, with the rights of who asks."
            .to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        supported_interfaces: vec![AgentInterface::new(format!("{public_url}/a2a"), TRANSPORT_PROTOCOL_JSONRPC)],
        capabilities: AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(false),
            extensions: None,
            extended_agent_card: Some(false),
        },
        default_input_modes: text(),
        default_output_modes: super::state::OUTPUT_MODES.map(str::to_owned).to_vec(),
        skills: vec![
            skill(
                "ask",
                "Answer a question",
                "A question in plain language: the answer as a sentence, as rows, and the SQL that ran. A question with \
                 several meanings comes back with its readings.",
                "How many orders were there per month last year?",
            ),
            generate_sql,
        ],
        provider: None,
        documentation_url: None,
        icon_url: None,
        security_schemes: Some(HashMap::from([
            ("basic".to_owned(), scheme("Basic")),
            ("bearer".to_owned(), scheme("Bearer")),
        ])),
        security_requirements: Some(vec![requirement("basic"), requirement("bearer")]),
        signatures: None,
    }
}
