"""Conversations have addresses: reload, Back, a bookmark and a second tab lose nothing, and logging out leaves nothing."""

import re

import pytest
from playwright.sync_api import expect
from support.app import App, sql_of
from support.waiting import wait_until


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
    # Its answer was kept, with what may be asked next.
    expect(talker.cards.first.locator(".sentence")).to_have_text("There are 20 stores.")
    expect(talker.cards.first.locator(".follow-ups button").first).to_be_visible()
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


@pytest.fixture
def slow(person, database, start_model):
    """Somebody whose model takes some seconds, or as long as a test wants."""

    def make(name, milliseconds):
        model = start_model([{"replies": ['{"sql": "SELECT count(*) AS stores FROM stores"}']}])
        role = database.role(name)
        database.model(name, model.base_url(f"delay-{milliseconds}"), role)
        app = App(person).log_in(role)
        app.role = role
        return app

    return make


def test_a_running_question_is_found_again_after_reload(slow):
    app = slow("reloaded", 4000)
    app.begin("Which products were never sold together?")
    expect(app.stop).to_be_visible()
    app.page.reload()
    card = app.cards.first
    expect(card.get_by_role("heading", name="Which products were never sold together?")).to_be_visible()
    expect(app.stop).to_be_visible()
    app.ended(card)
    expect(card.locator("result-table tbody td")).to_have_text("20")
    expect(app.cards).to_have_count(1)


def test_a_running_question_is_found_again_in_its_conversation_and_stopped(slow, database):
    app = slow("returned", 600000)
    app.begin("Which products were never sold together?")
    wait_until(lambda: database.running(app.role) == 1, "the question to run")
    app.new_conversation()
    app.page.go_back()
    expect(app.cards.first.locator(".steps-label")).to_have_text("Writing the query")
    app.stop.click()
    expect(app.cards.first.get_by_text("You cancelled this question.")).to_be_visible()
    wait_until(lambda: database.running(app.role) == 0, "the database to be free", seconds=10)


def test_a_question_that_was_stopped_meanwhile_says_so(talker):
    talker.ask("How many stores are there?")
    # As a laptop that slept for longer than the server waits.
    talker.page.evaluate("""() => {
        const conversation = new URLSearchParams(location.hash.slice(1)).get('c');
        sessionStorage.setItem('running', JSON.stringify({ [conversation]: { question: 'How many products?', run: 'gone' } }));
    }""")
    talker.page.reload()
    expect(talker.cards).to_have_count(2)
    expect(talker.cards.last.get_by_text("This question was stopped in the database")).to_be_visible()
    expect(talker.cards.last.get_by_role("button", name="Ask again")).to_be_visible()


# A request under way gets 401 before the page has the reply to DELETE.
LATE = '''() => {
  const send = window.fetch;
  window.fetch = async (...sent) => {
    const response = await send(...sent);
    if (sent[1]?.method === 'DELETE') {
      const { get } = await import('/assets/lib/api.js');
      await get('conversations').catch(() => {});
    }
    return response;
  };
}'''


@pytest.mark.parametrize("late", [None, LATE], ids=["at once", "beside a late request"])
def test_nothing_of_the_answers_is_left_after_logging_out(talker, late):
    talker.ask("How many stores are there?")
    if late:
        talker.page.evaluate(late)
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
