"""Superset through its REST API: SQL Lab, a virtual dataset, a chart (`scripts/test_clients.sh superset`)."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from conftest import CHART, PASSWORD, ROWS
from support.programs import Program, _free_port
from support.waiting import wait_until

# Not by its program, which names the place where the environment was made.
MAIN = "import sys; sys.argv[0] = 'superset'; from superset.cli.main import superset; superset()"


class Superset(Program):
    def __init__(self, directory):
        super().__init__(directory / "log")
        self.port = _free_port()
        self.token = None
        (directory / "superset_config.py").write_text(f"""
SECRET_KEY = "a secret of the tests, longer than 32 bytes"
SQLALCHEMY_DATABASE_URI = "sqlite:///{directory}/superset.db"
WTF_CSRF_ENABLED = False
TALISMAN_ENABLED = False
RATELIMIT_ENABLED = False
""")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        self.environment = kept | {
            "SUPERSET_CONFIG_PATH": str(directory / "superset_config.py"), "FLASK_APP": "superset",
            "SUPERSET_HOME": str(directory),
        }

    def command(self, *words):
        done = subprocess.run(
            [sys.executable, "-c", MAIN, *words], env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]

    def start(self):
        self.command("db", "upgrade")
        self.command(
            "fab", "create-admin", "--username", "admin", "--firstname", "a", "--lastname", "b",
            "--email", "admin@example.org", "--password", PASSWORD,
        )
        self.command("init")
        self.run(sys.executable, "-c", MAIN, "run", "-p", str(self.port), environment=self.environment)
        wait_until(self._answers, "Superset to answer", 180)
        login = {"username": "admin", "password": PASSWORD, "provider": "db", "refresh": True}
        self.token = self.call("/api/v1/security/login", login)["access_token"]
        return self

    def _answers(self):
        assert self.process.poll() is None, self.output()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=20):
                return True
        except OSError:
            return False

    def call(self, path, body):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data=json.dumps(body).encode(), headers=headers
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return {"error": error.code, "text": error.read().decode()}


@pytest.fixture(scope="module")
def superset(tmp_path_factory):
    started = Superset(tmp_path_factory.mktemp("superset"))
    try:
        yield started.start()
    finally:
        started.stop()


def add_database(superset, environment, user):
    password = PASSWORD.replace(" ", "%20")
    uri = f"postgresql+psycopg2://{user}:{password}@127.0.0.1:{environment['PGPORT']}/{environment['PGDATABASE']}"
    return superset.call("/api/v1/database/", {"database_name": user, "sqlalchemy_uri": uri, "expose_in_sqllab": True})["id"]


@pytest.fixture(scope="module")
def demo(superset, environment, analyst):
    return add_database(superset, environment, analyst)


def chart_data(superset, dataset):
    metric = {"expressionType": "SIMPLE", "column": {"column_name": "revenue"}, "aggregate": "SUM", "label": "sum"}
    query = {"columns": ["channel"], "metrics": [metric], "row_limit": 1000}
    asked = {"datasource": {"id": dataset, "type": "table"}, "force": True, "queries": [query], "result_format": "json", "result_type": "full"}
    return superset.call("/api/v1/chart/data", asked)["result"][0]


def test_sql_lab(superset, demo):
    answer = superset.call("/api/v1/sqllab/execute/", {"database_id": demo, "sql": CHART, "runAsync": False})
    assert [(row["channel"], str(row["revenue"])) for row in answer["data"]] == ROWS


def test_a_refusal_is_shown(superset, demo):
    sql = "SELECT text2sql.to_sql('Delete all orders')"
    answer = superset.call("/api/v1/sqllab/execute/", {"database_id": demo, "sql": sql, "runAsync": False})
    assert "this asks to change data" in answer["text"]


def test_a_virtual_dataset_and_its_chart(superset, demo):
    made = superset.call("/api/v1/dataset/", {"database": demo, "schema": "public", "table_name": "answer", "sql": CHART})
    assert [column["column_name"] for column in made["data"]["columns"]] == ["channel", "revenue"]
    result = chart_data(superset, made["id"])
    assert "AS virtual_table" in result["query"]
    assert sorted((row["channel"], str(row["sum"])) for row in result["data"]) == ROWS


def test_how_often_a_model_is_asked(superset, environment, asker):
    database = add_database(superset, environment, asker.role)
    before = asker.requests()
    sql = "SELECT channel, orders AS revenue FROM text2sql.ask_rows('Orders by channel, please') AS t(channel text, orders bigint)"
    superset.call("/api/v1/sqllab/execute/", {"database_id": database, "sql": sql, "runAsync": False})
    lab = asker.requests()
    made = superset.call("/api/v1/dataset/", {"database": database, "schema": "public", "table_name": "counted", "sql": sql})
    dataset = asker.requests()
    assert len(chart_data(superset, made["id"])["data"]) == 2
    chart = asker.requests()
    print(f"requests to the model: SQL Lab {lab - before}, making the dataset {dataset - lab}, the chart {chart - dataset}")
    assert lab - before == chart - dataset > 0
    # It runs the query for one row to learn its columns: twice, in Superset 6.1.
    assert dataset - lab <= 2 * (lab - before)
