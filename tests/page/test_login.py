"""Logging in and out, and what people see who cannot."""

from playwright.sync_api import expect
from support.app import App
from support.database import Database
from support.programs import Server


def test_a_wrong_password_is_a_sentence(person, analyst):
    app = App(person)
    app.try_to_log_in(analyst, "wrong")
    expect(app.page.get_by_role("alert")).to_have_text("Name or password is wrong.")
    expect(app.page.get_by_label("Password")).to_be_focused()


def test_who_logs_out_is_out(person, analyst):
    app = App(person).log_in(analyst)
    app.who().get_by_role("button", name="Log out").click()
    expect(app.page.get_by_role("heading", name="Welcome")).to_be_visible()
    app.page.reload()
    expect(app.page.get_by_role("heading", name="Welcome")).to_be_visible()


def test_a_session_outlives_a_reload(person, analyst):
    app = App(person).log_in(analyst)
    app.page.reload()
    expect(app.page.get_by_role("button", name=analyst)).to_be_visible()


def test_an_ended_session_loses_nothing_that_was_asked(person, database):
    role = database.role("returns")
    app = App(person).log_in(role)
    app.ask("How many stores are there?")
    # The list has asked the server, too.
    expect(app.page.get_by_role("navigation", name="Conversations").get_by_role("listitem")).to_have_count(1)
    app.question.fill("How many products are there?")
    app.person.context.clear_cookies()
    app.question.press("Enter")
    expect(app.page.get_by_role("heading", name="Your session has ended")).to_be_visible()
    expect(app.page.get_by_label("User name")).to_have_value(role)
    app.page.get_by_label("Password").fill("a password of the tests")
    app.page.get_by_role("button", name="Log in").click()
    expect(app.page.locator(".sentence", has_text="There are 20 stores.")).to_be_visible()
    # What had not run is asked now.
    expect(app.cards).to_have_count(2)
    expect(app.cards.last.locator(".sentence")).to_contain_text("products")


def test_a_role_without_the_right_to_ask_reads_what_to_do(person, database):
    role = database.role("stranger", member_of=None, grant=None)
    app = App(person).log_in(role)
    expect(app.page.get_by_text(f"The role {role} may not ask questions in this database.")).to_be_visible()
    expect(app.page.get_by_text("An administrator can change that.")).to_be_visible()
    app.person.context.grant_permissions(["clipboard-read", "clipboard-write"])
    app.page.get_by_role("button", name="Copy the statement for them").click()
    expect(app.page.get_by_role("button", name="Copied")).to_be_visible()
    assert f"grant_access('{role}')" in app.page.evaluate("navigator.clipboard.readText()")
    expect(app.question).to_have_count(0)


def test_a_browser_without_javascript_gets_a_sentence(new_person):
    person = new_person(java_script_enabled=False)
    person.page.goto("/")
    sentence = person.page.locator(".noscript")
    expect(sentence).to_be_visible()
    # Playwright leaves such elements out of the text of the page.
    said = sentence.text_content()
    assert "This page needs JavaScript." in said
    assert "Diese Seite braucht JavaScript." in said


def test_one_of_several_databases_is_chosen_at_login(new_person, database, tmp_path):
    role = database.role("of_two")
    other = Database(f"{database.name}_other")
    other.execute(f"CREATE DATABASE {other.name} TEMPLATE template0", database="postgres")
    server = Server(tmp_path / "log", {"shop": database.name, "archive": other.name})
    try:
        server.start()
        app = App(new_person(url=server.url, locale="en-GB")).open()
        expect(app.page.get_by_label("Database")).to_have_value("/databases/shop/")
        app.page.get_by_label("Database").select_option("archive")
        app.page.wait_for_url("**/databases/archive/")
        expect(app.page.get_by_label("Database")).to_have_value("/databases/archive/")
        app.page.get_by_label("User name").fill(role)
        app.page.get_by_label("Password").fill("a password of the tests")
        app.page.get_by_role("button", name="Log in").click()
        expect(app.page.get_by_text(f"The database {other.name} does not have the extension")).to_be_visible()
        # The other one asks for a password of its own, and then both are open.
        who = app.who()
        expect(who.get_by_role("definition").filter(has_text=other.name)).to_be_visible()
        who.get_by_role("link", name="shop").click()
        app.page.wait_for_url("**/databases/shop/")
        app.page.get_by_label("User name").fill(role)
        app.page.get_by_label("Password").fill("a password of the tests")
        app.page.get_by_role("button", name="Log in").click()
        app.ask("How many stores are there?")
        expect(app.page.locator(".sentence", has_text="There are 20 stores.")).to_be_visible()
        app.page.goto("/databases/archive/")
        expect(app.page.get_by_text(f"The database {other.name} does not have the extension")).to_be_visible()
    finally:
        server.stop()
        other.drop()
