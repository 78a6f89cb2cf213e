"""What tools do to SQL before and around the run: probes must not ask, and wraps must not change the answer."""

import json
import subprocess
import sys

import psycopg
import pytest

from conftest import CHART, PASSWORD, QUESTION, ROWS

# Each returns no row. Tools send them to learn the columns.
PROBES = [
    f"SELECT * FROM ({CHART}) AS virtual_table LIMIT 0",
    f"SELECT * FROM ({CHART}) AS q WHERE 1 = 0",
    f"SELECT * FROM ({CHART}) AS q WHERE false",
    f"SELECT * FROM ({CHART}) AS q FETCH FIRST 0 ROWS ONLY",
    f"SELECT channel, sum(revenue) FROM ({CHART}) AS q WHERE (1 = 0) GROUP BY channel ORDER BY 2 DESC LIMIT 0",
    f"WITH __cte AS ({CHART}) SELECT * FROM __cte LIMIT 0",
    f"CREATE TEMP TABLE probed AS {CHART} WITH NO DATA",
    f"EXPLAIN {CHART}",
    f"PREPARE probed AS {CHART}",
    f"DECLARE probed CURSOR FOR {CHART}",
    "SELECT status FROM text2sql.ask('Total revenue by channel in 2025') LIMIT 0",
    "SELECT text2sql.to_sql('Total revenue by channel in 2025') WHERE 1 = 0",
]

# Each returns the rows.
WRAPS = [
    f"SELECT * FROM ({CHART}) AS virtual_table LIMIT 1001",
    f"{CHART} -- Metabase:: userID: 1 queryType: native queryHash: 0a",
    f"/* Superset, dashboard 'sales' */ {CHART} /* {{'a': 1}} */",
    f"{CHART};",
    f'SELECT "channel" AS "channel", sum("revenue") AS "SUM(revenue)" FROM ({CHART}\n) AS virtual_table '
    'GROUP BY "channel" ORDER BY 1 LIMIT 50000',
    f'select "_"."channel", "_"."revenue" from ({CHART}) "_" order by "_"."channel" limit 1000',
    f"SELECT * FROM (SELECT * FROM ({CHART}) AS source) AS source WHERE source.channel LIKE '%e%' ORDER BY 1",
    f"WITH q AS ({CHART}) SELECT * FROM q ORDER BY 1",
]


@pytest.fixture
def counted(database, asker, connection):
    """A connection of the role whose questions reach a model."""
    arguments = connection | {"user": asker.role, "password": PASSWORD}
    with psycopg.connect(**arguments, autocommit=True) as made:
        yield made


@pytest.mark.parametrize("sql", PROBES)
def test_a_probe_reaches_no_model(counted, asker, sql):
    before = asker.requests()
    with counted.transaction(force_rollback=True):
        cursor = counted.execute(sql)
        rows = cursor.fetchall() if cursor.description and not sql.startswith("EXPLAIN") else []
    assert rows == []
    assert asker.requests() == before


def test_a_description_reaches_no_model(counted, asker):
    before = asker.requests()
    described = counted.pgconn.prepare(b"described", CHART.encode())
    assert described.status == psycopg.pq.ExecStatus.COMMAND_OK
    described = counted.pgconn.describe_prepared(b"described")
    assert [described.fname(column) for column in range(described.nfields)] == [b"channel", b"revenue"]
    assert asker.requests() == before
    # The count is one of requests that do arrive.
    assert counted.execute(CHART).rowcount == 2
    assert asker.requests() > before


@pytest.mark.parametrize("sql", WRAPS)
def test_a_wrap_changes_no_answer(connection, asked, sql):
    before = asked()
    with psycopg.connect(**connection) as made:
        rows = made.execute(sql).fetchall()
    assert [(channel, str(revenue)) for channel, revenue in rows] == ROWS
    assert asked() == before + 1


def test_a_doubled_percent_sign_is_one(connection):
    sql = "SELECT text2sql.to_sql(%s) LIKE '%%sum(o.revenue)%%'"
    with psycopg.connect(**connection) as made:
        assert made.execute(sql, [QUESTION]).fetchone() == (True,)
        # Where a tool doubles it without undoing that, the question is still read.
        row = made.execute("SELECT status FROM text2sql.ask('Orders with a discount over 10 %% in 2025')").fetchone()
        assert row[0] in {"ok", "unanswerable", "ambiguous"}


def test_a_cut_answer_is_an_error_beneath_an_aggregate(connection):
    sql = f"SELECT count(*) FROM ({CHART}) AS virtual_table LIMIT 1000".replace(
        "2025')", "2025', options => '{\"max_result_rows\": 1}')"
    )
    with psycopg.connect(**connection) as made, pytest.raises(psycopg.Error) as raised:
        made.execute(sql)
    assert raised.value.sqlstate == "54000"


def test_a_read_only_transaction_answers(connection):
    with psycopg.connect(**connection) as made:
        made.read_only = True
        assert len(made.execute(CHART).fetchall()) == 2
        made.rollback()
        made.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
        assert len(made.execute(CHART).fetchall()) == 2


def test_a_question_is_a_parameter_of_a_prepared_statement(connection):
    questions = {QUESTION: 2, "Total revenue by channel in 2024": 2}
    with psycopg.connect(**connection, prepare_threshold=0) as made:
        for _ in range(6):
            for question, rows in questions.items():
                sql = "SELECT * FROM text2sql.ask_rows(%s) AS t(channel text, revenue numeric)"
                assert len(made.execute(sql, [question]).fetchall()) == rows


def test_no_view_of_the_extension_reaches_a_model(database, asker, connection):
    """Tools read every view they see: metadata, samples, fingerprints."""
    before = asker.requests()
    views = database.execute(
        """SELECT format('%I.%I', n.nspname, c.relname)
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('text2sql', 'text2sql_eval') AND c.relkind IN ('v', 'm')"""
    ).splitlines()
    assert len(views) > 20
    read = 0
    for user in (asker.role, None):
        arguments = connection | {"user": asker.role, "password": PASSWORD}
        with psycopg.connect(**arguments, autocommit=True) as made:
            for view in views:
                try:
                    made.execute(f"SELECT * FROM {view} LIMIT 10000").fetchall()
                    read += 1
                except psycopg.errors.InsufficientPrivilege:
                    continue
        if user is None:
            database.execute(
                f"SET text2sql.model = 'counted'; {'; '.join(f'SELECT count(v) FROM {view} AS v' for view in views)}"
            )
    assert read > 20
    assert asker.requests() == before


def test_a_crawl_of_metadata_reaches_no_model(asker, connection, environment):
    """What SQLAlchemy, and with it Superset, reads of a database."""
    before = asker.requests()
    crawl = """
import sys, warnings
from sqlalchemy import create_engine, inspect
# Types of the demo and of pgvector that SQLAlchemy does not know.
warnings.filterwarnings("error", message="Did not recognize type '(?!geo_point|halfvec)")
warnings.filterwarnings("ignore", message="Did not recognize type '(geo_point|halfvec)'")
inspector = inspect(create_engine("postgresql+psycopg://"))
seen = 0
for schema in inspector.get_schema_names():
    for name in inspector.get_table_names(schema) + inspector.get_view_names(schema):
        inspector.get_columns(name, schema), inspector.get_foreign_keys(name, schema)
        inspector.get_indexes(name, schema), inspector.get_table_comment(name, schema)
        seen += 1
print(seen)
"""
    done = subprocess.run(
        [sys.executable, "-c", crawl],
        env=environment | {"PGUSER": asker.role}, capture_output=True, text=True, timeout=180, check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 50
    assert asker.requests() == before


def test_a_hint_is_a_list_to_paste(connection):
    with psycopg.connect(**connection, autocommit=True) as made:
        with pytest.raises(psycopg.Error) as raised:
            made.execute(f"SELECT text2sql.ask_rows('{QUESTION}')")
        listed = raised.value.diag.message_hint
        with pytest.raises(psycopg.Error) as raised:
            made.execute(f"SELECT * FROM text2sql.ask_rows('{QUESTION}')")
        assert raised.value.diag.message_hint == listed
        assert made.execute(f"SELECT * FROM text2sql.ask_rows('{QUESTION}') {listed}").rowcount == 2


def test_json_of_ask_is_json(connection):
    with psycopg.connect(**connection) as made:
        columns, rows = made.execute("SELECT result_columns, result_rows FROM text2sql.ask(%s)", [QUESTION]).fetchone()
    assert len(columns) == 2 and len(rows) == 2 and json.dumps(rows)
