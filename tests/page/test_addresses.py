"""Conversations have addresses: reload, Back, a bookmark and a second tab lose nothing, and logging out leaves nothing."""

import re

import pytest
from playwright.sync_api import expect
from support.app import App, sql_of


@pytest.fixture
def talker(person, database, request):
    app = App(person)
    app.role = database.role(f"addressed_{abs(hash(request.node.name)) % 10**8}")
    return app.log_in(app.role)


def test_reload_shows_the_same_conversation(talker):
    talker.ask("How many stores are there?")
    expect(talker.page).to_have_url(re.compile("#c="))
    talker.page.reload()
    expect(talker.cards).to_have_count(1)
    expect(talker.cards.first.get_by_role("heading", name="How many stores are there?")).to_be_visible()
    # The rows are not kept for this role: a click reads them again.
    talker.cards.first.get_by_role("button", name="Show the rows again").click()
    expect(talker.cards.first.locator("result-table tbody td")).to_have_text("20")
    # The conversation goes on.
    talker.ask("How many orders were placed in 2024?")
    expect(talker.cards).to_have_count(2)


def test_back_and_forward_walk_through_conversations(talker):
    talker.ask("How many stores are there?")
    talker.new_conversation()
    expect(talker.page).not_to_have_url(re.compile("#c="))
    talker.ask("How many products are there?")
    talker.page.go_back()
    expect(talker.cards).to_have_count(0)
    talker.page.go_back()
    expect(talker.page.get_by_role("heading", name="How many stores are there?")).to_be_visible()
    talker.page.go_forward()
    talker.page.go_forward()
    expect(talker.page.get_by_role("heading", name="How many products are there?")).to_be_visible()
    expect(talker.page.locator(".side-open[aria-current=true]")).to_contain_text("products")


def test_an_address_is_opened_in_a_second_tab(talker):
    card = talker.ask("How many stores are there?")
    expect(sql_of(card)).to_contain_text("stores")
    second = talker.person.context.new_page()
    second.goto(talker.page.url)
    expect(second.get_by_role("heading", name="How many stores are there?")).to_be_visible()
    expect(talker.cards).to_have_count(1)


def test_the_address_of_somebody_else_says_so(talker, new_person, database):
    talker.ask("How many stores are there?")
    other = App(new_person(locale="en-GB"))
    other.log_in(database.role("addressed_other"), path=talker.page.url)
    expect(other.page.get_by_text("This conversation is not there")).to_be_visible()


def test_a_question_that_ran_at_reload_is_not_lost(person, database, start_model):
    model = start_model([{"replies": ['{"sql": "SELECT 1 AS one"}']}])
    role = database.role("reloader")
    database.model("reloaded", model.base_url("delay-60000"), role)
    app = App(person).log_in(role)
    app.begin("Which products were never sold together?")
    expect(app.stop).to_be_visible()
    app.page.reload()
    card = app.cards.first
    expect(card.get_by_role("heading", name="Which products were never sold together?")).to_be_visible()
    expect(card.get_by_text("The page was left while this ran")).to_be_visible()
    expect(card.get_by_role("button", name="Ask again")).to_be_visible()


def test_nothing_of_the_answers_is_left_after_logging_out(talker):
    talker.ask("How many stores are there?")
    talker.who().get_by_role("button", name="Log out").click()
    expect(talker.page.get_by_role("heading", name="Welcome")).to_be_visible()
    assert "stores" not in talker.page.content()
    expect(talker.page).not_to_have_url(re.compile("#c="))


def test_a_question_that_ended_in_another_tab_is_in_the_title(app):
    # What a browser says of a tab that lies behind another.
    app.page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })")
    app.ask("How many stores are there?")
    expect(app.page).to_have_title("(1) text2sql")
    app.page.evaluate("Object.defineProperty(document, 'hidden', { get: () => false, configurable: true })")
    app.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(app.page).to_have_title("text2sql")
