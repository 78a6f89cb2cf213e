"""Writes docs/images: the main states of the page, over the demo database. `screenshots.py [NAME…]`"""

import pathlib
import sys
import tempfile

from playwright.sync_api import expect, sync_playwright

from support.app import App, found
from support.browser import Person, launch
from support.database import Database
from support.programs import Server
from support.waiting import PATIENCE

IMAGES = pathlib.Path(__file__).parents[2] / "docs/images"
LARGEST = 150_000
DESK = {"width": 1200, "height": 720}


class Studio:
    """People before a database with the name of a company."""

    def __init__(self, browser, server, database):
        self.browser = browser
        self.server = server
        self.analyst = database.role("analyst")
        self.curator = database.role("curator", grant="curator")
        database.execute(f"SELECT text2sql.grant_access('{self.curator}')")
        self.admin = database.role("admin", member_of=None, grant=None)
        database.execute(f"ALTER ROLE {self.admin} SUPERUSER")

    def app(self, role, **options):
        options = {"locale": "en-GB", "viewport": DESK, "reduced_motion": "reduce"} | options
        return App(Person(self.browser, self.server.url, **options)).log_in(role)


def answer(studio):
    app = studio.app(studio.analyst, viewport={"width": 1200, "height": 1040})
    card = app.ask("How many orders were placed per month in 2024?")
    expect(card.locator("svg.chart")).to_be_visible()
    return app


def clarification(studio):
    app = studio.app(studio.analyst, viewport={"width": 1200, "height": 640})
    app.ask("How many active customers are there?")
    return app


def refusal(studio):
    app = studio.app(studio.analyst, viewport={"width": 1200, "height": 560})
    card = app.ask("What is our profit margin?")
    expect(card.locator(".readings").get_by_role("button").first).to_be_visible()
    return app


def why(studio):
    app = studio.app(studio.analyst, viewport={"width": 1200, "height": 900})
    card = app.ask("Why did returns rise in November 2025?")
    expect(card.locator(".change-splits section")).to_have_count(2)
    return app


def pinned(app, question, board):
    """Asks, and pins the answer to a board, which may be new."""
    app.new_conversation()
    app.ask(question).get_by_role("button", name="Pin", exact=True).click()
    dialog = app.page.get_by_role("dialog", name="Pin")
    expect(dialog).to_be_visible()
    choice = dialog.get_by_label("Board", exact=True)
    if choice.count():
        known = choice.locator("option").all_inner_texts()
        choice.select_option(label=board if board in known else known[-1])
    if dialog.get_by_label("Name of the board").is_visible():
        dialog.get_by_label("Name of the board").fill(board)
    dialog.get_by_role("button", name="Pin").click()
    expect(app.page.locator(".board-time").last).not_to_be_empty()


def board(studio):
    app = studio.app(studio.analyst, viewport={"width": 1200, "height": 900})
    for question in ("How many customers are there per country?", "How many orders were placed in 2025?", "How many orders were placed per month in 2024?"):
        pinned(app, question, "Monday")
    return app


def share(studio):
    app = studio.app(studio.analyst, viewport={"width": 1200, "height": 560})
    pinned(app, "How many orders were placed in 2025?", "Team")
    app.page.get_by_role("button", name="Share", exact=True).click()
    roles = app.page.get_by_role("group", name="Who sees this board?")
    roles.get_by_label("demo_analyst").check()
    return app


def sql(studio):
    app = studio.app(studio.analyst, viewport={"width": 1200, "height": 700})
    card = app.ask("Which stores are in Germany?")
    found(card).get_by_role("button", name="Change", exact=True).click()
    editor = card.get_by_role("textbox", name="SQL, can be changed")
    editor.fill(editor.input_value().replace("FROM stores", "FROM shops"))
    expect(card.locator(".sql-fault")).to_be_visible()
    card.locator("query-details").scroll_into_view_if_needed()
    card.locator("query-details").evaluate("details => details.scrollIntoView({block: 'center'})")
    return app


def curator(studio):
    asker = studio.app(studio.analyst)
    card = asker.ask("How many orders were placed in 2024?")
    card.get_by_role("button", name="The answer is wrong").click()
    card.get_by_label("What is wrong with it?").fill("cancelled orders do not count")
    card.get_by_text("I know the right SQL").click()
    editor = card.get_by_role("textbox", name="SQL, can be changed")
    editor.fill(editor.input_value() + "\n  AND o.status <> 'cancelled'")
    card.get_by_role("button", name="Send").click()
    expect(card.get_by_text("as soon as a curator has verified it")).to_be_visible()
    app = studio.app(studio.curator)
    app.ask("How many orders were placed in 2024?")
    entry = app.panel("Waiting").locator("[data-section=examples] .item-card")
    expect(entry).to_have_count(1)
    return app


def administration(studio):
    app = studio.app(studio.admin, viewport={"width": 1200, "height": 620})
    content = app.administration("Who may do what")
    expect(content.get_by_role("heading", name="Who may do what")).to_be_visible()
    return app


def phone(studio):
    app = App(Person(studio.browser, studio.server.url, locale="de-DE", color_scheme="dark", viewport={"width": 390, "height": 780},
                     has_touch=True, is_mobile=True, reduced_motion="reduce"))
    app.open()
    app.page.get_by_label("Name", exact=False).first.fill(studio.analyst)
    app.page.locator("#login-password").fill("a password of the tests")
    app.page.keyboard.press("Enter")
    box = app.page.get_by_role("textbox", name="Ihre Frage")
    box.fill("Wie viele Kunden gibt es pro Land?")
    box.press("Enter")
    expect(app.page.locator("svg.chart")).to_be_attached()
    return app


SHOTS = {shot.__name__: shot for shot in (answer, clarification, refusal, why, board, share, sql, curator, administration, phone)}


def main(names):
    unknown = [name for name in names if name not in SHOTS]
    if unknown:
        sys.exit(f"error: there is no image {', '.join(unknown)}, but {', '.join(SHOTS)}")
    expect.set_options(timeout=PATIENCE * 1000)
    database = Database("shop")
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        server = Server(f"{directory}/log", database.name)
        try:
            database.create()
            server.start()
            studio = Studio(launch(playwright), server, database)
            IMAGES.mkdir(exist_ok=True)
            for name in names or SHOTS:
                app = SHOTS[name](studio)
                expect(app.page.locator(".loading, [aria-busy=true]")).to_have_count(0)
                file = IMAGES / f"{name}.png"
                app.page.screenshot(path=file, animations="disabled", caret="hide")
                app.person.close()
                app.person.check()
                size = file.stat().st_size
                print(f"{file.relative_to(IMAGES.parents[1])}: {size / 1000:.0f} kB")
                if size > LARGEST:
                    sys.exit(f"error: {file.name} is larger than {LARGEST / 1000:.0f} kB")
        finally:
            server.stop()
            database.drop()


main(sys.argv[1:])
