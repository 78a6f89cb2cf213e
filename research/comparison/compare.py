"""Asks the questions of a suite of several programs with one model, and grades their SQL with the grader of pg_text2sql.

Every program gets the same question (with the evidence of the case, where it has any), the same endpoint and
temperature 0, and a connection to the same database. What it writes is graded by text2sql_eval.grade(), which runs it
behind the guard of pg_text2sql. Calls, tokens and the time in the model are counted between the programs and the
endpoint (endpoint.py), so they are counted in one way.
"""

import argparse
import contextlib
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
import time

import suite
import table
from contenders import CONTENDERS, contender
from endpoint import Endpoint


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", help="the suite, in each of the databases")
    parser.add_argument("--questions", help="instead of a suite: a file of questions, a line each, with database and gold")
    parser.add_argument("--database", action="append", help="a database; several times for several (PGDATABASE)")
    parser.add_argument("--cases", help="the file of an import: its databases are asked")
    parser.add_argument("--base-url", help="an endpoint of the shape of OpenAI's API, with /v1")
    parser.add_argument("--model", required=True, help="the model at it; its key is in OPENAI_API_KEY")
    parser.add_argument("--model-file", help="instead of an endpoint: a file, which text2sql-model answers from")
    parser.add_argument("--program", help="text2sql-model, for --model-file")
    parser.add_argument("--limit", type=int, help="this many cases of each database")
    parser.add_argument("--level", action="append", help="only cases of this level; several times for several")
    parser.add_argument("--only", action="append", choices=sorted(CONTENDERS), help="only this program")
    parser.add_argument("--timeout", type=float, default=300, help="seconds that a call of the model may take")
    parser.add_argument("--json", help="every attempt is written to this file, a line each; what is in it is not asked again")
    given = parser.parse_args()
    if bool(given.suite) == bool(given.questions) or bool(given.base_url) == bool(given.model_file):
        parser.error("name --suite or --questions, and --base-url or --model-file")
    return given


@contextlib.contextmanager
def base_url(given):
    """The endpoint; that of a model file is started, and ends with this program."""
    if not given.model_file:
        yield given.base_url
        return
    with tempfile.TemporaryDirectory() as directory:
        name = f"{directory}/socket"
        running = subprocess.Popen(
            [given.program, "--model", given.model_file, "--socket", name, "--threads", str(os.cpu_count() or 1), "--idle", "86400"]
        )
        try:
            while not os.path.exists(name):
                if running.poll() is not None:
                    sys.exit("text2sql-model has ended")
                time.sleep(0.1)
            yield f"unix:{name}"
        finally:
            running.terminate()
            running.wait()


def made_before(path):
    """The attempts in a file that an interrupted run has left."""
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as lines:
        made = [json.loads(line) for line in lines]
    return {(line["program"], line["database"], line["key"]): line for line in made}


def version(name, database):
    if name == "plain prompt":
        return "–"
    package = contender(name).package
    return importlib.metadata.version(package) if package else suite.extension_version(database)


def attempt(contender, endpoint, case):
    """One question to one program: what it wrote, how it ended, and what it took."""
    before = endpoint.counted()
    begun = time.monotonic()
    try:
        sql, message = contender.ask(case.asked), None
    except Exception as error:  # A program that fails has not answered.
        sql, message = None, f"{type(error).__name__}: {error}"
    seconds = time.monotonic() - begun
    return {"sql": sql, "message": message, "seconds": seconds, **endpoint.since(before)}


def main():
    given = arguments()
    names = given.only or list(CONTENDERS)
    asked = suite.questions(given.questions) if given.questions else {}
    databases = list(asked) or suite.databases(given.cases, given.database)
    attempts = {name: [] for name in names}
    before = made_before(given.json)
    out = open(given.json, "a", encoding="utf-8") if given.json else None
    key = os.environ.get("OPENAI_API_KEY", "none")
    contender("pg_text2sql").model_file = given.model_file
    with base_url(given) as url, Endpoint(url, key, given.timeout) as endpoint:
        for database in databases:
            cases = asked.get(database) or suite.cases(database, given.suite, given.level, given.limit)
            print(f"{database}: {len(cases)} cases", file=sys.stderr)
            for name in names:
                known = [before.get((name, database, case.key)) for case in cases]
                attempts[name].extend(filter(None, known))
                if all(known):
                    continue
                program = contender(name)(database, endpoint.url, given.model, given.timeout)
                try:
                    for case, done in zip(cases, known):
                        if done:
                            continue
                        made = attempt(program, endpoint, case)
                        made["verdict"] = suite.grade(database, case, made["sql"])
                        attempts[name].append(made)
                        if out:
                            line = {"program": name, "database": database, "key": case.key, "question": case.question, **made}
                            out.write(json.dumps(line) + "\n")
                            out.flush()
                finally:
                    program.close()
    versions = {name: version(name, databases[0]) for name in names}
    print(table.render(attempts, versions, given.model))
    return 0 if any(attempts.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
