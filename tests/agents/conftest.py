"""Fixtures: one database, one server with all doors open, and roles of the run."""

import base64
import contextlib
import time

import jwt
import pytest

from support.database import PASSWORD, Database
from support.programs import Model, Server

SECRET = "a secret of the tests, longer than 32 bytes"
ISSUER = "https://issuer.example"
AUDIENCE = "text2sql"


@pytest.fixture(scope="session")
def database():
    made = Database()
    try:
        made.create()
        yield made
    finally:
        made.drop()


@pytest.fixture(scope="session")
def analyst(database):
    """A role that may read what the demo's analyst may."""
    return database.role("analyst")


@pytest.fixture(scope="session")
def hr(database):
    """A role that may read one table only."""
    role = database.role("hr", member_of=None)
    database.execute(f"GRANT SELECT ON stores TO {role}")
    return role


@pytest.fixture(scope="session")
def start_model(tmp_path_factory):
    with contextlib.ExitStack() as stack:

        def start(script):
            model = Model(tmp_path_factory.mktemp("model") / "log", script)
            stack.callback(model.stop)
            return model.start()

        yield start


@pytest.fixture(scope="session")
def server(database, tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("server") / "log", database.name, ["--a2a", "true"])
    try:
        yield started.start()
    finally:
        started.stop()


@pytest.fixture(scope="session")
def token_server(database, analyst, hr, tmp_path_factory):
    """A server that accepts tokens, for the roles of the run."""
    door = database.role("door", member_of=None, grant=None)
    database.execute(
        f"ALTER ROLE {door} NOINHERIT", f"GRANT {analyst}, {hr} TO {door} WITH INHERIT FALSE"
        if int(database.execute("SHOW server_version_num")) >= 160000
        else f"GRANT {analyst}, {hr} TO {door}",
    )
    directory = tmp_path_factory.mktemp("token_server")
    (directory / "password").write_text(PASSWORD)
    (directory / "secret").write_text(SECRET)
    options = [
        "--openai", "true", "--a2a", "true", "--jwt-login-role", door, "--jwt-password-file", str(directory / "password"),
        "--jwt-issuer", ISSUER, "--jwt-audience", AUDIENCE, "--jwt-algorithms", "HS256",
        "--jwt-secret-file", str(directory / "secret"), "--jwt-roles", f"{analyst},{hr}",
    ]
    started = Server(directory / "log", database.name, options)
    try:
        yield started.start()
    finally:
        started.stop()


def token(role, **claims):
    """A token as an issuer signs it."""
    claims = {"iss": ISSUER, "aud": AUDIENCE, "exp": int(time.time()) + 600, "role": role} | claims
    return jwt.encode(claims, SECRET, algorithm="HS256")


def basic(role, password=PASSWORD):
    """The header of HTTP Basic."""
    return "Basic " + base64.b64encode(f"{role}:{password}".encode()).decode()


def pytest_terminal_summary(terminalreporter):
    """The lines that scripts/stages.sh counts."""
    for outcome, line in (("passed", "ok"), ("failed", "not ok"), ("error", "not ok")):
        for report in terminalreporter.getreports(outcome):
            if report.when == "call" or outcome == "error":
                terminalreporter.write_line(f"{line} - agents: {report.nodeid}")
