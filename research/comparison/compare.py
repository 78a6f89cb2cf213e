"""Asks the questions of a suite of several programs with one model, and grades their SQL with the grader of pg_text2sql.

Every program gets the same question (with the evidence of the case, where it has any), the same endpoint and
temperature 0, and a connection to the same database. What it writes is graded by text2sql_eval.grade(), which runs it
behind the guard of pg_text2sql. Calls, tokens and the time in the model are counted between the programs and the
endpoint (endpoint.py), so they are counted in one way.
"""

import argparse
import importlib.metadata
import json
import os
import sys
import time

import suite
import table
from contenders import CONTENDERS
from endpoint import Endpoint


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", required=True, help="the suite, in each of the databases")
    parser.add_argument("--database", action="append", help="a database; several times for several (PGDATABASE)")
    parser.add_argument("--cases", help="the file of an import: its databases are asked")
    parser.add_argument("--base-url", required=True, help="an endpoint of the shape of OpenAI's API, with /v1")
    parser.add_argument("--model", required=True, help="the model at it; its key is in OPENAI_API_KEY")
    parser.add_argument("--limit", type=int, help="this many cases of each database")
    parser.add_argument("--level", action="append", help="only cases of this level; several times for several")
    parser.add_argument("--only", action="append", choices=sorted(CONTENDERS), help="only this program")
    parser.add_argument("--timeout", type=float, default=300, help="seconds that a call of the model may take")
    parser.add_argument("--json", help="every attempt is written to this file, a line each")
    return parser.parse_args()


def version(contender, database):
    if contender.package is None:
        return suite.extension_version(database)
    return importlib.metadata.version(contender.package)


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
    databases = suite.databases(given.cases, given.database)
    attempts = {name: [] for name in names}
    out = open(given.json, "w", encoding="utf-8") if given.json else None
    key = os.environ.get("OPENAI_API_KEY", "none")
    with Endpoint(given.base_url, key, given.timeout) as endpoint:
        for database in databases:
            cases = suite.cases(database, given.suite, given.level, given.limit)
            print(f"{database}: {len(cases)} cases", file=sys.stderr)
            for name in names:
                contender = CONTENDERS[name](database, endpoint.url, given.model, given.timeout)
                try:
                    for case in cases:
                        made = attempt(contender, endpoint, case)
                        made["verdict"] = suite.grade(database, case, made["sql"])
                        attempts[name].append(made)
                        if out:
                            line = {"program": name, "database": database, "key": case.key, "question": case.question, **made}
                            out.write(json.dumps(line) + "\n")
                            out.flush()
                finally:
                    contender.close()
    versions = {name: version(CONTENDERS[name], databases[0]) for name in names}
    print(table.render(attempts, versions, given.model))
    return 0 if any(attempts.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
