"""Writes the questions that a model on this machine is measured with, a line each: sample.py SHARED > questions.jsonl

Of SHARED/managers those that have an answer, every third; of SHARED/practice/questions.jsonl, which is in the order of its
databases, every 24th. So the sample is the same each time, and has all databases in it.
"""

import json
import pathlib
import sys

CLOCKS = {"demo": "2025-12-31", "northwind": "1998-05-06"}


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def sample(shared):
    for database in CLOCKS:
        answerable = [case for case in lines(shared / "managers" / f"{database}.jsonl") if case["expect"] == "answer"]
        for case in answerable[::3]:
            yield {**case, "clock": case.get("today", CLOCKS[database])}
    for case in lines(shared / "practice" / "questions.jsonl")[7::24]:
        yield {**case, "database": f"practice_{case['database']}"}


if __name__ == "__main__":
    for case in sample(pathlib.Path(sys.argv[1])):
        print(json.dumps({key: case[key] for key in ("id", "database", "question", "gold", "ordered", "clock") if key in case}))
