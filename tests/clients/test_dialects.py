"""SQL for SQLite and DuckDB, which we write and cannot run: here the engines themselves say whether it runs.

A model writes each statement. What passes our check must run in the engine and give these rows; what our check refuses the
engine must refuse as well, so that no right query is sent back.
"""

import pathlib
import sqlite3

import psycopg
import pytest

from conftest import PASSWORD
from support.programs import Model

DDL = """CREATE TABLE shops (id integer PRIMARY KEY, name varchar(40), town varchar(40), opened date);
CREATE TABLE bills (id integer, shop_id integer REFERENCES shops, amount decimal(10, 2), paid_at timestamp)"""
ROWS = """INSERT INTO shops VALUES (1, 'North', 'Graz', '2019-03-01'), (2, 'South', 'Linz', '2021-07-15'), (3, 'West', NULL, '2024-01-31');
INSERT INTO bills VALUES (1, 1, 10.50, '2024-01-05 10:00:00'), (2, 1, 20.00, '2024-02-07 11:30:00'),
(3, 2, 5.00, '2024-02-07 12:00:00'), (4, 2, NULL, NULL)"""

# Statement, and its rows; None where the dialect does not have it.
BOTH = [
    ("SELECT count(*) FROM bills", [(4,)]),
    ("SELECT s.name, count(b.id) FROM shops AS s LEFT JOIN bills AS b ON b.shop_id = s.id GROUP BY s.name ORDER BY s.name",
     [("North", 2), ("South", 2), ("West", 0)]),
    ("SELECT name FROM shops WHERE town IS NULL OR town LIKE 'G%' ORDER BY 1", [("North",), ("West",)]),
    ("SELECT town || '!' FROM shops WHERE id = 1", [("Graz!",)]),
    ("SELECT coalesce(town, '-') FROM shops WHERE id = 3", [("-",)]),
    ("SELECT shop_id, sum(amount) > 20 FROM bills GROUP BY 1 ORDER BY 1", [(1, 1), (2, 0)]),
    ("SELECT shop_id FROM bills GROUP BY shop_id HAVING sum(amount) > 20", [(1,)]),
    ("SELECT sum(CASE WHEN amount > 9 THEN 1 ELSE 0 END) FROM bills", [(2,)]),
    ("WITH t AS (SELECT shop_id, count(*) AS n FROM bills GROUP BY shop_id) SELECT max(n) FROM t", [(2,)]),
    ("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT count(*) FROM r", [(4,)]),
    ("SELECT id, row_number() OVER (PARTITION BY shop_id ORDER BY id DESC) FROM bills ORDER BY id", [(1, 2), (2, 1), (3, 2), (4, 1)]),
    ("SELECT id, lag(id) OVER (ORDER BY id) FROM bills ORDER BY id LIMIT 2", [(1, None), (2, 1)]),
    ("SELECT count(*) FILTER (WHERE amount > 9) FROM bills", [(2,)]),
    ("SELECT name FROM shops WHERE EXISTS (SELECT 1 FROM bills WHERE bills.shop_id = shops.id AND amount > 15)", [("North",)]),
    ("SELECT name FROM shops WHERE id IN (SELECT shop_id FROM bills) EXCEPT SELECT 'South'", [("North",)]),
    ("SELECT NAME FROM Shops WHERE ID = 1", [("North",)]),
    ("SELECT nullif(town, 'Graz') FROM shops WHERE id = 1", [(None,)]),
    ("SELECT round(avg(amount), 1) FROM bills WHERE shop_id = 1", [(15.3,)]),
    ("SELECT naem FROM shops", None),
    ("SELECT name FROM shop", None),
    ("SELECT b.name FROM shops AS s", None),
    ("SELECT no_such_function(name) FROM shops", None),
    ("SELECT TOP 2 name FROM shops", None),
    ("SELECT DATEADD(month, 1, opened) FROM shops", None),
]
OF = {
    "sqlite": [
        ("SELECT strftime('%Y', opened), count(*) FROM shops GROUP BY 1 ORDER BY 1", [("2019", 1), ("2021", 1), ("2024", 1)]),
        ("SELECT count(*) FROM bills WHERE date(paid_at) >= date('2024-02-01')", [(2,)]),
        ("SELECT date(opened, 'start of month', '+1 month') FROM shops WHERE id = 2", [("2021-08-01",)]),
        ("SELECT CAST(julianday('2024-01-31') - julianday(opened) AS INTEGER) FROM shops WHERE id = 3", [(0,)]),
        ("SELECT group_concat(name, ', ') FROM (SELECT name FROM shops ORDER BY name)", [("North, South, West",)]),
        ("SELECT iif(town IS NULL, 'no', 'yes') FROM shops WHERE id = 3", [("no",)]),
        ("SELECT ifnull(amount, 0) FROM bills WHERE id = 4", [(0,)]),
        ("SELECT total(amount) FROM bills", [(35.5,)]),
        ("SELECT name FROM shops WHERE name LIKE 'n%'", [("North",)]),
        ("SELECT name FROM shops WHERE name GLOB 'N*'", [("North",)]),
        ("SELECT max(3, 7), min(3, 7)", [(7, 3)]),
        ("SELECT 7 / 2", [(3,)]),
        ("SELECT instr(name, 'o'), substr(name, 2, 2), length(name) FROM shops WHERE id = 1", [(2, "or", 5)]),
        ("SELECT json_extract('{\"a\": 5}', '$.a')", [(5,)]),
        ("SELECT name FROM shops ORDER BY town LIMIT 1", [("West",)]),
        ("SELECT printf('%.1f', amount) FROM bills WHERE id = 1", [("10.5",)]),
        ("SELECT rowid FROM shops WHERE name = 'South'", [(2,)]),
        ("SELECT name FROM shops WHERE town = \"Graz\"", [("North",)]),
        ("SELECT EXTRACT(YEAR FROM opened) FROM shops", None),
        ("SELECT date_trunc('month', opened) FROM shops", None),
        ("SELECT opened::text FROM shops", None),
        ("SELECT name FROM shops WHERE name ILIKE 'n%'", None),
        ("SELECT opened + INTERVAL '1 month' FROM shops", None),
        ("SELECT name FROM shops QUALIFY row_number() OVER (ORDER BY id) = 1", None),
    ],
    "duckdb": [
        ("SELECT date_trunc('month', paid_at)::date::varchar, count(*) FROM bills WHERE paid_at IS NOT NULL GROUP BY 1 ORDER BY 1",
         [("2024-01-01", 1), ("2024-02-01", 2)]),
        ("SELECT EXTRACT(YEAR FROM opened) FROM shops WHERE id = 2", [(2021,)]),
        ("SELECT year(opened), month(opened) FROM shops WHERE id = 2", [(2021, 7)]),
        ("SELECT (opened + INTERVAL 1 MONTH)::date::varchar FROM shops WHERE id = 3", [("2024-02-29",)]),
        ("SELECT date_diff('day', opened, DATE '2024-02-10') FROM shops WHERE id = 3", [(10,)]),
        ("SELECT strftime(opened, '%Y-%m') FROM shops WHERE id = 1", [("2019-03",)]),
        ("SELECT string_agg(name, ', ' ORDER BY name) FROM shops", [("North, South, West",)]),
        ("SELECT list(name ORDER BY name)[1] FROM shops", [("North",)]),
        ("SELECT name FROM shops WHERE name ILIKE 'n%'", [("North",)]),
        ("SELECT name FROM shops QUALIFY row_number() OVER (ORDER BY id DESC) = 1", [("West",)]),
        ("SELECT 7 / 2, 7 // 2", [(3.5, 3)]),
        ("SELECT shop_id, count(*) AS n FROM bills GROUP BY ALL ORDER BY ALL", [(1, 2), (2, 2)]),
        ("SELECT * EXCLUDE (opened, town) FROM shops WHERE id = 1", [(1, "North")]),
        ("SELECT arg_max(id, amount) FROM bills", [(2,)]),
        ("SELECT median(amount) > 10 FROM bills", [(True,)]),
        ("SELECT {'a': id}.a FROM shops WHERE id = 3", [(3,)]),
        ("SELECT name FROM shops ORDER BY town LIMIT 1", [("North",)]),
        ("SELECT if(town IS NULL, 'no', 'yes') FROM shops WHERE id = 3", [("no",)]),
        ("SELECT name FROM shops WHERE town = \"Graz\"", None),
        ("SELECT julianday(opened, 'start of month') FROM shops", None),
        ("SELECT date('now', '-1 month') FROM shops", None),
    ],
}
# What reads or changes the session or something outside of the database, which no answer needs.
EFFECTS = {
    "changes", "last_insert_rowid", "load_extension", "optimize", "total_changes", "current_query", "current_query_id", "current_setting",
    "currval", "in_search_path", "nextval", "txid_current", "write_log",
}
CASES = [(dialect, *case) for dialect, own in OF.items() for case in BOTH + own]


def _question(number):
    return f"Statement {number:03}?"


@pytest.fixture(scope="module")
def write(database, tmp_path_factory):
    """Has a model write the statement of a case, and returns status and SQL."""
    role = database.role("dialects")
    rules = [{"match": _question(number)[:-1], "replies": [{"sql": sql}]} for number, (_, sql, _) in enumerate(CASES)]
    model = Model(tmp_path_factory.mktemp("dialects") / "log", rules).start()
    try:
        database.model("dialects", model.base_url(), role)
        with psycopg.connect(host="127.0.0.1", dbname=database.name, user=role, password=PASSWORD, autocommit=True) as client:
            yield lambda number: client.execute(
                """SELECT status, sql, answer FROM text2sql.generate_sql(%s, %s, %s, options => '{"max_repairs": 0}')""",
                (_question(number), DDL, CASES[number][0]),
            ).fetchone()
    finally:
        model.stop()


@pytest.fixture(scope="module")
def engines():
    """A function for each engine that returns the rows of a statement."""
    made = {}
    own = sqlite3.connect(":memory:")
    own.executescript(f"{DDL};{ROWS}")
    made["sqlite"] = lambda sql: own.execute(sql).fetchall()
    try:
        import duckdb
    except ImportError:
        return made
    other = duckdb.connect(":memory:")
    other.execute(f"{DDL};{ROWS}")
    made["duckdb"] = lambda sql: other.execute(sql).fetchall()
    return made


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: f"{CASES[number][0]}-{number}")
def test_what_passes_our_check_runs_in_the_engine(write, engines, number):
    dialect, sql, rows = CASES[number]
    if dialect not in engines:
        pytest.skip(f"needs {dialect}")
    status, written, answer = write(number)
    if rows is None:
        assert status in ("failed", "blocked"), f"{sql}: {written}"
        with pytest.raises(Exception) as refused:
            engines[dialect](sql)
        assert refused.type.__module__ in ("sqlite3", "_duckdb", "duckdb"), refused
        return
    assert status == "ok", f"{sql}: {answer}"
    assert engines[dialect](written) == rows


def test_our_lists_have_the_functions_of_the_engines(engines):
    """A function that is not in them is sent back to the model, and would be right."""
    lists = pathlib.Path(__file__).parents[2] / "crates/text2sql_sql/src/dialects/functions"
    names = {
        "sqlite": "SELECT DISTINCT name FROM pragma_function_list",
        "duckdb": "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate')",
    }
    for dialect, rows in engines.items():
        ours = set((lists / f"{dialect}.txt").read_text().split()) | set((lists / "aggregates.txt").read_text().split())
        theirs = {name.lower() for (name,) in rows(names[dialect])}
        # Names such as `->`, `__internal_compress` and `rtreenode` are not called by anybody.
        inner = ("__", "rtree", "fts3_", "fts5", "sqlite_", "icu_")
        called = {name for name in theirs if name.isidentifier() and not name.startswith(inner)}
        missing = sorted(called - ours - EFFECTS)
        assert not missing, f"{dialect}: {' '.join(missing)}"
