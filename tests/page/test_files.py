"""A file becomes a table: by the button or dropped on the page, with progress, columns, errors where they are."""

import pytest
from playwright.sync_api import expect
from support.app import App
from support.programs import Server
from support.workbooks import ods, xlsx

SALES = "Shop;Sold on;Amount\nNorth;2026-03-01;1,50\nSouth;2026-03-02;20,25\n"
# Among this many numbers, a single text is a mistake.
MISTAKE = "shop,amount\n" + "".join(f"North,{number}\n" for number in range(30)) + "South,much\n"


@pytest.fixture
def loader_role(database):
    """A role that may make tables in a schema of its own."""
    role = database.role(f"loads_{len(database.roles)}")
    database.execute(f"CREATE SCHEMA {role} AUTHORIZATION {role}", f"ALTER ROLE {role} SET search_path = {role}, public")
    yield role
    database.execute(f"SET client_min_messages = warning; DROP SCHEMA {role} CASCADE")


@pytest.fixture
def loader(new_person, loader_role):
    return App(new_person(locale="en-GB")).log_in(loader_role)


def dialog_of(app, name="Load a file"):
    return app.page.get_by_role("dialog", name=name)


def open_dialog(app):
    app.page.get_by_role("button", name="Load a file").click()
    dialog = dialog_of(app)
    expect(dialog.get_by_label("File")).to_be_visible()
    return dialog


def choose(dialog, name, content, label="File"):
    content = content.encode() if isinstance(content, str) else content
    dialog.get_by_label(label, exact=True).set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": content})


def drop(app, name, content):
    """Drops a file on the page."""
    files = app.page.evaluate_handle(
        "([name, text]) => { const data = new DataTransfer(); data.items.add(new File([text], name)); return data; }", [name, content]
    )
    app.page.dispatch_event("body", "dragover", {"dataTransfer": files})
    expect(app.page.get_by_text("Drop the file to load it")).to_be_visible()
    app.page.dispatch_event("body", "drop", {"dataTransfer": files})


def columns(dialog):
    return [row.split("\t")[:3] for row in dialog.locator("tbody tr").all_inner_texts()]


def test_a_file_that_is_dropped_becomes_a_table_that_can_be_asked_about(loader, database, loader_role):
    drop(loader, "March sales.csv", SALES)
    dialog = dialog_of(loader)
    expect(dialog.get_by_label("Name of the table")).to_have_value("march_sales")
    # The first schema of the search path, and whose table it will be.
    expect(dialog.get_by_label("Schema")).to_have_value(loader_role)
    expect(dialog.get_by_text(f"It belongs to {loader_role}")).to_be_visible()
    dialog.get_by_role("button", name="Load", exact=True).click()
    expect(dialog.get_by_text("2 rows are in the table")).to_be_visible()
    assert columns(dialog) == [["shop", "text", "Shop"], ["sold_on", "date", "Sold on"], ["amount", "numeric", "Amount"]]
    assert database.execute(f"SELECT count(*) FROM {loader_role}.march_sales") == "2"
    dialog.get_by_role("button", name="How many march sales").click()
    expect(dialog).to_be_hidden()
    card = loader.ended(loader.cards.first)
    expect(card).to_contain_text("2")
    answer = loader.ask("What is the total amount of march sales?")
    expect(answer).to_contain_text("21.75")


def test_a_table_that_was_just_loaded_is_taken_back(loader, database, loader_role):
    dialog = open_dialog(loader)
    choose(dialog, "mistaken.csv", MISTAKE)
    dialog.get_by_label("Set lines that do not fit aside").check()
    dialog.get_by_role("button", name="Load", exact=True).click()
    expect(dialog.get_by_text("30 rows are in the table")).to_be_visible()
    tables = f"SELECT count(*) FROM pg_tables WHERE schemaname = '{loader_role}'"
    assert database.execute(tables) == "2"
    dialog.get_by_role("button", name="Undo: remove the table").click()
    expect(dialog.get_by_role("status")).to_contain_text("is gone")
    # The lines that were set aside went with it, and it can be loaded anew.
    assert database.execute(tables) == "0"
    expect(dialog.get_by_label("File", exact=True)).to_be_visible()


def test_a_file_is_shown_before_anything_is_made(loader, database, loader_role):
    dialog = open_dialog(loader)
    choose(dialog, "sales.csv", SALES)
    expect(dialog.get_by_text("Nothing is made yet.")).to_be_visible()
    assert columns(dialog) == [["shop", "text", "Shop"], ["sold_on", "date", "Sold on"], ["amount", "numeric", "Amount"]]
    assert database.execute(f"SELECT count(*) FROM pg_tables WHERE schemaname = '{loader_role}'") == "0"


def test_a_file_is_loaded_with_the_keyboard_alone(loader):
    panel = loader.panel("Tables")
    expect(panel.locator(".loading")).to_have_count(0)
    loader.page.get_by_role("button", name="Load a file").focus()
    loader.page.keyboard.press("Enter")
    dialog = dialog_of(loader)
    expect(dialog.get_by_label("File")).to_be_focused()
    choose(dialog, "april.tsv", "day\tvisitors\n2026-04-01\t12\n2026-04-02\t30\n")
    expect(dialog.get_by_label("Name of the table")).to_be_focused()
    loader.page.keyboard.press("Enter")
    expect(dialog.get_by_text("2 rows are in the table")).to_be_visible()
    # Where to go on has the focus, the table is announced, and the list of tables has it.
    expect(dialog.get_by_role("button", name="How many april")).to_be_focused()
    expect(loader.page.locator("#announcements")).to_contain_text("2 rows are in the table")
    loader.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(panel.locator("[data-table$='.april']")).to_be_visible()


@pytest.mark.parametrize("kind, make", [("xlsx", xlsx), ("ods", ods)], ids=["xlsx", "ods"])
def test_a_workbook_becomes_a_table(loader, kind, make):
    dialog = open_dialog(loader)
    choose(dialog, f"budget.{kind}", make([["Team", "Budget"], ["Sales", 1200.5], ["Service", 800]]))
    expect(dialog.get_by_label("Sheet")).to_be_visible()
    dialog.get_by_role("button", name="Load", exact=True).click()
    expect(dialog.get_by_text("2 rows are in the table")).to_be_visible()
    assert columns(dialog) == [["team", "text", "Team"], ["budget", "numeric", "Budget"]]


def test_an_error_says_the_line_and_the_column_and_lines_can_be_set_aside(loader, database, loader_role):
    dialog = open_dialog(loader)
    choose(dialog, "mistake.csv", MISTAKE)
    dialog.get_by_role("button", name="Load", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text('line 32, column "amount"')
    tables = f"SELECT count(*) FROM pg_tables WHERE schemaname = '{loader_role}'"
    assert database.execute(tables) == "0"
    dialog.get_by_label("Set lines that do not fit aside").check()
    dialog.get_by_role("button", name="Load", exact=True).click()
    expect(dialog.get_by_text("30 rows are in the table")).to_be_visible()
    expect(dialog.get_by_text("1 line did not fit. It is in the table mistake_rejected")).to_be_visible()
    assert database.execute(f"SELECT line, column_name FROM {loader_role}.mistake_rejected") == "32|amount"


def test_who_may_make_no_table_is_told_why_and_does_not_lose_the_page(app, analyst):
    expect(app.question).to_be_visible()
    expect(app.page.get_by_role("button", name="Load a file")).to_have_count(0)
    drop(app, "sales.csv", SALES)
    dialog = dialog_of(app)
    expect(dialog.get_by_text(f"The role {analyst} may make a table in no schema.")).to_be_visible()
    expect(dialog.get_by_text("An administrator can change that.")).to_be_visible()
    expect(dialog).not_to_contain_text("GRANT")
    expect(dialog.get_by_role("button", name="Copy the statement for them")).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(app.question).to_be_visible()


def test_the_dialog_speaks_german(new_person, loader_role):
    app = App(new_person(locale="de-DE"))
    app.open()
    app.page.get_by_label("Benutzername").fill(loader_role)
    app.page.get_by_label("Passwort").fill("a password of the tests")
    app.page.get_by_role("button", name="Anmelden").click()
    app.page.get_by_role("button", name="Datei laden").click()
    dialog = dialog_of(app, "Datei laden")
    choose(dialog, "Größen.csv", "größe,anzahl\nS,1\nM,2\n", "Datei")
    expect(dialog.get_by_label("Name der Tabelle")).to_have_value("größen")
    dialog.get_by_role("button", name="Laden", exact=True).click()
    expect(dialog.get_by_text("2 Zeilen sind in der Tabelle")).to_be_visible()


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(new_person, database, loader_role, tmp_path):
    server = Server(tmp_path / "log", database.name, ["--limits-file-megabytes", "1"])
    try:
        app = App(new_person(server.start().url, locale="en-GB")).log_in(loader_role)
        dialog = open_dialog(app)
        expect(dialog.get_by_text("up to 1 MB")).to_be_visible()
        choose(dialog, "large.csv", "a\n" + "1\n" * (1 << 20))
        dialog.get_by_role("button", name="Load", exact=True).click()
        expect(dialog.get_by_role("alert")).to_contain_text("larger than 1 MB")
        expect(dialog.get_by_role("alert")).to_contain_text("text2sql-server load large.csv")
        assert not any("/tables?" in url for url in app.person.requests)
    finally:
        server.stop()


def test_loading_is_cancelled(loader, database, loader_role):
    dialog = open_dialog(loader)
    choose(dialog, "long.csv", "a,b\n" + "".join(f"{number},2026-01-01\n" for number in range(300_000)))
    dialog.get_by_role("button", name="Load", exact=True).click()
    expect(dialog.get_by_role("progressbar")).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog.get_by_text("Cancelled. Nothing was loaded.")).to_be_visible()
    assert database.execute(f"SELECT count(*) FROM pg_tables WHERE schemaname = '{loader_role}'") == "0"


@pytest.mark.parametrize("scheme, rules", [("light", None), ("dark", ["color-contrast"])], ids=["light", "dark"])
def test_axe_finds_nothing_serious_in_the_dialog(new_person, loader_role, scheme, rules):
    app = App(new_person(locale="en-GB", color_scheme=scheme)).log_in(loader_role)
    dialog = open_dialog(app)
    assert app.person.accessibility_problems(rules) == [], "form"
    choose(dialog, "broken.csv", 'a,b\n1,"2\n3,4\n')
    dialog.get_by_role("button", name="Load", exact=True).click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    assert app.person.accessibility_problems(rules) == [], "error"
    choose(dialog, "fine.csv", SALES)
    dialog.get_by_role("button", name="Load", exact=True).click()
    expect(dialog.get_by_text("2 rows are in the table")).to_be_visible()
    assert app.person.accessibility_problems(rules) == [], "loaded"


def test_a_curator_adds_a_document_and_takes_it_away(person, database):
    app = App(person).log_in(database.role("adds_documents", grant="curator"))
    panel = app.panel("Words")
    section = panel.locator("[data-section=documents]")
    section.get_by_role("button", name="Add a document").click()
    text = "# Parking for bicycles\n\nVisitors park their bicycles behind the blue container.\n"
    choose(section, "parking.md", text, label="File")
    # Its beginning is seen before anything is made.
    expect(section.get_by_text("behind the blue container")).to_be_visible()
    assert database.execute("SELECT count(*) FROM text2sql.documents WHERE source = 'parking.md'") == "0"
    section.get_by_role("form").get_by_role("button", name="Add a document").click()
    entry = section.locator(".entry").filter(has_text="Parking for bicycles")
    expect(entry).to_contain_text("parking.md")
    # The worker that does it is switched off for the tests.
    database.execute("CALL text2sql.refresh()")
    card = app.ask("What do the documents say about parking bicycles?")
    expect(card.locator(".sources")).to_contain_text("behind the blue container")
    entry.get_by_role("button", name="Take the document away").click()
    app.page.get_by_role("dialog").get_by_role("button", name="Take away").click()
    expect(entry).to_have_count(0)
    assert database.execute("SELECT count(*) FROM text2sql.documents WHERE source = 'parking.md'") == "0"


def test_what_is_no_document_says_so(person, database):
    app = App(person).log_in(database.role("adds_pictures", grant="curator"))
    section = app.panel("Words").locator("[data-section=documents]")
    section.get_by_role("button", name="Add a document").click()
    choose(section, "picture.png", b"\x89PNG", label="File")
    section.get_by_role("form").get_by_role("button", name="Add a document").click()
    expect(section.get_by_text("There are .md .txt .html .docx .pdf")).to_be_visible()
