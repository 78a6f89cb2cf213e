"""Conversations in the side bar: read back, found, saved, deleted, and nobody else's."""

import json

import pytest
from playwright.sync_api import expect
from support.app import App, sql_of


@pytest.fixture
def make_talker(person, database, request):
    """Somebody whose conversations are those of one test."""

    def make(**options):
        app = App(person)
        app.role = database.role(f"talker_{abs(hash(request.node.name)) % 10**8}", **options)
        return app.log_in(app.role)

    return make


@pytest.fixture
def talker(make_talker):
    return make_talker()


@pytest.fixture
def forgetful(make_talker):
    """Somebody who has switched off that answers are kept."""
    return make_talker(settings=[("text2sql.keep_answers", "off")])


def side(app):
    return app.page.get_by_role("navigation", name="Conversations")


def test_a_conversation_is_read_back_and_continued(forgetful):
    forgetful.ask("How many orders were placed in 2024?")
    forgetful.ask("and in 2023?")
    forgetful.new_conversation()
    forgetful.ask("How many stores are there?")
    items = side(forgetful).get_by_role("listitem")
    expect(items).to_have_count(2)
    forgetful.page.reload()
    side(forgetful).get_by_role("button", name="How many orders were placed in 2024?").click()
    expect(forgetful.cards).to_have_count(2)
    expect(sql_of(forgetful.cards.nth(1))).to_contain_text("2023")
    # The rows are read again as soon as they are seen, and the page says so.
    expect(forgetful.cards.last.locator("result-table")).to_be_visible()
    forgetful.cards.first.scroll_into_view_if_needed()
    expect(forgetful.cards.first.get_by_text("Read again from the database just now")).to_be_visible()
    expect(forgetful.page.locator("result-table")).to_have_count(2)
    card = forgetful.ask("and in 2022?")
    expect(sql_of(card)).to_contain_text("2022")
    expect(items).to_have_count(2)


def test_a_conversation_is_renamed_and_pinned(talker, new_person):
    talker.ask("How many orders were placed in 2024?")
    talker.new_conversation()
    talker.ask("How many stores are there?")
    items = side(talker).locator(".side-item[data-conversation]")
    expect(items).to_have_count(2)
    items.last.hover()
    items.last.get_by_role("button", name="Rename the conversation").click()
    talker.page.get_by_role("textbox", name="Rename the conversation").fill("Orders of last year")
    talker.page.keyboard.press("Enter")
    items.last.hover()
    items.last.get_by_role("button", name="Pin the conversation").click()
    expect(side(talker).get_by_role("heading", name="Pinned")).to_be_visible()
    expect(items.first).to_contain_text("Orders of last year")
    # Another browser of the same person shows it so, and finds it by its name.
    other = App(new_person(locale="en-GB")).log_in(talker.role)
    expect(side(other).get_by_role("heading", name="Pinned")).to_be_visible()
    side(other).get_by_role("searchbox").fill("last year order")
    expect(side(other).locator(".side-item[data-conversation]")).to_have_count(1)
    side(other).get_by_role("button", name="Orders of last year").click()
    expect(other.cards.first.get_by_role("heading", name="How many orders were placed in 2024?")).to_be_visible()
    # A new question changes neither; its own first question names it again.
    other.ask("and in 2023?")
    expect(side(other).get_by_role("button", name="Orders of last year")).to_be_visible()
    side(other).get_by_role("searchbox").fill("")
    item = side(other).locator(".side-item[data-conversation]").first
    item.hover()
    item.get_by_role("button", name="Rename the conversation").click()
    other.page.get_by_role("textbox", name="Rename the conversation").fill("")
    other.page.keyboard.press("Enter")
    expect(item).to_contain_text("How many orders were placed in 2024?")
    item.hover()
    item.get_by_role("button", name="Unpin the conversation").click()
    expect(side(other).get_by_role("heading", name="Pinned")).to_have_count(0)
    expect(side(other).get_by_role("button", name="How many orders were placed in 2024?")).to_be_visible()


def test_conversations_are_found_by_words_in_any_order_and_form(talker):
    talker.ask("What is the average price of a product per category?")
    talker.new_conversation()
    talker.ask("How many stores are there?")
    search = side(talker).get_by_role("searchbox")
    for words in ("prices products", "category price", "averages"):
        search.fill(words)
        expect(side(talker).locator(".side-item[data-conversation]")).to_have_count(1)
        expect(side(talker).locator(".side-item[data-conversation]")).to_contain_text("average price")
    search.fill("price bicycle")
    expect(side(talker).get_by_text("No conversation contains that.")).to_be_visible()


def test_answers_are_kept(talker):
    sentence = talker.ask("How many stores are there per country?").locator(".sentence").inner_text()
    talker.page.reload()
    expect(talker.page.locator(".sentence")).to_have_text(sentence)
    expect(talker.page.locator("result-table tbody tr")).to_have_count(9)
    expect(talker.page.locator("svg.chart")).to_be_visible()


def test_a_switch_forgets_answers_and_keeps_none(talker, database):
    kept = f"SELECT count(*) FROM text2sql._kept_answers WHERE asker = '{talker.role}'::regrole"
    sentence = talker.ask("How many stores are there?").locator(".sentence").inner_text()
    assert database.execute(kept) == "1"
    dialog = talker.who()
    switch = dialog.get_by_label("Keep my answers in conversations")
    expect(switch).to_be_checked()
    switch.uncheck()
    expect(talker.page.locator("#announcements")).to_have_text("Answers are not kept any more. Those that were are deleted.")
    assert database.execute(kept) == "0"
    dialog.get_by_role("button", name="Close").click()
    talker.ask("How many orders were placed in 2024?")
    assert database.execute(kept) == "0"
    talker.page.reload()
    expect(talker.cards.last.get_by_text("Read again from the database just now")).to_be_visible()
    dialog = talker.who()
    expect(switch).not_to_be_checked()
    switch.check()
    expect(talker.page.locator("#announcements")).to_have_text("Answers are kept from now on.")
    dialog.get_by_role("button", name="Close").click()
    talker.new_conversation()
    talker.ask("How many stores are there?")
    talker.page.reload()
    expect(talker.page.locator(".sentence")).to_have_text(sentence)


def test_rows_that_cannot_be_read_any_more_say_so(talker, database):
    talker.ask("How many stores are there?")
    database.execute(f"REVOKE demo_analyst FROM {talker.role}")
    talker.page.reload()
    # Not the answer that was kept, either.
    expect(talker.page.get_by_text("The rows could not be read again.")).to_be_visible()
    expect(talker.page.locator("result-table")).to_have_count(0)


def test_conversations_are_found_by_their_words(talker):
    talker.ask("How many stores are there?")
    talker.new_conversation()
    talker.ask("How many products are there?")
    expect(side(talker).get_by_role("listitem")).to_have_count(2)
    side(talker).get_by_label("Search conversations").fill("PRODUCTS")
    expect(side(talker).get_by_role("listitem")).to_have_count(1)
    side(talker).get_by_label("Search conversations").fill("no such word")
    expect(side(talker).get_by_text("No conversation contains that.")).to_be_visible()


def test_a_conversation_is_saved_as_a_file(talker):
    talker.ask("How many stores are there?")
    with talker.page.expect_download() as download:
        side(talker).get_by_role("button", name="Save as JSON").click()
    assert download.value.suggested_filename.endswith(".json")
    assert "How many stores are there?" in json.dumps(json.loads(download.value.path().read_text()))


def test_a_conversation_is_deleted_after_a_question(talker, database):
    talker.ask("How many stores are there?")
    delete = side(talker).get_by_role("button", name="Delete")
    delete.click()
    dialog = talker.page.get_by_role("dialog", name="Delete this conversation?")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    expect(side(talker).get_by_role("listitem")).to_have_count(1)
    delete.click()
    dialog.get_by_role("button", name="Delete").click()
    expect(side(talker).get_by_role("listitem")).to_have_count(0)
    expect(talker.cards).to_have_count(0)
    assert database.execute(f"SELECT count(*) FROM text2sql._conversation_turns WHERE asked_by = '{talker.role}'") == "0"


def test_nobody_sees_the_conversations_of_another(talker, new_person, database):
    talker.ask("How many stores are there?")
    other = App(new_person(locale="en-GB")).log_in(database.role("other_talker"))
    expect(side(other).get_by_text("Conversations appear here once you have asked something.")).to_be_visible()
    name = database.execute("SELECT conversation FROM text2sql._conversation_turns ORDER BY turn_id DESC LIMIT 1")
    status = other.page.evaluate("name => fetch(`api/v1/conversations/${name}`).then(reply => reply.status)", name)
    assert status == 404
