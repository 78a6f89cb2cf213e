//! What the tools do. A fault of the database or of the question is a result that the agent reads, not an error of the
//! protocol, which most clients hide.

mod arguments;
mod ask;
mod list;
mod results;
mod statements;

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use rmcp::service::{RequestContext, RoleServer};

use self::arguments::Arguments;
pub(super) use self::list::list;
use self::results::{answered, described, failed, structured};
use super::agent::Agent;
use super::tables;
use crate::answer::Answer;
use crate::problem::Problem;

/// Runs a tool.
pub(super) async fn call(
    agent: &Agent,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let name = request.name.clone();
    let mut arguments = Arguments::new(request.arguments);
    let outcome = match name.as_ref() {
        "ask" => {
            let question = arguments.text("question")?;
            let conversation = arguments.optional_text("conversation")?;
            let meaning = arguments.optional_object("meaning")?;
            arguments.finish()?;
            let resumed = request
                .request_state
                .as_deref()
                .map(|state| (state, request.input_responses.as_ref()));
            return ask::ask(agent, context, question, conversation, meaning, resumed).await;
        }
        "run_sql" => {
            let sql = arguments.text("sql")?;
            arguments.finish()?;
            run_sql(agent, context, &sql).await
        }
        "check_sql" => {
            let sql = arguments.text("sql")?;
            arguments.finish()?;
            agent
                .json(context, statements::CHECK, &[Some(&sql)])
                .await
                .map(|json| structured(&json))
        }
        "find" => {
            let question = arguments.text("question")?;
            arguments.finish()?;
            agent
                .json(context, statements::FIND, &[Some(&question)])
                .await
                .map(|json| structured(&json))
        }
        "describe" => {
            let table = arguments.text("table")?;
            arguments.finish()?;
            tables::named(agent, context, &table)
                .await
                .map(|found| described(&table, &found))
        }
        "generate_sql" => {
            let question = arguments.text("question")?;
            let ddl = arguments.text("schema_ddl")?;
            let dialect = arguments.optional_text("dialect")?;
            arguments.finish()?;
            let parameters = [Some(&*question), Some(&*ddl), dialect.as_deref(), None];
            agent
                .json(context, statements::GENERATE_SQL, &parameters)
                .await
                .map(|json| structured(&json))
        }
        "feedback" => {
            let trace_id = arguments.text("trace_id")?;
            let verdict = arguments.text("verdict")?;
            let corrected_sql = arguments.optional_text("corrected_sql")?;
            let comment = arguments.optional_text("comment")?;
            arguments.finish()?;
            let parameters = [
                Some(&*trace_id),
                Some(&*verdict),
                corrected_sql.as_deref(),
                comment.as_deref(),
            ];
            agent
                .json(context, statements::FEEDBACK, &parameters)
                .await
                .map(|json| structured(&json))
        }
        unknown => {
            return Err(ErrorData::invalid_params(
                format!("there is no tool \"{unknown}\""),
                None,
            ));
        }
    };
    Ok(outcome.unwrap_or_else(|problem| failed(&problem)).into())
}

async fn run_sql(
    agent: &Agent,
    context: &RequestContext<RoleServer>,
    sql: &str,
) -> Result<CallToolResult, Problem> {
    let row = agent.json(context, statements::RUN, &[Some(sql)]).await?;
    let answer = Answer::read(&row)
        .map_err(|error| Problem::unavailable(format!("unexpected result: {error}")))?;
    Ok(answered(agent, Some(sql), &answer))
}
