"""The cases of a suite, and the grade of what a program wrote for one."""

import dataclasses
import json
import os

import psycopg2


@dataclasses.dataclass
class Case:
    key: str
    question: str
    gold: list
    options: dict

    asked: str = ""


def connect(database):
    """Host, port, user and password are those of PGHOST, PGPORT, PGUSER and PGPASSWORD."""
    connection = psycopg2.connect(dbname=database)
    connection.autocommit = True
    return connection


def extension_version(database):
    with connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'pg_text2sql'")
        return cursor.fetchone()[0]


def databases(cases, named):
    if named:
        return named
    if cases:
        with open(cases, encoding="utf-8") as lines:
            found = [json.loads(line).get("database") for line in lines if line.strip()]
        return sorted({database for database in found if database})
    return [os.environ.get("PGDATABASE", "postgres")]


def cases(database, suite, levels, limit):
    """The cases that one statement answers: no follow-ups, no texts, and none that should be refused."""
    with connect(database) as connection, connection.cursor() as cursor:
        cursor.execute(
            """SELECT c.key, c.question, c.gold, c.evidence,
                      s.comparison || coalesce(c.comparison, '{}') || jsonb_strip_nulls(jsonb_build_object('ordered', c.ordered, 'clock', s.clock))
                 FROM text2sql_eval.cases c JOIN text2sql_eval.suites s USING (suite)
                WHERE suite = %s AND expected_status = 'ok' AND cardinality(gold) > 0 AND cardinality(previous) = 0
                  AND gold_texts IS NULL AND problem IS NULL AND (%s::text[] IS NULL OR level = ANY (%s))
                ORDER BY case_id LIMIT %s""",
            (suite, levels, levels, limit),
        )
        return [
            Case(key, question, gold, options, f"{question} ({evidence})" if evidence else question)
            for key, question, gold, evidence, options in cursor.fetchall()
        ]


def questions(path):
    """The cases of a file, by database: id, database, question, gold, and ordered, clock and level where it has them."""
    found = {}
    with open(path, encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            options = {"extra_columns": True, "tolerance": 1e-5, "ordered": case.get("ordered", False), **(case.get("comparison") or {})}
            if case.get("clock"):
                options["clock"] = case["clock"]
            found.setdefault(case["database"], []).append(Case(case["id"], case["question"], case["gold"], options, case["question"]))
    return found


def grade(database, case, sql):
    """right, wrong, failed (it does not run) or refused (there is no SQL)."""
    if not sql:
        return "refused"
    verdicts = set()
    with connect(database) as connection, connection.cursor() as cursor:
        for gold in case.gold:
            cursor.execute("SELECT verdict FROM text2sql_eval.grade(%s, %s, %s)", (gold, sql, json.dumps(case.options)))
            verdicts.add(cursor.fetchone()[0])
    return next(verdict for verdict in ("right", "wrong", "failed", *sorted(verdicts)) if verdict in verdicts)
