"""Two roles take turns on the same servers, and no row of one is seen by the other."""

import asyncio
import itertools
import os
import random

import httpx
import pytest

from conftest import basic, token

# `test_agents.sh soak` takes ten thousand.
ROUNDS = int(os.environ.get("TEXT2SQL_ROUNDS", "300"))
AT_ONCE = 4
READ = "SELECT current_user AS reader, session_user AS door, owner, secret FROM witness"


@pytest.fixture(scope="module")
def witness(database, analyst, hr):
    """A table with a row for each role, which policies keep apart."""
    database.execute(
        "CREATE TABLE witness (owner name, secret text)",
        f"INSERT INTO witness VALUES ('{analyst}', 'secret of the analyst'), ('{hr}', 'secret of hr')",
        "ALTER TABLE witness ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY own ON witness USING (owner = current_user)",
        f"GRANT SELECT ON witness TO {analyst}, {hr}",
    )
    yield {analyst: "secret of the analyst", hr: "secret of hr"}
    database.execute("DROP TABLE witness")


def mcp(tool, arguments):
    params = {"name": tool, "arguments": arguments}
    return "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def a2a(question):
    message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": question}]}
    return "/a2a", {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}


REQUESTS = [
    mcp("run_sql", {"sql": READ}),
    mcp("run_sql", {"sql": "SELECT secret, set_config('role', 'none', false) FROM witness"}),
    mcp("ask", {"question": "How many witness are there?"}),
    mcp("describe", {"table": "witness"}),
    a2a("List all witness"),
]


@pytest.mark.parametrize("by", ["password", "token"])
def test_no_row_of_the_other_role(server, token_server, witness, by):
    target = server if by == "password" else token_server
    roles = list(witness)
    chance = random.Random(19)
    turns = [(chance.choice(roles), request) for request in itertools.islice(itertools.cycle(REQUESTS), ROUNDS // 2)]
    chance.shuffle(turns)
    seen = {role: 0 for role in roles}

    async def take(turns, http):
        for role, (path, body) in turns:
            authorization = basic(role) if by == "password" else f"Bearer {token(role)}"
            headers = {
                "Authorization": authorization, "A2A-Version": "1.0", "Accept": "application/json, text/event-stream",
            }
            answer = await http.post(f"{target.url}{path}", json=body, headers=headers)
            assert answer.status_code in (200, 429, 503), answer.text
            for other in roles:
                # Two secrets, and who reads them.
                if other != role:
                    assert witness[other] not in answer.text and other not in answer.text, (role, body, answer.text)
            seen[role] += witness[role] in answer.text

    async def run():
        async with httpx.AsyncClient(timeout=120) as http:
            await asyncio.gather(*(take(turns[start::AT_ONCE], http) for start in range(AT_ONCE)))

    asyncio.run(run())
    assert all(seen[role] for role in roles)
