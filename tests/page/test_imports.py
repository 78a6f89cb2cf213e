"""Glossaries and examples from files: a curator imports one, reads what became of it, and takes it back."""

import pytest
from playwright.sync_api import expect
from support.app import App

GLOSSARY = "Begriff;Bedeutung;SQL;Tabelle\nGroßfiliale;mit Werkstatt;has_workshop;stores\nSP;Sharepoint;;\n"


@pytest.fixture
def new_curator(new_person, database):
    """A curator of one test."""

    def make():
        role = database.role(f"imports_{len(database.roles)}", grant="curator")
        database.execute(f"SELECT text2sql.grant_access('{role}')")
        return App(new_person(locale="en-GB")).log_in(role)

    return make


def file(name, text):
    return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}


def test_a_glossary_is_imported_listed_and_taken_back(new_curator):
    words = new_curator().panel("Words")
    imports = words.locator("[data-section=imports]")
    imports.get_by_role("button", name="Import a file").click()
    imports.get_by_label("File", exact=True).set_input_files(file("terms.csv", GLOSSARY))
    imports.get_by_role("button", name="Import", exact=True).click()
    expect(imports.get_by_text("terms.csv: 2 taken, 0 known before, 0 refused, 0 dropped.")).to_be_visible()
    expect(words.locator("[data-section=definitions]").get_by_text("Großfiliale")).to_be_visible()
    entry = imports.locator("li.entry").filter(has_text="terms.csv")
    expect(entry).to_contain_text("2 from this file")
    entry.get_by_role("button", name="Take back: terms.csv").click()
    words.page.get_by_role("dialog", name="Take this import back?").get_by_role("button", name="Take back").click()
    expect(imports.get_by_text("terms.csv: 2 removed, 0 left.")).to_be_visible()
    expect(entry).to_have_count(0)
    expect(words.locator("[data-section=definitions]").get_by_text("Großfiliale")).to_have_count(0)


def test_lines_that_cannot_be_taken_are_named(new_curator):
    curator = new_curator()
    curator.panel("Words")
    curator.page.get_by_role("banner").get_by_label("Language").select_option("de")
    imports = curator.page.locator("[data-section=imports]")
    imports.get_by_role("button", name="Datei importieren").click()
    lines = '{"question": "How many shipments?", "sql": "SELECT count(*) FROM shipments"}\n{"question": "Broken", "sql": "SELECT no_such FROM stores"}\n'
    imports.get_by_label("Datei", exact=True).set_input_files(file("fragen.jsonl", lines))
    imports.get_by_label("Was sie enthält").select_option("examples")
    imports.get_by_role("button", name="Importieren", exact=True).click()
    # Nothing is half taken.
    expect(imports.get_by_role("alert")).to_contain_text("line 2")
    imports.get_by_label("Zeilen auslassen, die nicht übernommen werden können").check()
    imports.get_by_role("button", name="Importieren", exact=True).click()
    expect(imports.get_by_text("fragen.jsonl: 1 übernommen, 0 schon bekannt, 1 abgelehnt, 0 entfernt.")).to_be_visible()
    entry = imports.locator("li.entry").filter(has_text="fragen.jsonl")
    entry.get_by_role("button", name="Beurteilte Fragen als geprüft markieren").click()
    expect(imports.get_by_text("0 als geprüft markiert, 1 nicht.")).to_be_visible()
    entry.get_by_role("button", name="Zurücknehmen: fragen.jsonl").click()
    imports.page.get_by_role("dialog", name="Diesen Import zurücknehmen?").get_by_role("button", name="Zurücknehmen").click()
    expect(entry).to_have_count(0)


def test_an_analyst_is_offered_no_import(app):
    expect(app.panel("Words").locator("[data-section=imports]")).to_have_count(0)
