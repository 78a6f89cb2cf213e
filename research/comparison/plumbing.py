"""Says whether every program can be asked and graded here: five questions of the demo suite, answered by a script.

plumbing.py PROGRAM    where PROGRAM is tools/model_double
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import compare

EXPECTED = "SELECT count(*) AS stores FROM stores"


def main(program):
    script = pathlib.Path(__file__).with_name("plumbing.json")
    double = subprocess.Popen([program, "--script", script], stdout=subprocess.PIPE, text=True)
    try:
        url = double.stdout.readline().removeprefix("listening on ").strip()
        with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as attempts:
            sys.argv[1:] = ["--suite", "demo", "--database", "demo", "--limit", "5", "--base-url", f"{url}/v1",
                            "--model", "double-1", "--json", attempts.name]
            compare.main()
            made = [json.loads(line) for line in attempts]
    finally:
        double.kill()
        double.wait()
    print("\nA script answered: these figures say nothing about the programs.")
    written = collections.Counter(attempt["program"] for attempt in made if attempt["sql"] == EXPECTED and attempt["calls"])
    # The built-in engine needs no script for these.
    missing = [name for name in compare.CONTENDERS if written[name] != 5 and not name.endswith("builtin first")]
    for attempt in made:
        if attempt["program"] in missing:
            print(f"{attempt['program']}: {attempt['message'] or attempt['sql']}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
