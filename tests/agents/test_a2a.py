"""A2A 1.0 with the official Python client."""

import asyncio
import contextlib

import httpx
import pytest
from a2a.client import ClientConfig, create_client
from a2a.helpers import new_message, new_text_message
from a2a.helpers.proto_helpers import new_data_part, new_text_part
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils import errors
from google.protobuf.json_format import MessageToDict

from conftest import basic
from support.waiting import wait_until

QUESTION = "How many stores are there per country?"
AMBIGUOUS = "What is the average unit price?"
DDL = "CREATE TABLE customers (id integer PRIMARY KEY, name text); CREATE TABLE bills (id integer, customer_id integer REFERENCES customers)"


@contextlib.asynccontextmanager
async def connected(server, role, **options):
    async with httpx.AsyncClient(headers={"Authorization": basic(role)}, timeout=120) as http:
        client = await create_client(server.url, ClientConfig(httpx_client=http, **options))
        yield client


def talk(server, role, work, **options):
    """Runs `work(client)` with a client of the role."""

    async def run():
        async with connected(server, role, **options) as client:
            return await work(client)

    return asyncio.run(run())


def asked(text, *, task=None, context=None, data=None, **configuration):
    message = new_text_message(text, context_id=context, task_id=task, role=Role.ROLE_USER)
    if data is not None:
        message.parts.append(new_data_part(data))
    request = SendMessageRequest(message=message)
    if configuration:
        request.configuration.CopyFrom(SendMessageConfiguration(**configuration))
    return request


async def events_of(stream):
    return [event async for event in stream]


def is_working(event):
    return event.HasField("status_update") and event.status_update.status.state == TaskState.TASK_STATE_WORKING


async def task_of(client, request):
    """The task of a message that is sent without a stream, or the state that a stream leads to."""
    last = None
    async for event in client.send_message(request):
        if event.HasField("task"):
            last = event.task
    return last


def parts_of(artifact):
    return {part.media_type: part for part in artifact.parts}


def data_of(part):
    return MessageToDict(part.data)


def test_the_card_is_public_and_names_nothing(server):
    answer = httpx.get(f"{server.url}/.well-known/agent-card.json")
    card = answer.json()
    assert card["supportedInterfaces"] == [
        {"url": f"{server.url}/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    ]
    assert card["capabilities"]["streaming"] is True and card["capabilities"]["pushNotifications"] is False
    assert [skill["id"] for skill in card["skills"]] == ["ask", "generate_sql"]
    assert server.database not in answer.text and "stores" not in answer.text
    assert "max-age" in answer.headers["cache-control"]
    again = httpx.get(
        f"{server.url}/.well-known/agent-card.json", headers={"If-None-Match": answer.headers["etag"]}
    )
    assert again.status_code == 304


def test_a_question_is_a_task_with_an_artifact(server, analyst):
    async def work(client):
        return await task_of(client, asked(QUESTION))

    task = talk(server, analyst, work, streaming=False)
    assert task.status.state == TaskState.TASK_STATE_COMPLETED
    parts = parts_of(task.artifacts[0])
    assert set(parts) == {"text/plain", "application/json", "application/sql"}
    assert "Germany is highest with 6" in parts["text/plain"].text
    assert "count" in parts["application/sql"].text
    row = data_of(parts["application/json"])
    assert row["status"] == "ok" and {"country": "Germany", "stores": 6} in row["rows"]


def test_a_stream_says_what_happens_and_ends(server, analyst):
    async def work(client):
        return await events_of(client.send_message(asked(QUESTION)))

    events = talk(server, analyst, work)
    assert events[0].HasField("task")
    updates = [event.status_update.status for event in events if event.HasField("status_update")]
    working = [status.message.parts[0].text for status in updates if status.state == TaskState.TASK_STATE_WORKING]
    assert {"retrieve", "generate", "execute", "answer"} <= set(working) and len(working) >= 5
    assert updates[-1].state == TaskState.TASK_STATE_COMPLETED
    artifacts = [event.artifact_update.artifact for event in events if event.HasField("artifact_update")]
    assert len(artifacts) == 1 and "application/sql" in parts_of(artifacts[0])


@pytest.mark.parametrize("streaming", [True, False])
def test_an_ambiguous_question_waits_for_its_asker(server, analyst, streaming):
    async def ended(client, request):
        async for event in client.send_message(request):
            if event.HasField("task"):
                task = event.task
            elif event.HasField("status_update"):
                task.status.CopyFrom(event.status_update.status)
        return task

    async def work(client):
        first = await ended(client, asked(AMBIGUOUS))
        readings = data_of(first.status.message.parts[1])["readings"]
        second = await ended(client, asked(readings[0], task=first.id, context=first.context_id))
        with pytest.raises(errors.UnsupportedOperationError):
            await ended(client, asked(readings[0], task=first.id, context=first.context_id))
        stored = await client.get_task(GetTaskRequest(id=first.id))
        return first, readings, second, stored

    first, readings, second, stored = talk(server, analyst, work, streaming=streaming)
    assert first.status.state == TaskState.TASK_STATE_INPUT_REQUIRED and len(readings) > 1
    assert second.id == first.id and second.status.state == TaskState.TASK_STATE_COMPLETED
    questions = [message.parts[0].text for message in stored.history if message.role == Role.ROLE_USER]
    assert questions == [AMBIGUOUS, readings[0]]


def test_tasks_are_found_again_by_their_role_only(server, analyst, hr):
    async def make(client):
        return [(await task_of(client, asked(QUESTION))).id for _ in range(3)]

    ids = talk(server, analyst, make, streaming=False)

    async def look(client):
        task = await client.get_task(GetTaskRequest(id=ids[0], history_length=0))
        first = await client.list_tasks(ListTasksRequest(page_size=2))
        second = await client.list_tasks(ListTasksRequest(page_size=2, page_token=first.next_page_token))
        rows = await client.list_tasks(ListTasksRequest(page_size=1, include_artifacts=True))
        with pytest.raises(errors.InvalidParamsError):
            await client.list_tasks(ListTasksRequest(page_size=1000))
        return task, first, second, rows

    task, first, second, rows = talk(server, analyst, look)
    assert task.status.state == TaskState.TASK_STATE_COMPLETED and task.artifacts and not task.history
    assert [task.id for task in first.tasks] == [ids[2], ids[1]] and first.total_size >= 3
    assert second.tasks[0].id == ids[0]
    assert not first.tasks[0].artifacts and rows.tasks[0].artifacts

    async def foreign(client):
        for call in (
            client.get_task(GetTaskRequest(id=ids[0])),
            client.cancel_task(CancelTaskRequest(id=ids[0])),
            task_of(client, asked("And now?", task=ids[0])),
            events_of(client.subscribe(SubscribeToTaskRequest(id=ids[0]))),
        ):
            with pytest.raises(errors.TaskNotFoundError):
                await call
        return await client.list_tasks(ListTasksRequest())

    assert talk(server, hr, foreign).total_size == 0


@pytest.fixture(scope="module")
def patient(database, start_model):
    """A role whose model takes a minute."""
    role = database.role("patient")
    model = start_model([{"match": "", "replies": [{"sql": "SELECT 1"}]}])
    database.model("slow_a2a", model.base_url("delay-60000"), role)
    return role


def test_a_task_is_cancelled_with_its_query(server, database, patient):
    async def work(client):
        began, joined = asyncio.Event(), asyncio.Event()
        sent, heard = [], []

        async def listen(stream, events, arrived):
            async for event in stream:
                events.append(event)
                arrived.set()

        sending = asyncio.create_task(listen(client.send_message(asked("Who is the tallest?")), sent, began))
        await asyncio.wait_for(began.wait(), 60)
        task = sent[0].task
        await asyncio.to_thread(wait_until, lambda: database.running(patient) == 1, "the question to run")
        # The server hears of the first stage a moment later.
        await asyncio.to_thread(wait_until, lambda: any(is_working(event) for event in sent), "the task to work")
        subscription = client.subscribe(SubscribeToTaskRequest(id=task.id))
        subscribing = asyncio.create_task(listen(subscription, heard, joined))
        await asyncio.wait_for(joined.wait(), 60)
        cancelled = await client.cancel_task(CancelTaskRequest(id=task.id))
        await asyncio.gather(sending, subscribing)
        with pytest.raises(errors.TaskNotCancelableError):
            await client.cancel_task(CancelTaskRequest(id=task.id))
        with pytest.raises(errors.UnsupportedOperationError):
            await events_of(client.subscribe(SubscribeToTaskRequest(id=task.id)))
        return cancelled, sent, heard

    cancelled, sent, heard = talk(server, patient, work)
    assert cancelled.status.state == TaskState.TASK_STATE_CANCELED
    assert heard[0].HasField("task") and heard[0].task.status.state == TaskState.TASK_STATE_WORKING
    for events in (sent, heard):
        assert events[-1].status_update.status.state == TaskState.TASK_STATE_CANCELED
    wait_until(lambda: database.running(patient) == 0, "the backend to be idle")


def test_a_task_that_nobody_waits_for_is_found_later(server, analyst):
    async def work(client):
        task = await task_of(client, asked(QUESTION, return_immediately=True))
        assert task.status.state in (TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING)
        while task.status.state in (TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING):
            task = await client.get_task(GetTaskRequest(id=task.id))
        return task

    assert talk(server, analyst, work, streaming=False).status.state == TaskState.TASK_STATE_COMPLETED


def test_a_client_that_leaves_its_stream_ends_the_query(server, database, patient):
    async def work(client):
        async for event in client.send_message(asked("Who is the smallest?")):
            if event.HasField("status_update"):
                break
        await asyncio.to_thread(wait_until, lambda: database.running(patient) == 1, "the question to run")

    talk(server, patient, work)
    wait_until(lambda: database.running(patient) == 0, "the backend to be idle")


def test_push_notifications_are_refused(server, analyst):
    async def work(client):
        config = TaskPushNotificationConfig(task_id="1", url="http://127.0.0.1:1/")
        with pytest.raises(errors.PushNotificationNotSupportedError):
            await client.create_task_push_notification_config(config)
        request = asked(QUESTION)
        request.configuration.task_push_notification_config.CopyFrom(config)
        with pytest.raises(errors.PushNotificationNotSupportedError):
            await task_of(client, request)

    talk(server, analyst, work, streaming=False)


def call(server, role, method, params, **headers):
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    headers = {"Authorization": basic(role), "A2A-Version": "1.0"} | headers
    return httpx.post(f"{server.url}/a2a", json=body, headers={k: v for k, v in headers.items() if v is not None})


def test_other_versions_and_broken_requests_are_errors_of_the_protocol(server, analyst):
    for version in (None, "", "0.3", "2.0"):
        answer = call(server, analyst, "GetTask", {"id": "x"}, **{"A2A-Version": version}).json()
        assert (answer["id"], answer["error"]["code"]) == (7, -32009), version
    found = call(server, analyst, "GetTask", {"id": "x"}).json()
    assert found["error"]["code"] == -32001 and found["error"]["data"][0]["reason"] == "TASK_NOT_FOUND"
    assert call(server, analyst, "message/send", {}).json()["error"]["code"] == -32601
    assert call(server, analyst, "GetTask", {"nothing": 1}).json()["error"]["code"] == -32602
    headers = {"Authorization": basic(analyst), "A2A-Version": "1.0"}
    assert httpx.post(f"{server.url}/a2a", content="{", headers=headers).json()["error"]["code"] == -32700
    assert httpx.post(f"{server.url}/a2a", json={"id": 1}, headers=headers).json()["error"]["code"] == -32600


def test_who_has_not_logged_in_asks_nothing(server, database):
    before = database.execute("SELECT count(*) FROM text2sql.history")
    for authorization in (None, "Basic eDp5", "Bearer x"):
        answer = call(server, "x", "SendMessage", {}, Authorization=authorization)
        assert answer.status_code == 401
    assert database.execute("SELECT count(*) FROM text2sql.history") == before


def test_only_text_is_a_question(server, analyst):
    async def work(client):
        file = new_message([new_text_part("x")], role=Role.ROLE_USER)
        file.parts[0].url = "http://127.0.0.1/x"
        with pytest.raises(errors.ContentTypeNotSupportedError):
            await task_of(client, SendMessageRequest(message=file))
        with pytest.raises(errors.InvalidParamsError):
            await task_of(client, asked(QUESTION, data={"options": {"max_cost": 1e12}}))
        with pytest.raises(errors.ContentTypeNotSupportedError):
            await task_of(client, asked(QUESTION, accepted_output_modes=["image/png"]))

    talk(server, analyst, work, streaming=False)


def test_sql_for_another_schema(server, database, analyst):
    async def work(client):
        written = await task_of(client, asked("How many bills are there per customer?", data={"schema_ddl": DDL}))
        foreign = await task_of(
            client, asked("How many bills are there?", data={"schema_ddl": DDL, "dialect": "sqlite"})
        )
        broken = await task_of(client, asked("How many bills are there?", data={"schema_ddl": "no schema"}))
        tables = {"tables": {"bills": {"columns": [{"name": "bill_id", "type": "integer", "primary_key": True}]}}}
        data = {"question": "How many bills are there?", "schema": tables, "dialect": "postgresql", "task_id": "t-7"}
        other = await task_of(client, asked("", data=data))
        return written, foreign, broken, other

    written, foreign, broken, other = talk(server, analyst, work, streaming=False)
    parts = parts_of(written.artifacts[0])
    assert "JOIN customers" in parts["application/sql"].text and "matching rows" in parts["text/plain"].text
    row = data_of(parts["application/json"])
    assert row["status"] == "ok" and row["reasoning"] and row["assumptions"][0] == "'customer' is table customers" and row["confidence"] > 0
    # There is no model here, and the built-in engine says what it cannot do.
    assert foreign.status.state == TaskState.TASK_STATE_FAILED
    assert "writes PostgreSQL, not SQLite" in foreign.status.message.parts[0].text
    assert broken.status.state == TaskState.TASK_STATE_FAILED
    assert "defines no table" in broken.status.message.parts[0].text
    # Tables in JSON, and a name for the task, as other agents send them.
    row = data_of(parts_of(other.artifacts[0])["application/json"])
    assert row["task_id"] == "t-7" and row["sql"].startswith("SELECT count(*)") and row["reasoning"]


def test_sql_in_another_dialect_is_repaired_by_the_model(server, database, start_model):
    role = database.role("generator")
    script = [{"match": "", "replies": [
        {"sql": "SELECT TOP 5 nam FROM customers ORDER BY name"}, {"sql": "SELECT TOP 5 name FROM customers ORDER BY name"},
    ]}]
    database.model("writer", start_model(script).base_url(), role)

    async def work(client):
        return await task_of(
            client, asked("The first five customers?", data={"schema_ddl": DDL, "dialect": "tsql"})
        )

    task = talk(server, role, work, streaming=False)
    assert parts_of(task.artifacts[0])["application/sql"].text == "SELECT TOP 5 name FROM customers ORDER BY name"
