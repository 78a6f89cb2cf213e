//! The tasks of this process: one question each, or several where an ambiguous one was answered. They are in memory
//! only, because the database keeps no rows of answers, and each is seen by the role that began it alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use a2a::{
    Artifact, Message, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};
use tokio::sync::{Notify, broadcast};

/// A task that nothing happened to for so long is forgotten.
const KEPT: Duration = Duration::from_secs(15 * 60);
/// The most tasks of one role; its oldest that has ended goes first.
const MOST_OF_A_ROLE: usize = 200;
/// More events than a question has.
const EVENTS: usize = 256;

/// The tasks of all roles.
#[derive(Default)]
pub(super) struct Tasks {
    kept: Mutex<HashMap<String, Arc<Running>>>,
}

/// A task, and who listens to it.
pub(super) struct Running {
    role: String,
    task: Mutex<Kept>,
    events: broadcast::Sender<StreamResponse>,
    pub(super) cancelled: Notify,
}

struct Kept {
    task: Task,
    /// When it was begun, in the order of beginning: newest first in lists.
    begun: Instant,
    changed: Instant,
}

impl Tasks {
    /// A new task of a role; `None` where the role has too many that still run.
    pub(super) fn begin(&self, role: &str, task: Task) -> Option<Arc<Running>> {
        let mut kept = self.lock();
        kept.retain(|_, running| running.lock().changed.elapsed() < KEPT || !running.has_paused());
        let of_role: Vec<_> = kept
            .values()
            .filter(|running| running.role == role)
            .cloned()
            .collect();
        if of_role.len() >= MOST_OF_A_ROLE {
            let oldest = of_role
                .iter()
                .filter(|running| running.has_paused())
                .min_by_key(|running| running.lock().begun)?;
            let id = oldest.lock().task.id.clone();
            kept.remove(&id);
        }
        let now = Instant::now();
        let id = task.id.clone();
        let running = Arc::new(Running {
            role: role.to_owned(),
            task: Mutex::new(Kept {
                task,
                begun: now,
                changed: now,
            }),
            events: broadcast::channel(EVENTS).0,
            cancelled: Notify::new(),
        });
        kept.insert(id, Arc::clone(&running));
        Some(running)
    }

    /// A task of this role. One of another role is not there.
    pub(super) fn find(&self, role: &str, id: &str) -> Option<Arc<Running>> {
        let kept = self.lock();
        kept.get(id)
            .filter(|running| {
                running.role == role
                    && (running.lock().changed.elapsed() < KEPT || !running.has_paused())
            })
            .cloned()
    }

    /// The tasks of a role, newest first.
    pub(super) fn of_role(&self, role: &str) -> Vec<Task> {
        let kept = self.lock();
        let mut tasks: Vec<_> = kept
            .values()
            .filter(|running| running.role == role && running.lock().changed.elapsed() < KEPT)
            .map(|running| {
                let kept = running.lock();
                (kept.begun, kept.task.clone())
            })
            .collect();
        tasks.sort_by_key(|(begun, _)| std::cmp::Reverse(*begun));
        tasks.into_iter().map(|(_, task)| task).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Running>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// The task as it is now.
    pub(super) fn task(&self) -> Task {
        self.lock().task.clone()
    }

    /// The message that began it.
    pub(super) fn first_message(&self) -> Option<Message> {
        self.lock().task.history.as_ref()?.first().cloned()
    }

    /// The task as it is now, and everything that happens to it from now on.
    pub(super) fn listen(&self) -> (Task, broadcast::Receiver<StreamResponse>) {
        let kept = self.lock();
        (kept.task.clone(), self.events.subscribe())
    }

    /// Whether nobody listens.
    pub(super) fn is_alone(&self) -> bool {
        self.events.receiver_count() == 0
    }

    /// Whether the task has ended, or waits for its asker.
    pub(super) fn has_paused(&self) -> bool {
        has_paused(&self.lock().task.status.state)
    }

    /// Continues a task that waits for its asker; false where it does not wait.
    pub(super) fn resume(&self, message: Message) -> bool {
        let mut kept = self.lock();
        if !matches!(
            kept.task.status.state,
            TaskState::InputRequired | TaskState::AuthRequired
        ) {
            return false;
        }
        kept.task.history.get_or_insert_default().push(message);
        kept.task.status = status(TaskState::Submitted, None);
        kept.changed = Instant::now();
        true
    }

    /// A new status. An end is final.
    pub(super) fn set_status(&self, state: TaskState, message: Option<Message>) {
        let mut kept = self.lock();
        if kept.task.status.state.is_terminal() {
            return;
        }
        kept.task.status = status(state, message);
        kept.changed = Instant::now();
        let event = TaskStatusUpdateEvent {
            task_id: kept.task.id.clone(),
            context_id: kept.task.context_id.clone(),
            status: kept.task.status.clone(),
            metadata: None,
        };
        // An error only means that there are no listeners.
        let _ = self.events.send(StreamResponse::StatusUpdate(event));
    }

    /// The result.
    pub(super) fn add_artifact(&self, artifact: Artifact) {
        let mut kept = self.lock();
        kept.task
            .artifacts
            .get_or_insert_default()
            .push(artifact.clone());
        let event = TaskArtifactUpdateEvent {
            task_id: kept.task.id.clone(),
            context_id: kept.task.context_id.clone(),
            artifact,
            append: Some(false),
            last_chunk: Some(true),
            metadata: None,
        };
        let _ = self.events.send(StreamResponse::ArtifactUpdate(event));
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a task in this state goes on without its asker.
pub(super) fn has_paused(state: &TaskState) -> bool {
    state.is_terminal() || matches!(state, TaskState::InputRequired | TaskState::AuthRequired)
}

pub(super) fn status(state: TaskState, message: Option<Message>) -> TaskStatus {
    TaskStatus {
        state,
        message,
        timestamp: Some(chrono::Utc::now()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str) -> Task {
        Task {
            id: id.to_owned(),
            context_id: "c".to_owned(),
            status: status(TaskState::Submitted, None),
            artifacts: None,
            history: None,
            metadata: None,
        }
    }

    #[test]
    fn a_task_belongs_to_its_role() {
        let tasks = Tasks::default();
        tasks.begin("ana", task("1")).unwrap();
        assert!(tasks.find("ana", "1").is_some());
        assert!(tasks.find("bob", "1").is_none());
        assert!(tasks.of_role("bob").is_empty());
    }

    #[test]
    fn an_end_is_final_and_heard() {
        let tasks = Tasks::default();
        let running = tasks.begin("ana", task("1")).unwrap();
        let (_, mut events) = running.listen();
        running.set_status(TaskState::Completed, None);
        running.set_status(TaskState::Canceled, None);
        assert_eq!(running.task().status.state, TaskState::Completed);
        assert!(matches!(
            events.try_recv(),
            Ok(StreamResponse::StatusUpdate(_))
        ));
        assert!(events.try_recv().is_err());
    }

    #[test]
    fn a_role_cannot_fill_the_memory() {
        let tasks = Tasks::default();
        for id in 0..MOST_OF_A_ROLE {
            tasks.begin("ana", task(&id.to_string())).unwrap();
        }
        assert!(tasks.begin("ana", task("one more")).is_none());
        assert!(tasks.begin("bob", task("other")).is_some());
        tasks
            .find("ana", "7")
            .unwrap()
            .set_status(TaskState::Failed, None);
        assert!(tasks.begin("ana", task("one more")).is_some());
        assert!(tasks.find("ana", "7").is_none());
    }
}
