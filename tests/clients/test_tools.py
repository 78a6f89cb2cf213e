"""Tools, and what drivers offer beyond a query: JDBC and ODBC as BI tools use them, pgcli, pipelines, pools of clients."""

import asyncio
import decimal
import os
import shutil
import subprocess
import sys

import asyncpg
import psycopg
import pytest

from conftest import CHART, PASSWORD, QUESTION, ROWS


@pytest.mark.parametrize("mode", ["extended", "simple", "extendedForPrepared"])
def test_jdbc(environment, jdbc, asked, mode):
    before = asked()
    program = os.path.join(os.path.dirname(__file__), "Probes.java")
    done = subprocess.run(
        ["java", "-cp", jdbc, program, f"preferQueryMode={mode}"],
        env=environment, capture_output=True, text=True, timeout=240, check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "described channel numeric", "limit 0 false", "keys true", "crawled true", "asked nothing yet",
        "limited true", "prepared 8", "declined T2002",
    ]
    # A read-only transaction records nothing, so what is new was asked by a probe: without the extended protocol the
    # driver has no other way to learn the columns than to run the query.
    assert asked() - before == (mode == "simple")


def test_jdbc_reaches_a_model_only_to_run(environment, jdbc, asker):
    before = asker.requests()
    program = os.path.join(os.path.dirname(__file__), "Probes.java")
    environment = environment | {"PGUSER": asker.role, "PGPASSWORD": PASSWORD}
    with subprocess.Popen(
        ["java", "-cp", jdbc, program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        for line in running.stdout:
            if line.startswith("crawled"):
                assert asker.requests() == before
                break
        running.kill()


ODBC = (
    "Driver={{PostgreSQL Unicode}};Server={PGHOST};Port={PGPORT};Database={PGDATABASE};UID={PGUSER};PWD={PGPASSWORD};{more}"
)


@pytest.mark.parametrize("more", ["", "UseServerSidePrepare=0", "UseDeclareFetch=1;Fetch=1", "ReadOnly=1", "Protocol=7.4-1"])
def test_odbc(environment, odbc, asked, more):
    import pyodbc

    before = asked()
    with pyodbc.connect(ODBC.format(more=more, **environment)) as made:
        cursor = made.cursor()
        # Power BI and Excel list tables, columns and keys, then look at no row.
        assert len(cursor.tables(schema="public").fetchall()) > 20
        assert len(cursor.columns(schema="public").fetchall()) > 100
        assert cursor.primaryKeys("orders", schema="public").fetchall()
        assert len(cursor.procedures(schema="text2sql").fetchall()) > 50
        assert cursor.execute(f'select "_".* from ({CHART}) "_" where 1 = 0').fetchall() == []
        assert asked() == before
        rows = cursor.execute(f'select "_"."channel", "_"."revenue" from ({CHART}) "_" limit 4096').fetchall()
        assert [(channel, str(revenue)) for channel, revenue in rows] == ROWS
        row = cursor.execute("SELECT status, answer FROM text2sql.ask(?)", QUESTION).fetchone()
        assert row.status == "ok"
        with pytest.raises(pyodbc.Error) as raised:
            cursor.execute("SELECT text2sql.to_sql(?)", "Delete all orders").fetchall()
        assert "this asks to change data" in str(raised.value)


def test_pgcli(environment):
    pgcli = os.path.join(os.path.dirname(sys.executable), "pgcli")
    assert shutil.which(pgcli)
    # Not by its program, which names the place where the environment was made.
    done = subprocess.run(
        [sys.executable, "-c", "from pgcli.main import cli; cli()", "--warn", "off", "--less-chatty"],
        input=f"SELECT text2sql.show('{QUESTION}');\n\\df text2sql.ask_rows\n{CHART};\n\\q\n",
        env=environment | {"HOME": environment.get("TMPDIR", "/tmp"), "PAGER": "cat", "TERM": "dumb"},
        capture_output=True, text=True, timeout=180, check=False,
    )
    for _, revenue in ROWS:
        assert revenue in done.stdout, done.stdout + done.stderr
    assert "SETOF record" in done.stdout


def test_psycopg_in_every_way(connection):
    with psycopg.connect(**connection) as made:
        with made.pipeline():
            cursors = [made.execute("SELECT status FROM text2sql.ask(%s)", [QUESTION]) for _ in range(5)]
        assert [cursor.fetchone() for cursor in cursors] == [("ok",)] * 5
        with made.cursor(binary=True) as cursor:
            rows = cursor.execute(CHART).fetchall()
            assert rows[0] == ("store", decimal.Decimal("2868531.18"))
        with made.cursor().copy(f"COPY ({CHART}) TO STDOUT") as copy:
            assert b"".join(copy).decode().splitlines() == ["\t".join(row) for row in ROWS]
        made.execute("CALL text2sql.ask_into(%s, 'cursor:found')", [QUESTION])
        assert made.execute("FETCH ALL FROM found").rowcount == 2
        with made.cursor("held", withhold=True) as cursor:
            cursor.execute(CHART)
            made.commit()
            assert len(cursor.fetchall()) == 2


def test_asyncpg_pool(environment):
    async def ask(pool, number):
        async with pool.acquire() as made:
            return await made.fetchval("SELECT status FROM text2sql.ask($1, $2)", QUESTION, f"client {number}")

    async def main():
        async with asyncpg.create_pool(
            host=environment["PGHOST"], port=int(environment["PGPORT"]), user=environment["PGUSER"],
            password=environment["PGPASSWORD"], database=environment["PGDATABASE"], min_size=2, max_size=6,
        ) as pool:
            answers = await asyncio.gather(*(ask(pool, number) for number in range(24)))
            async with pool.acquire() as made, made.transaction(readonly=True):
                rows = [row async for row in made.cursor(CHART, prefetch=1)]
            return answers, rows

    answers, rows = asyncio.run(main())
    assert answers == ["ok"] * 24
    assert [(row["channel"], str(row["revenue"])) for row in rows] == ROWS


def test_node_cursor(environment, node_modules, tmp_path):
    program = """
const { Pool } = require('pg'); const Cursor = require('pg-cursor')
async function main() {
  const pool = new Pool({ max: 3 })
  const answers = await Promise.all(Array.from({ length: 9 }, () =>
    pool.query({ name: 'ask', text: 'SELECT status, result_rows FROM text2sql.ask($1)', values: [process.argv[2]] })))
  console.log(answers.map(({ rows }) => rows[0].status + rows[0].result_rows.length).join(' '))
  const client = await pool.connect()
  const cursor = client.query(new Cursor(process.argv[3]))
  console.log((await cursor.read(1)).length, (await cursor.read(5)).length)
  await cursor.close(); client.release(); await pool.end()
}
main().catch(error => { console.error(error); process.exit(1) })
"""
    (tmp_path / "cursor.cjs").write_text(program)
    done = subprocess.run(
        [shutil.which("node"), str(tmp_path / "cursor.cjs"), QUESTION, CHART],
        env=environment | {"NODE_PATH": node_modules}, capture_output=True, text=True, timeout=120, check=False,
    )
    assert done.stdout.splitlines() == [" ".join(["ok2"] * 9), "1 1"], done.stderr
