//! The methods of the protocol.

use std::sync::Arc;
use std::time::Duration;

use a2a::{
    A2AError, CancelTaskRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse, Message,
    Role, SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest, Task, TaskState,
};
use tokio::sync::broadcast::error::RecvError;

use super::asked::Asked;
use super::run::{self, Audience};
use super::state::{OUTPUT_MODES, State};
use super::tasks::{Running, Tasks, has_paused, status};
use crate::identity::Identity;

/// A page of a list, unless the client says another size.
const PAGE: i32 = 50;
const LARGEST_PAGE: i32 = 100;
/// A query that is cancelled ends in milliseconds.
const CANCEL_WAIT: Duration = Duration::from_secs(5);

/// Begins or continues the task of a message.
pub(super) fn begin(
    state: &State,
    identity: &Identity,
    request: &SendMessageRequest,
    is_stream: bool,
) -> Result<Arc<Running>, A2AError> {
    let configuration = request.configuration.as_ref();
    if configuration
        .is_some_and(|configuration| configuration.task_push_notification_config.is_some())
    {
        return Err(A2AError::push_notification_not_supported());
    }
    let modes =
        configuration.and_then(|configuration| configuration.accepted_output_modes.as_deref());
    let can_be_read = |mode: &String| mode == "*/*" || OUTPUT_MODES.contains(&mode.as_str());
    if modes.is_some_and(|modes| !modes.is_empty() && !modes.iter().any(can_be_read)) {
        return Err(A2AError::content_type_not_supported());
    }
    let message = &request.message;
    if message.role != Role::User {
        return Err(A2AError::invalid_params(
            "the role of a message must be ROLE_USER",
        ));
    }
    if message.message_id.is_empty() {
        return Err(A2AError::invalid_params("the message has no messageId"));
    }
    let mut asked = Asked::read(message)?;
    let running = match &message.task_id {
        Some(id) => resumed(state, identity, id, message)?,
        None => begun(state, identity, message)?,
    };
    if asked.schema.is_none() && message.task_id.is_some() {
        // A client that chooses a reading does not send the schema again.
        asked.schema = running
            .first_message()
            .and_then(|first| Asked::read(&first).ok()?.schema);
    }
    let audience = if waits(request) || is_stream {
        Audience::Needed
    } else {
        Audience::Later
    };
    run::start(
        &state.questions,
        identity.clone(),
        asked,
        Arc::clone(&running),
        audience,
    );
    Ok(running)
}

/// Whether the response comes when the task has ended or waits for its asker.
pub(super) fn waits(request: &SendMessageRequest) -> bool {
    let configuration = request.configuration.as_ref();
    configuration.and_then(|configuration| configuration.return_immediately) != Some(true)
}

fn begun(state: &State, identity: &Identity, message: &Message) -> Result<Arc<Running>, A2AError> {
    let context_id = message
        .context_id
        .clone()
        .unwrap_or_else(a2a::new_context_id);
    let id = a2a::new_task_id();
    let mut first = message.clone();
    first.task_id = Some(id.clone());
    first.context_id = Some(context_id.clone());
    let task = Task {
        id,
        context_id,
        status: status(TaskState::Submitted, None),
        artifacts: None,
        history: Some(vec![first]),
        metadata: None,
    };
    let running = state.tasks.begin(identity.role(), task);
    running
        .ok_or_else(|| A2AError::unsupported_operation("too many tasks of this role are running"))
}

fn resumed(
    state: &State,
    identity: &Identity,
    id: &str,
    message: &Message,
) -> Result<Arc<Running>, A2AError> {
    let running = find(&state.tasks, identity, id)?;
    let context_id = running.task().context_id;
    if message
        .context_id
        .as_ref()
        .is_some_and(|named| *named != context_id)
    {
        return Err(A2AError::invalid_params(
            "the task belongs to another context",
        ));
    }
    if !running.resume(message.clone()) {
        return Err(A2AError::unsupported_operation(
            "the task does not wait for input",
        ));
    }
    Ok(running)
}

/// Waits until the task has ended or waits for its asker.
pub(super) async fn wait(running: &Running) {
    let (task, mut events) = running.listen();
    let mut is_over = has_paused(&task.status.state);
    while !is_over {
        match events.recv().await {
            Ok(_) | Err(RecvError::Lagged(_)) => is_over = running.has_paused(),
            Err(RecvError::Closed) => return,
        }
    }
}

pub(super) fn sent(running: &Running, request: &SendMessageRequest) -> SendMessageResponse {
    let length = request
        .configuration
        .as_ref()
        .and_then(|configuration| configuration.history_length);
    SendMessageResponse::Task(with_history(running.task(), length))
}

pub(super) fn get(
    state: &State,
    identity: &Identity,
    request: &GetTaskRequest,
) -> Result<Task, A2AError> {
    let task = find(&state.tasks, identity, &request.id)?.task();
    Ok(with_history(task, request.history_length))
}

pub(super) fn subscribed(
    state: &State,
    identity: &Identity,
    request: &SubscribeToTaskRequest,
) -> Result<Arc<Running>, A2AError> {
    let running = find(&state.tasks, identity, &request.id)?;
    if running.task().status.state.is_terminal() {
        return Err(A2AError::unsupported_operation("the task has ended"));
    }
    Ok(running)
}

pub(super) async fn cancel(
    state: &State,
    identity: &Identity,
    request: &CancelTaskRequest,
) -> Result<Task, A2AError> {
    let running = find(&state.tasks, identity, &request.id)?;
    let task_state = running.task().status.state;
    if task_state.is_terminal() {
        return Err(A2AError::task_not_cancelable(&request.id));
    }
    if has_paused(&task_state) {
        running.set_status(TaskState::Canceled, None);
    } else {
        running.cancelled.notify_one();
        // Its end is in the status; whoever waits longer sees it with GetTask.
        let _ = tokio::time::timeout(CANCEL_WAIT, wait(&running)).await;
    }
    Ok(running.task())
}

pub(super) fn list(
    state: &State,
    identity: &Identity,
    request: &ListTasksRequest,
) -> Result<ListTasksResponse, A2AError> {
    let page_size = request.page_size.unwrap_or(PAGE);
    if !(1..=LARGEST_PAGE).contains(&page_size) {
        return Err(A2AError::invalid_params(format!(
            "pageSize must be from 1 to {LARGEST_PAGE}"
        )));
    }
    let size = usize::try_from(page_size).unwrap_or_default();
    let is_wanted = |task: &Task| {
        request
            .context_id
            .as_ref()
            .is_none_or(|id| *id == task.context_id)
            && request
                .status
                .as_ref()
                .is_none_or(|status| *status == task.status.state)
            && request
                .status_timestamp_after
                .is_none_or(|after| task.status.timestamp.is_some_and(|at| at > after))
    };
    let tasks: Vec<Task> = state
        .tasks
        .of_role(identity.role())
        .into_iter()
        .filter(is_wanted)
        .collect();
    let total_size = i32::try_from(tasks.len()).unwrap_or(i32::MAX);
    // The token is the task after which the page begins: it stays right while new tasks are begun.
    let skipped = match request
        .page_token
        .as_deref()
        .filter(|token| !token.is_empty())
    {
        None => 0,
        Some(token) => {
            let last = tasks.iter().position(|task| task.id == token);
            last.ok_or_else(|| A2AError::invalid_params("the pageToken is not valid"))? + 1
        }
    };
    let mut page: Vec<Task> = tasks.into_iter().skip(skipped).collect();
    let has_more = page.len() > size;
    page.truncate(size);
    let next_page_token = page
        .last()
        .filter(|_| has_more)
        .map(|task| task.id.clone())
        .unwrap_or_default();
    for task in &mut page {
        if request.include_artifacts != Some(true) {
            task.artifacts = None;
        }
        cut_history(task, request.history_length);
    }
    Ok(ListTasksResponse {
        tasks: page,
        next_page_token,
        page_size,
        total_size,
    })
}

fn find(tasks: &Tasks, identity: &Identity, id: &str) -> Result<Arc<Running>, A2AError> {
    tasks
        .find(identity.role(), id)
        .ok_or_else(|| A2AError::task_not_found(id))
}

fn with_history(mut task: Task, length: Option<i32>) -> Task {
    cut_history(&mut task, length);
    task
}

/// The last messages of the history: all of them where no number is given, none for 0.
fn cut_history(task: &mut Task, length: Option<i32>) {
    let Some(length) = length.and_then(|length| usize::try_from(length).ok()) else {
        return;
    };
    if let Some(history) = &mut task.history {
        history.drain(..history.len().saturating_sub(length));
        if history.is_empty() {
            task.history = None;
        }
    }
}
