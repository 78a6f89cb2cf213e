"""What is seen while a question runs, and how one is stopped."""

import pytest
from playwright.sync_api import expect
from support.app import App, found, sql_of, steps_of
from support.waiting import wait_until

SCRIPT = [
    {"match": "repair", "replies": ['{"sql": "SELECT nam FROM stores"}', '{"sql": "SELECT name FROM stores"}']},
    {"replies": ['{"sql": "SELECT count(*) AS stores FROM stores"}']},
]


@pytest.fixture(scope="module")
def model(start_model):
    return start_model(SCRIPT)


def with_model(database, model, name, behaviour):
    """A role whose questions go to a model that behaves like this."""
    role = database.role(name)
    database.model(f"model_{name}", model.base_url(behaviour), role)
    return role


def test_steps_and_their_times_can_be_read_afterwards(app):
    card = app.ask("What is the total revenue per store in 2024?")
    # One line holds all of the machinery.
    expect(card.get_by_text("Answered", exact=True)).to_be_hidden()
    steps = steps_of(card)
    expect(steps.get_by_text("Answered")).to_be_visible()
    expect(steps.get_by_text("Finding tables and columns")).to_be_hidden()
    steps.locator("summary").click()
    expect(steps.get_by_text("Finding tables and columns")).to_be_visible()
    times = steps.locator(".step-time").all_inner_texts()
    assert len(times) > 3
    assert all(time.endswith((" ms", " s")) for time in times)


def test_steps_are_live_and_a_cancel_frees_the_database(person, database, model):
    role = with_model(database, model, "patient", "delay-600000")
    app = App(person).log_in(role)
    card = app.begin("How many stores are there?")
    expect(card.locator(".steps-label")).to_have_text("Writing the query")
    # Without anybody opening them.
    expect(card.locator(".steps-list li.current")).to_contain_text("Writing the query")
    wait_until(lambda: database.running(role) == 1, "the question to run")
    app.stop.click()
    expect(card.get_by_text("You cancelled this question.")).to_be_visible()
    wait_until(lambda: database.running(role) == 0, "the database to be free", seconds=10)
    expect(app.page.get_by_role("button", name="Ask", exact=True)).to_be_visible()


def test_the_plan_and_the_first_rows_are_seen_before_the_answer(person, database, model):
    # One model writes the query at once; the one that judges the result takes its time.
    role = with_model(database, model, "early", "ok")
    database.model("model_early_judge", model.base_url("delay-600000"), role)
    for name, value in (("model", "model_early"), ("tuning", '{"enable_relevance_check": true, "judge_model": "model_early_judge"}')):
        database.execute(f"ALTER ROLE {role} IN DATABASE {database.name} SET text2sql.{name} = '{value}'")
    app = App(person).log_in(role)
    card = app.begin("How many stores are there?")
    expect(card.locator(".steps-plan li").first).to_contain_text("stores")
    expect(card.get_by_text("First rows, still being checked").first).to_be_visible()
    expect(card.locator("question-steps tbody td")).to_have_text("20")
    app.stop.click()
    expect(card.get_by_text("You cancelled this question.")).to_be_visible()
    expect(card.locator("question-steps tbody td")).to_have_count(0)


def test_who_waits_reads_the_place_in_the_queue(new_person, database, model):
    role = with_model(database, model, "queue", "delay-600000")
    app = App(new_person(locale="en-GB")).log_in(role)
    others = [App(new_person(locale="en-GB", storage_state=app.person.context.storage_state())).open() for _ in range(3)]
    for other in others[:2]:
        card = other.begin("How many stores are there?")
        expect(card.locator(".steps-label")).to_have_text("Writing the query")
    third = others[2].begin("How many stores are there?")
    expect(third.locator(".steps-label")).to_have_text("Place 1 in the queue: other questions of yours are running")
    fourth = app.begin("How many stores are there?")
    expect(fourth.locator(".steps-label")).to_contain_text("Place 2 in the queue")
    others[0].stop.click()
    expect(third.locator(".steps-label")).to_have_text("Writing the query")
    expect(fourth.locator(".steps-label")).to_contain_text("Place 1 in the queue")
    for other in (app, *others[1:]):
        other.stop.click()
    wait_until(lambda: database.running(role) == 0, "the database to be free")


def test_escape_cancels_and_enter_does_not(person, database, model):
    role = with_model(database, model, "keys", "delay-600000")
    app = App(person).log_in(role)
    card = app.begin("How many stores are there?")
    app.question.press("Enter")
    expect(card.locator(".steps-label")).to_have_text("Writing the query")
    app.question.press("Escape")
    expect(card.get_by_text("You cancelled this question.")).to_be_visible()
    wait_until(lambda: database.running(role) == 0, "the database to be free", seconds=10)


def test_a_repair_is_seen_with_its_reason(person, database, model):
    role = with_model(database, model, "repairs", "ok")
    app = App(person).log_in(role)
    card = app.ask("Please repair this: all stores")
    steps_of(card).locator("summary").click()
    expect(card.locator(".step-fact").filter(has_text="repair:").first).to_be_visible()
    expect(sql_of(card)).to_have_text("SELECT name FROM stores")


def test_what_a_model_wrote_has_a_score(person, database, model):
    role = with_model(database, model, "scores", "ok")
    card = App(person).log_in(role).ask("How many stores are there?")
    found(card)
    expect(card.locator(".score summary")).to_contain_text("% sure by its checks, not measured")
    card.locator(".score summary").click()
    assert card.locator(".score dt").count() >= 3
    expect(card.get_by_text("Engine: model_scores")).to_be_visible()


@pytest.mark.allows(r"ERR_CONNECTION", r"ERR_INCOMPLETE_CHUNKED", r"Failed to load resource: net::")
def test_a_server_that_ends_ends_the_question_with_a_sentence(new_person, own_server, database, model):
    role = with_model(database, model, "lonely", "delay-600000")
    app = App(new_person(url=own_server.url, locale="en-GB")).log_in(role)
    card = app.begin("How many stores are there?")
    expect(card.locator(".steps-label")).to_have_text("Writing the query")
    own_server.stop(how=9)
    expect(card.get_by_text("The connection was lost before the answer came.")).to_be_visible()
    card.get_by_role("button", name="Try again").click()
    expect(app.cards.last.get_by_text("The server cannot be reached.")).to_be_visible()
    wait_until(lambda: database.running(role) == 0, "the database to be free", seconds=20)


def test_an_endpoint_that_fails_is_a_sentence_with_what_to_do(person, database, model):
    role = with_model(database, model, "faulty", "status-401")
    card = App(person).log_in(role).ask("How many stores are there?")
    assert card.locator(".status, .note.problem").count() == 1
    expect(card).to_contain_text("401")
