"""Fixtures of all tests of the page: one database, one server and one browser for the run, a person for each test."""

import contextlib

import pytest
from playwright.sync_api import expect, sync_playwright

from support.app import App
from support.browser import Person, launch
from support.database import Database
from support.programs import Model, Server
from support.waiting import PATIENCE

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="session")
def database():
    """A copy of the demo database. Its roles are made by `database.role`."""
    made = Database()
    try:
        made.create()
        yield made
    finally:
        made.drop()


@pytest.fixture(scope="session")
def server(database, tmp_path_factory):
    """text2sql-server before that database."""
    started = Server(tmp_path_factory.mktemp("server") / "log", database.name)
    try:
        yield started.start()
    finally:
        started.stop()


@pytest.fixture
def own_server(database, tmp_path):
    """A server that a test may stop and start."""
    started = Server(tmp_path / "log", database.name)
    try:
        yield started.start()
    finally:
        started.stop()


@pytest.fixture(scope="session")
def start_model(tmp_path_factory):
    """Starts a model endpoint with a script, and ends it with the run."""
    with contextlib.ExitStack() as stack:

        def start(script):
            model = Model(tmp_path_factory.mktemp("model") / "log", script)
            stack.callback(model.stop)
            return model.start()

        yield start


@pytest.fixture(scope="session")
def analyst(database):
    """A role that may read what the demo's analyst may."""
    return database.role("analyst", grant="usage")


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        launched = launch(playwright)
        yield launched
        launched.close()


@pytest.fixture
def new_person(browser, server, request):
    """Makes persons, each with a browser of its own. After the test none of them may have seen a fault."""
    persons = []
    allowed = [pattern for mark in request.node.iter_markers("allows") for pattern in mark.args]

    def make(url=None, **options):
        person = Person(browser, url or server.url, allowed, **options)
        persons.append(person)
        return person

    yield make
    for person in persons:
        person.close()
    for person in persons:
        person.check()


@pytest.fixture
def person(new_person):
    """Somebody at a desktop who reads English."""
    return new_person(locale="en-GB")


@pytest.fixture(scope="session")
def analysts_session(browser, server, analyst):
    """The cookies of the analyst, so that not every test has to log in. A test that logs out logs in itself."""
    person = Person(browser, server.url, locale="en-GB")
    try:
        App(person).log_in(analyst)
        return person.context.storage_state()
    finally:
        person.close()


@pytest.fixture
def app(new_person, analysts_session, analyst):
    """The page, with an analyst logged in."""
    app = App(new_person(locale="en-GB", storage_state=analysts_session)).open()
    expect(app.page.get_by_role("button", name=analyst)).to_be_visible()
    return app


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Shows what the page looked like and what the server said when a test failed."""
    report = yield
    if report.when == "call" and report.failed:
        server = item.funcargs.get("own_server") or item.funcargs.get("server")
        if server:
            report.sections.append(("text2sql-server", server.output()[-4000:]))
        for name in ("app", "person"):
            person = item.funcargs.get(name)
            if person is not None:
                with contextlib.suppress(Exception):
                    report.sections.append(("page", person.page.locator("body").inner_text()[:4000]))
                break
    return report


def pytest_terminal_summary(terminalreporter):
    """The lines that scripts/stages.sh counts."""
    for outcome, line in (("passed", "ok"), ("failed", "not ok"), ("error", "not ok")):
        for report in terminalreporter.getreports(outcome):
            if report.when == "call" or outcome == "error":
                terminalreporter.write_line(f"{line} - page: {report.nodeid}")
    for report in terminalreporter.getreports("skipped"):
        name = report.nodeid.split("::")[-1].split("[")[0]
        reason = report.longrepr[2].removeprefix("Skipped: ")
        terminalreporter.write_line(f"skipped: page/{name} needs {reason}")
