"""Fixtures: a copy of the demo, a role that may ask the built-in engine, and one that asks a model which counts."""

import contextlib
import json
import os
import urllib.request

import pytest

from support.database import PASSWORD, Database
from support.programs import Model

QUESTION = "Total revenue by channel in 2025"
ROWS = [("store", "2868531.18"), ("web", "4554508.63")]
# What a tool has as the SQL of a chart.
CHART = "SELECT * FROM text2sql.ask_rows('Total revenue by channel in 2025') AS t(channel text, revenue numeric)"


@pytest.fixture(scope="session")
def database():
    made = Database(f"clients_{os.getpid()}")
    try:
        made.create()
        yield made
    finally:
        made.drop()


@pytest.fixture(scope="session")
def analyst(database):
    """A role that may ask, and whose questions the built-in engine answers."""
    return database.role("analyst")


@pytest.fixture(scope="session")
def environment(database, analyst):
    """What libpq and other drivers read: by TCP and with a password, as from another machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return kept | {
        "PGHOST": "127.0.0.1",
        "PGPORT": os.environ.get("PGPORT", "5432"),
        "PGDATABASE": database.name,
        "PGUSER": analyst,
        "PGPASSWORD": PASSWORD,
    }


@pytest.fixture(scope="session")
def connection(environment):
    """The same as the words of a connection."""
    return {
        "host": environment["PGHOST"],
        "port": int(environment["PGPORT"]),
        "dbname": environment["PGDATABASE"],
        "user": environment["PGUSER"],
        "password": environment["PGPASSWORD"],
    }


class Asker:
    """A role whose questions reach a model, and how many did."""

    def __init__(self, role, model):
        self.role = role
        self.model = model

    def requests(self):
        with urllib.request.urlopen(f"{self.model.url}/_requests", timeout=20) as answer:
            return len(json.load(answer))


@pytest.fixture(scope="session")
def asker(database, tmp_path_factory):
    role = database.role("asker")
    reply = {"sql": "SELECT channel::text, count(*) AS orders FROM orders GROUP BY channel ORDER BY channel"}
    model = Model(tmp_path_factory.mktemp("model") / "log", [{"match": "", "replies": [reply]}])
    with contextlib.ExitStack() as stack:
        stack.callback(model.stop)
        model.start()
        database.model("counted", model.base_url(), role)
        database.execute(f"ALTER ROLE {role} IN DATABASE {database.name} SET text2sql.model = 'counted'")
        yield Asker(role, model)


@pytest.fixture
def asked(database, analyst):
    """How many questions of the analyst the history has."""
    return lambda: int(database.execute(f"SELECT count(*) FROM text2sql.history WHERE asked_by::text = '{analyst}'"))


def pytest_terminal_summary(terminalreporter):
    """The lines that scripts/stages.sh counts."""
    for outcome, line in (("passed", "ok"), ("failed", "not ok"), ("error", "not ok")):
        for report in terminalreporter.getreports(outcome):
            if report.when == "call" or outcome == "error":
                terminalreporter.write_line(f"{line} - clients: {report.nodeid}")
    for report in terminalreporter.getreports("skipped"):
        terminalreporter.write_line(f"skipped: clients/{report.nodeid.split('::')[-1].split('[')[0]} needs {report.longrepr[2].removeprefix('Skipped: needs ')}")


def _given(variable, what):
    """What scripts/test_clients.sh found or fetched."""
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"needs {what}")
    return value


@pytest.fixture(scope="session")
def odbc():
    """The driver of ODBC is registered."""
    pyodbc = pytest.importorskip("pyodbc", reason="needs unixODBC", exc_type=ImportError)
    if "PostgreSQL Unicode" not in pyodbc.drivers():
        pytest.skip("needs psqlODBC")


@pytest.fixture(scope="session")
def jdbc():
    return _given("TEXT2SQL_JDBC", "a JDK and PostgreSQL's driver for JDBC")


@pytest.fixture(scope="session")
def node_modules():
    return _given("TEXT2SQL_NODE_MODULES", "Node.js and its package pg")
