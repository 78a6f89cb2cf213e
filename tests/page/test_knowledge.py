"""Tables and words at the right: what the role may read, and where a curator teaches."""

import pytest
from playwright.sync_api import expect
from support.app import App, sql_of


@pytest.fixture
def curator(new_person, database, request):
    """A curator of one test."""
    role = database.role(f"teaches_{len(database.roles)}", grant="curator")
    database.execute(f"SELECT text2sql.grant_access('{role}')")
    return App(new_person(locale="en-GB")).log_in(role)


def table(panel, name):
    """A table of the list, opened."""
    found = panel.locator(f"[data-table='{name}']")
    found.locator("summary").first.click()
    return found


def test_two_roles_see_different_tables(app, new_person, database):
    role = database.role("stores_only", member_of=None)
    database.execute(f"GRANT SELECT (store_id, name) ON stores TO {role}")
    other = App(new_person(locale="en-GB")).log_in(role)
    mine, theirs = app.panel("Tables"), other.panel("Tables")
    expect(mine.get_by_text("25 tables")).to_be_visible()
    expect(theirs.get_by_text("1 table", exact=True)).to_be_visible()
    # What neither may read has no name here.
    assert "salaries" not in mine.inner_text()
    assert table(theirs, "public.stores").locator(".column-name").all_inner_texts() == ["store_id", "name"]
    assert "iban" not in table(mine, "public.customers").inner_text()


def test_a_table_is_found_by_the_name_of_a_column_and_put_into_the_question(app):
    panel = app.panel("Tables")
    panel.get_by_label("Search tables and columns").fill("loyalty")
    expect(panel.get_by_text("1 table", exact=True)).to_be_visible()
    column = panel.get_by_role("button", name="loyalty_points", exact=True)
    app.question.fill("What is the average of")
    column.click()
    expect(app.question).to_have_value("What is the average of loyalty_points")
    expect(app.question).to_be_focused()


def test_an_analyst_is_offered_nothing_to_teach(app):
    panel = app.panel("Tables")
    expect(table(panel, "public.stores").get_by_role("button", name="Into the question")).to_be_visible()
    expect(panel.get_by_role("button", name="Describe this table: stores")).to_have_count(0)
    words = app.panel("Words")
    expect(words.get_by_text("net sales")).to_be_visible()
    expect(words.get_by_role("button", name="Define a term")).to_have_count(0)


def test_a_word_that_is_taught_counts_for_everybody(curator, app):
    panel = curator.panel("Tables")
    stores = table(panel, "public.shipments")
    stores.get_by_role("button", name="Describe this table: shipments").click()
    stores.get_by_label("Description").fill("Parcels on their way to customers")
    stores.get_by_label("Other words for it").fill("parcels, Pakete")
    stores.get_by_role("button", name="Save").click()
    expect(stores.get_by_text("also called parcels, Pakete")).to_be_visible()
    expect(stores.get_by_text("Parcels on their way to customers")).to_be_visible()
    card = app.ask("How many parcels are there?")
    expect(sql_of(card)).to_contain_text("FROM shipments")


def test_a_column_is_described_in_place(curator):
    reviews = table(curator.panel("Tables"), "public.reviews")
    column = reviews.locator("[data-column=rating]")
    column.get_by_role("button", name="Describe this column: rating").click()
    column.get_by_label("Meaning of its values").fill("1 = bad\n5 = very good")
    column.get_by_role("button", name="Save").click()
    expect(column.get_by_text("1 = bad, 5 = very good")).to_be_visible()


def test_a_term_is_defined_changed_and_removed(curator):
    words = curator.panel("Words")
    words.get_by_role("button", name="Define a term").click()
    words.get_by_label("Term", exact=True).fill("large store")
    words.get_by_label("Meaning in words").fill("a store with more than 300 square metres")
    words.get_by_label("Meaning in SQL").fill("no_such_column > 300")
    words.get_by_label("About the table").fill("stores")
    words.get_by_role("button", name="Save", exact=True).click()
    # The database checks it, and says what is wrong where it is written.
    expect(words.get_by_role("alert")).to_contain_text("no_such_column")
    words.get_by_label("Meaning in SQL").fill("store_id > 10")
    words.get_by_role("button", name="Save", exact=True).click()
    entry = words.locator("[data-section=definitions] li").filter(has_text="large store")
    expect(entry).to_contain_text("store_id > 10")
    entry.get_by_role("button", name="Remove: large store").click()
    curator.page.get_by_role("dialog", name="Remove this?").get_by_role("button", name="Remove").click()
    expect(entry).to_have_count(0)
    expect(words.get_by_text("net sales")).to_be_visible()


def test_a_suggested_join_is_decided(curator, database):
    joins = curator.panel("Waiting").locator("[data-section=joins] .item-card")
    before = int(database.execute("SELECT count(*) FROM text2sql.joins WHERE status = 'suggested'"))
    expect(joins).to_have_count(before)
    joins.first.get_by_role("button", name="Reject").click()
    expect(joins.first.get_by_text("Rejected.")).to_be_visible()
    assert int(database.execute("SELECT count(*) FROM text2sql.joins WHERE status = 'suggested'")) == before - 1


def test_what_was_taught_is_saved_as_a_file(curator):
    words = curator.panel("Words")
    with curator.page.expect_download() as download:
        words.get_by_role("button", name="Save everything as a file").click()
    assert download.value.suggested_filename == "knowledge.jsonl"
    assert "net sales" in download.value.path().read_text()
