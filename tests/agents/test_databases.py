"""Several databases behind one server: a client of MCP or A2A that is given the address of one reaches that one only."""

import types

import httpx
import pytest
from a2a.types import GetTaskRequest, TaskState
from a2a.utils import errors

from support.database import Database
from support.programs import Server
from test_a2a import asked, task_of
from test_a2a import talk as talk_a2a
from test_mcp import MODES
from test_mcp import talk as talk_mcp

QUESTION = "How many lagoons are there?"


@pytest.fixture(scope="module")
def addresses(database, analyst, tmp_path_factory):
    """What stands for a server at the addresses of two databases, of which the second has one table more."""
    other = Database(f"{database.name}_other")
    server = Server(
        tmp_path_factory.mktemp("databases") / "log", {"shop": database.name, "harbour": other.name}, ["--a2a", "true"]
    )
    try:
        other.create()
        other.execute(
            "CREATE TABLE lagoons (lagoon_id integer PRIMARY KEY, name text)",
            "INSERT INTO lagoons VALUES (1, 'Mbini'), (2, 'Ebrié'), (3, 'Ahémé')",
            f"GRANT SELECT ON lagoons TO {analyst}",
            f"SELECT text2sql.grant_access('{analyst}')",
        )
        server.start()
        yield {name: types.SimpleNamespace(url=f"{server.url}/databases/{name}") for name in server.database}
    finally:
        server.stop()
        other.drop()


@pytest.mark.parametrize("mode", MODES)
def test_mcp_of_a_database(addresses, analyst, mode):
    async def work(client):
        answer = await client.call_tool("ask", {"question": QUESTION})
        rows = await client.call_tool("run_sql", {"sql": "SELECT n FROM generate_series(1, 60) AS n"})
        link = next(block.uri for block in rows.content if block.type == "resource_link")
        text = (await client.read_resource(link)).contents[0].text
        resources = [str(resource.uri) for resource in (await client.list_resources()).resources]
        return answer, link, text, resources

    here, link, text, resources = talk_mcp(addresses["harbour"], analyst, work, mode=mode)
    assert here.structured_content["rows"] == [{"lagoons": 3}] and len(text.splitlines()) == 61
    assert resources

    async def elsewhere(client):
        with pytest.raises(Exception, match="there is no resource"):
            await client.read_resource(link)
        return await client.call_tool("ask", {"question": QUESTION})

    there = talk_mcp(addresses["shop"], analyst, elsewhere, mode=mode)
    assert there.structured_content["status"] == "unanswerable"


def test_a2a_of_a_database(addresses, analyst):
    url = addresses["harbour"].url
    # The client is given the address of the database alone: the card there names the rest.
    card = httpx.get(f"{url}/.well-known/agent-card.json").json()
    assert card["supportedInterfaces"][0]["url"] == f"{url}/a2a"

    async def ask(client):
        return await task_of(client, asked(QUESTION))

    task = talk_a2a(addresses["harbour"], analyst, ask, streaming=False)
    assert task.status.state == TaskState.TASK_STATE_COMPLETED
    assert any("3 lagoons" in part.text for part in task.artifacts[0].parts)

    async def look(client):
        with pytest.raises(errors.TaskNotFoundError):
            await client.get_task(GetTaskRequest(id=task.id))
        return await task_of(client, asked(QUESTION))

    elsewhere = talk_a2a(addresses["shop"], analyst, look, streaming=False)
    assert "3 lagoons" not in str(elsewhere)
