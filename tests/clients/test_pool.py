"""Behind pgbouncer in transaction mode: nothing of a question may depend on the session, nor pass to the next one."""

import concurrent.futures
import contextlib
import os
import pwd
import subprocess
import time

import psycopg
import pytest

from conftest import PASSWORD, QUESTION
from support.programs import _free_port
from support.waiting import wait_until

CLIENTS = 50
SERVERS = 5


@pytest.fixture(scope="module")
def pool(database, analyst, asker, environment, tmp_path_factory):
    """pgbouncer with a few connections of each role, in turn, so that no client keeps one; returns its port."""
    directory = tmp_path_factory.mktemp("pgbouncer")
    port = _free_port()
    people = database.role("pool", grant=None, member_of=None)
    database.execute(f"GRANT {analyst} TO {people}")
    (directory / "users").write_text(f'"{analyst}" "{PASSWORD}"\n"{asker.role}" "{PASSWORD}"\n"{people}" "{PASSWORD}"\n')
    (directory / "pgbouncer.ini").write_text(f"""
[databases]
* = host=127.0.0.1 port={environment["PGPORT"]}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = plain
auth_file = {directory}/users
pool_mode = transaction
default_pool_size = {SERVERS}
max_client_conn = 200
server_round_robin = 1
ignore_startup_parameters = extra_float_digits
logfile = {directory}/log
""")
    command, options = [os.environ["TEXT2SQL_PGBOUNCER"]], {}
    if os.geteuid() == 0:
        # It refuses to run as root.
        nobody = pwd.getpwnam("nobody")
        for path in [directory, *directory.iterdir()]:
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
        for path in directory.parents:
            if path.stat().st_uid == 0 and str(path).startswith(str(tmp_path_factory.getbasetemp().parent)):
                path.chmod(0o755)
        options = {"user": nobody.pw_uid, "group": nobody.pw_gid}
    libraries = os.environ.get("TEXT2SQL_PGBOUNCER_LIBRARIES", "")
    running = subprocess.Popen(
        [*command, str(directory / "pgbouncer.ini")], env=os.environ | {"LD_LIBRARY_PATH": libraries},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options,
    )
    try:
        def listens():
            assert running.poll() is None, (directory / "log").read_text()
            try:
                psycopg.connect(host="127.0.0.1", port=port, dbname=database.name, user=analyst, password=PASSWORD).close()
                return True
            except psycopg.OperationalError:
                return False

        wait_until(listens, "pgbouncer to listen")
        # It opens a connection only when all are taken.
        with contextlib.ExitStack() as stack:
            for _ in range(SERVERS):
                taken = stack.enter_context(
                    psycopg.connect(host="127.0.0.1", port=port, dbname=database.name, user=analyst, password=PASSWORD)
                )
                taken.execute("SELECT", prepare=False)
        yield port
    finally:
        running.terminate()
        running.wait(timeout=20)


@pytest.fixture
def connect(pool, database, analyst):
    def made(role=None):
        # pgbouncer 1.18 knows no prepared statements of the protocol.
        return psycopg.connect(
            host="127.0.0.1", port=pool, dbname=database.name, user=role or analyst, password=PASSWORD,
            autocommit=True, prepare_threshold=None,
        )

    return made


def test_a_conversation_goes_on_over_other_sessions(connect):
    sessions = set()
    with connect() as made:
        for question in ["How many orders are there?", "and in 2025?", "and by channel?", "and by month?"]:
            row = made.execute(
                "SELECT status, pg_backend_pid(), result_rows FROM text2sql.ask(%s, 'over the pool')", [question]
            ).fetchone()
            sessions.add(row[1])
            assert row[0] == "ok", question
            # Others take the connections in turn.
            with connect() as other:
                other.execute("SELECT text2sql.show('How many stores are there?')")
    assert len(row[2]) > 2
    assert len(sessions) > 1


def test_fifty_clients_each_with_a_conversation(connect):
    def work(number):
        answers = []
        with connect() as made:
            year = 2023 + number % 3
            for question in [f"How many orders were placed in {year}?", "and by channel?"]:
                answers.append(
                    made.execute(
                        "SELECT status, result_rows::text FROM text2sql.ask(%s, %s)", [question, f"client {number}"]
                    ).fetchone()
                )
        return year, answers

    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as threads:
        done = list(threads.map(work, range(CLIENTS)))
    print(f"{2 * CLIENTS} questions of {CLIENTS} clients over {SERVERS} connections: {time.monotonic() - started:.1f} s")
    expected = {}
    for year, answers in done:
        assert [status for status, _ in answers] == ["ok", "ok"], answers
        assert expected.setdefault(year, answers) == answers
    assert len({str(answers) for answers in expected.values()}) == 3


def test_roles_take_turns_on_one_session(connect, database, analyst):
    """A pool that logs in once and sets the role of each person: neither tables nor columns nor turns pass over."""
    login = f"{database.name}_pool"
    small = database.role("small", member_of=None)
    database.execute(f"GRANT SELECT ON stores TO {small}", f"GRANT {small} TO {login}")
    for _ in range(4):
        with connect(login) as made:
            for role, count in ((analyst, "ok"), (small, "not_permitted")):
                with made.transaction():
                    made.execute(f'SET LOCAL ROLE "{role}"')
                    row = made.execute(
                        "SELECT status, answer FROM text2sql.ask('How many orders are there?', 'shared')"
                    ).fetchone()
                    assert row[0] == count, row
                    tables = made.execute("SELECT value FROM text2sql.status() WHERE item = 'readable tables'").fetchone()
                    assert (int(tables[0]) > 5) == (role == analyst)
            with made.transaction(), pytest.raises(psycopg.Error) as raised:
                made.execute(f'SET LOCAL ROLE "{small}"')
                made.execute("SELECT * FROM text2sql.ask_rows('How many orders are there?')")
            assert "orders bigint)" not in (raised.value.diag.message_hint or "").replace("month date, orders bigint)", "")
    turns = database.execute(
        "SELECT DISTINCT asked_by FROM text2sql._conversation_turns WHERE conversation = 'shared' ORDER BY 1"
    ).splitlines()
    assert sorted(turns) == sorted([analyst, small])


def test_settings_are_options_of_a_call_or_of_a_transaction(connect):
    sql = "SELECT row_count, truncated FROM text2sql.ask('How many orders by month in 2025?', options => %s)"
    with connect() as made:
        assert made.execute(sql, ['{"max_result_rows": 3}']).fetchone() == (3, True)
        with made.transaction():
            made.execute("SET LOCAL text2sql.max_result_rows = 2")
            assert made.execute(sql, ["{}"]).fetchone() == (2, True)
        for _ in range(2 * SERVERS):
            assert made.execute(sql, ["{}"]).fetchone()[1] is False


def test_a_cursor_and_a_table_live_in_their_transaction(connect):
    with connect() as made:
        with made.transaction():
            made.execute("CALL text2sql.ask_into(%s, 'cursor:found')", [QUESTION])
            assert made.execute("FETCH ALL FROM found").rowcount == 2
        with made.transaction():
            made.execute("CALL text2sql.ask_into(%s, 'answered')", [QUESTION])
            assert made.execute("SELECT count(*) FROM answered").fetchone() == (2,)
            made.execute("DROP TABLE answered")


def test_a_cancel_goes_to_the_right_question(connect, asker, pool):
    with connect(asker.role) as made, connect(asker.role) as other:
        with pytest.raises(psycopg.errors.QueryCanceled), made.transaction():
            made.execute("SET LOCAL statement_timeout = '300ms'")
            made.execute("SELECT pg_sleep(60), text2sql.ask('Which orders?')")
        assert other.execute("SELECT status FROM text2sql.ask('Which orders?')").fetchone() == ("ok",)


def test_no_advisory_lock_stays(connect, database):
    with connect() as made:
        made.execute("SELECT text2sql.ask(%s)", [QUESTION])
    locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    assert database.execute(locks) == "0"
