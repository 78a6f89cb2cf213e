"""What the page loads, and what its headers make a browser refuse."""

import gzip
import pathlib

from support.app import App

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
FILES = pathlib.Path(__file__).parents[2] / "crates/text2sql_server/page"
# A question that somebody else wrote is in no list of anybody, so what it shows is only text.
HOSTILE = "<img src=x onerror=alert(1)>"


def test_the_policy_of_the_page_is_strict(person):
    headers = person.page.goto("/").headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";") if part.strip())
    assert {name: policy.get(name) for name in POLICY} == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_all_files_together_are_small():
    files = [file for file in FILES.rglob("*") if file.is_file() and file.suffix != ".md"]
    size = sum(len(gzip.compress(file.read_bytes())) for file in files)
    print(f"all files of the page: {size / 1000:.1f} kB, gzipped")
    assert size < 150_000


def size_of(response):
    """What was sent for a file, in bytes."""
    return int(response.headers["content-length"])


def test_the_first_view_is_small_and_its_time_is_printed(person):
    files = []
    person.page.on("response", lambda response: files.append(response) if "/api/" not in response.url else None)
    App(person).open()
    person.page.get_by_label("User name").wait_for()
    person.page.wait_for_load_state("networkidle")
    for response in files:
        large = len(response.body()) > 1000
        assert not large or response.headers.get("content-encoding") == "gzip", response.url
    size = sum(size_of(response) for response in files)
    ready = person.page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    print(f"first view: {len(files)} files, {size / 1000:.1f} kB; ready after {ready:.0f} ms")
    assert size < 60_000


def test_what_is_loaded_for_a_question_is_small(app):
    sizes = {}
    app.page.on("response", lambda response: sizes.update({response.url: size_of(response)}) if "/assets/" in response.url else None)
    # Without what the browser knows already.
    app.person.context.new_cdp_session(app.page).send("Network.setCacheDisabled", {"cacheDisabled": True})
    app.page.reload()
    app.ask("What is the total revenue per store in 2024?")
    total = sum(sizes.values())
    print(f"loaded for a question: {len(sizes)} files, {total / 1000:.1f} kB")
    assert 30_000 < total < 120_000


def test_what_is_in_the_database_is_never_markup(app):
    card = app.run(f"SELECT '{HOSTILE}' AS \"<b>name</b>\"")
    assert card.locator("result-table td").inner_text() == HOSTILE
    assert card.locator("result-table th").inner_text().strip() == "<b>name</b>"
    app.mode("Ask")
    card = app.ask(HOSTILE)
    assert card.locator("img").count() == 0


def test_nothing_is_said_about_the_database_before_the_log_in(new_person):
    person = new_person()
    answers = []
    person.page.on("response", lambda response: answers.append(response) if "/api/" in response.url else None)
    App(person).open()
    person.page.get_by_label("User name").wait_for()
    # The second asks which databases there are to choose from; one is no choice.
    assert sorted(response.status for response in answers) == [200, 401]
    assert not any("demo" in response.text() for response in answers)
