"""The recipes of docs/drivers.md, as they stand there."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "drivers.md").read_text()
RECIPES = dict(re.findall(r"<!-- recipe: (\w+) -->\n```\w+\n(.*?)```", PAGE, re.DOTALL))
PRINTED = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL).group(1)


def run(command, environment, **options):
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=180, check=False, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["psycopg", "asyncpg", "pandas"])
def test_python(name, environment):
    assert run([sys.executable, "-c", RECIPES[name]], environment) == PRINTED


def test_odbc(environment, odbc):
    assert run([sys.executable, "-c", RECIPES["odbc"]], environment) == PRINTED


def test_jdbc(environment, jdbc, tmp_path):
    (tmp_path / "Ask.java").write_text(RECIPES["jdbc"])
    assert run(["java", "-cp", jdbc, str(tmp_path / "Ask.java")], environment) == PRINTED


def test_node(environment, node_modules, tmp_path):
    (tmp_path / "ask.cjs").write_text(RECIPES["node"])
    environment = environment | {"NODE_PATH": node_modules}
    assert run([shutil.which("node"), str(tmp_path / "ask.cjs")], environment) == PRINTED


def test_every_recipe_is_tested():
    assert set(RECIPES) == {"psycopg", "asyncpg", "pandas", "odbc", "jdbc", "node"}
    assert os.path.basename(sys.executable).startswith("python")
