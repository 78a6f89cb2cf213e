//! An ambiguous question as a dialogue, in the two forms of the protocol; where the client has neither, the readings
//! are in the result.
//!
//! Until 2025-11-25 the server asks within the call (`elicitation/create`). From 2026-07-28 on a call returns
//! `input_required` with a sealed state, and the client calls again with the choice.

use std::time::Duration;

use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    EnumSchema, InputRequest, InputRequiredResult, InputResponses, ProtocolVersion,
    RequestStateCodec, SealOptions,
};
use rmcp::service::{ElicitationMode, RequestContext, RoleServer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The choice in a form, and the key of the request in `input_required`.
const READING: &str = "reading";
/// A person who takes longer than this asks again.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// What a call is about when the client comes back with the choice.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) conversation: Option<String>,
    pub(super) readings: Vec<String>,
}

/// How this client can be asked.
pub(super) enum Way {
    /// Within the call.
    Within,
    /// By a result that asks for input.
    ByResult,
    /// Not at all.
    None,
}

pub(super) fn way(context: &RequestContext<RoleServer>, keeps_connection: bool) -> Way {
    let has_forms = context
        .client_capabilities()
        .and_then(|capabilities| capabilities.elicitation)
        // Before 2025-11-25 the capability has no parts and means forms.
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none());
    let is_new = context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    match (has_forms, is_new) {
        (false, _) => Way::None,
        (true, true) => Way::ByResult,
        (true, false) if keeps_connection => Way::Within,
        // Without a session, the client's answer could not be matched to the call.
        (true, false) => Way::None,
    }
}

/// Asks within the call, and returns the reading that was chosen.
pub(super) async fn within(
    context: &RequestContext<RoleServer>,
    question: &str,
    readings: &[String],
) -> Option<String> {
    if !context
        .peer
        .supported_elicitation_modes()
        .contains(&ElicitationMode::Form)
    {
        return None;
    }
    let params = form(question, readings)?;
    let reply = context
        .peer
        .create_elicitation_with_timeout(params, Some(PATIENCE))
        .await;
    match reply {
        Ok(result) => chosen(&result, readings),
        Err(error) => {
            tracing::debug!("the client did not choose a reading: {error}");
            None
        }
    }
}

/// The result that asks. `bound_to` is what the sealed state is valid for: the role and the tool.
pub(super) fn by_result(
    codec: &RequestStateCodec,
    bound_to: &str,
    question: &str,
    asked: &Asked,
) -> Option<InputRequiredResult> {
    let options = SealOptions::new()
        .associated_data(bound_to.as_bytes())
        .ttl(PATIENCE);
    let state = codec.seal_json_with(asked, &options).ok()?;
    let request = InputRequest::Elicitation(ElicitRequest::new(form(question, &asked.readings)?));
    Some(InputRequiredResult::new(
        Some([(READING.to_owned(), request)].into()),
        Some(state),
    ))
}

/// What the client came back with: the conversation, and the reading; `None` for the reading where the person
/// declined. The state comes from the client and is believed only with its seal.
pub(super) fn resumed(
    codec: &RequestStateCodec,
    bound_to: &str,
    state: &str,
    responses: Option<&InputResponses>,
) -> Result<(Asked, Option<String>), String> {
    let asked: Asked = codec
        .open_json_with(state, bound_to.as_bytes())
        .map_err(|error| format!("the request state is not valid: {error}"))?;
    let reply = responses.and_then(|responses| responses.get(READING));
    let reply = reply.and_then(|reply| serde_json::from_value::<ElicitResult>(reply.clone()).ok());
    let reading = reply.and_then(|reply| chosen(&reply, &asked.readings));
    Ok((asked, reading))
}

fn form(question: &str, readings: &[String]) -> Option<ElicitRequestParams> {
    let choice = EnumSchema::builder(readings.to_vec()).build();
    let schema = ElicitationSchema::builder()
        .required_enum_schema(READING, choice)
        .build()
        .ok()?;
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.to_owned(),
        requested_schema: schema,
    })
}

/// Only a reading that was offered is a choice.
fn chosen(reply: &ElicitResult, readings: &[String]) -> Option<String> {
    if reply.action != ElicitationAction::Accept {
        return None;
    }
    let choice = reply
        .content
        .as_ref()?
        .get(READING)
        .and_then(Value::as_str)?;
    readings
        .iter()
        .find(|reading| reading.as_str() == choice)
        .cloned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn codec() -> RequestStateCodec {
        RequestStateCodec::try_new(vec![7; 32]).unwrap()
    }
    fn asked() -> Asked {
        Asked {
            conversation: Some("c".to_owned()),
            readings: vec!["a".to_owned(), "b".to_owned()],
        }
    }
    fn reply(action: &str, reading: &str) -> InputResponses {
        [(
            READING.to_owned(),
            json!({"action": action, "content": {READING: reading}}),
        )]
        .into()
    }

    #[test]
    fn a_choice_comes_back_with_its_question() {
        let result = by_result(&codec(), "ana ask", "Which one?", &asked()).unwrap();
        let state = result.request_state.unwrap();
        let (asked, reading) =
            resumed(&codec(), "ana ask", &state, Some(&reply("accept", "b"))).unwrap();
        assert_eq!(
            (asked.conversation.as_deref(), reading.as_deref()),
            (Some("c"), Some("b"))
        );
        for other in [
            reply("decline", "b"),
            reply("accept", "another"),
            InputResponses::new(),
        ] {
            let (_, reading) = resumed(&codec(), "ana ask", &state, Some(&other)).unwrap();
            assert_eq!(reading, None);
        }
    }

    #[test]
    fn a_state_is_for_one_role() {
        let result = by_result(&codec(), "ana ask", "Which one?", &asked()).unwrap();
        let state = result.request_state.unwrap();
        assert!(resumed(&codec(), "bob ask", &state, None).is_err());
        assert!(resumed(&codec(), "ana ask", &format!("{state}x"), None).is_err());
        assert!(resumed(&codec(), "ana ask", "", None).is_err());
    }
}
