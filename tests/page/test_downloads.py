"""Results as files, and as views."""

import json

from playwright.sync_api import expect
from support.app import App


def save(app, card, name):
    with app.page.expect_download() as download:
        card.get_by_role("button", name=name, exact=True).click()
    return download.value.suggested_filename, download.value.path().read_bytes()


def test_a_result_is_saved_as_csv_and_as_json(app):
    card = app.ask("How many stores are there per country?")
    name, text = save(app, card, "CSV")
    assert name == "How-many-stores-are-there-per-country.csv"
    lines = text.decode("utf-8-sig").splitlines()
    assert lines[0] == "country,stores"
    assert len(lines) == 10
    name, text = save(app, card, "JSON")
    assert name == "How-many-stores-are-there-per-country.json"
    assert {"country": "Austria", "stores": 5} in json.loads(text)


def test_a_spreadsheet_runs_nothing_and_loses_no_digit(app):
    card = app.run("SELECT '=1+1' AS a, 12345678901234567890.10::numeric AS b, NULL::text AS c, 'x;\"y' AS d")
    _, text = save(app, card, "CSV")
    line = text.decode("utf-8-sig").splitlines()[1]
    assert line.startswith("'=1+1,12345678901234567890.10,,")
    _, text = save(app, card, "JSON")
    assert b"12345678901234567890.10" in text


def test_a_german_spreadsheet_gets_semicolons(new_person, analysts_session):
    app = App(new_person(locale="de-AT", storage_state=analysts_session)).open()
    app.page.get_by_role("textbox", name="Ihre Frage").fill("Wie viele Filialen gibt es pro Land?")
    app.page.keyboard.press("Enter")
    card = app.ended(app.cards.first)
    _, text = save(app, card, "CSV")
    assert text.startswith(b"\xef\xbb\xbf")
    assert text.decode("utf-8-sig").splitlines()[0].count(";") == 1


def test_a_view_is_made_by_who_may(person, database):
    role = database.role("viewer")
    database.execute(f"GRANT CREATE ON SCHEMA public TO {role}")
    app = App(person).log_in(role)
    card = app.ask("How many stores are there per country?")
    card.get_by_role("button", name="Make a view").click()
    dialog = app.page.get_by_role("dialog", name="Make a view")
    dialog.get_by_label("Name of the view").fill("stores")
    dialog.get_by_role("button", name="Make it").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    dialog.get_by_label("Name of the view").fill("stores_per_country")
    dialog.get_by_role("button", name="Make it").click()
    expect(dialog.get_by_text("was made.")).to_be_visible()
    assert database.execute("SELECT count(*) FROM stores_per_country") == "9"


def test_who_may_make_no_view_is_not_offered_one(app):
    card = app.ask("How many stores are there?")
    expect(card.get_by_role("button", name="Copy link")).to_be_visible()
    expect(card.get_by_role("button", name="Make a view")).to_have_count(0)
