"""The recipes of docs/agents.md, as they stand there: only names of machines, people and databases are replaced."""

import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from conftest import basic, token
from support.database import PASSWORD

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "agents.md"
RECIPES = {
    name: (kind, text)
    for name, kind, text in re.findall(r"<!-- recipe: (\w+) -->\n```(\w+)\n(.*?)```", PAGE.read_text(), re.DOTALL)
}
PROGRAM = os.path.join(os.environ["TEXT2SQL_PROGRAMS"], "text2sql-server")


@pytest.fixture
def target(database):
    return f"host=127.0.0.1 port={os.environ.get('PGPORT', '5432')} dbname={database.name}"


def filled(text, server, role, target):
    text = text.replace('"ana", "secret"', f'"{role}", "{PASSWORD}"').replace('"ana"', f'"{role}"')
    text = text.replace('"text2sql-server"', json.dumps(PROGRAM)).replace("http://127.0.0.1:8432", server.url)
    return re.sub(r"host=db\.example\.com dbname=shop[^\"]*", target, text)


@pytest.mark.parametrize("name", [name for name, (kind, _) in RECIPES.items() if kind == "python"])
def test_a_program_runs(name, server, token_server, analyst, target):
    text = filled(RECIPES[name][1], token_server if name == "openai" else server, analyst, target)
    text = text.replace('"TOKEN"', f'"{token(analyst)}"')
    # What ~/.pgpass would have.
    text = text.replace('env={', f'env={{"PGPASSWORD": "{PASSWORD}", ')
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    expected = "count(*)" if name == "a2a_generate_sql" else "Germany"
    assert expected in done.stdout, done.stdout


def list_tools(connection, **options):
    async def run():
        async with Client(connection, **options) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    return asyncio.run(run())


def test_a_client_starts_what_its_configuration_names(server, analyst, target):
    configuration = json.loads(filled(RECIPES["mcp_stdio_config"][1], server, analyst, target))
    entry = configuration["mcpServers"]["shop"]
    environment = entry["env"] | {"PGPASSWORD": PASSWORD, "PATH": os.environ["PATH"]}
    parameters = StdioServerParameters(command=entry["command"], args=entry["args"], env=environment)
    assert "ask" in list_tools(parameters)


def test_a_client_reaches_what_its_configuration_names(server, analyst, target):
    configuration = json.loads(filled(RECIPES["mcp_http_config"][1], server, analyst, target))
    entry = configuration["mcpServers"]["shop"]
    basic_of_user = basic(analyst).removeprefix("Basic ")
    headers = {name: value.replace("${TEXT2SQL_BASIC}", basic_of_user) for name, value in entry["headers"].items()}

    async def run():
        async with httpx2.AsyncClient(headers=headers) as http:
            async with Client(streamable_http_client(entry["url"], http_client=http)) as client:
                return [tool.name for tool in (await client.list_tools()).tools]

    assert "ask" in asyncio.run(run())


def test_every_recipe_is_run():
    assert set(RECIPES) == {
        "mcp_stdio_config", "mcp_stdio", "mcp_http_config", "mcp_http", "a2a", "a2a_generate_sql", "openai",
    }
