"""What an answer says about itself, and what is shown where there is none."""

import re

import pytest
from playwright.sync_api import expect
from support.app import App, column, found, sql_of


def test_an_ambiguous_question_is_answered_by_a_click(app):
    card = app.ask("How many active customers are there?")
    expect(card.get_by_text("This can mean several things")).to_be_visible()
    expect(card.locator("result-table")).to_have_count(0)
    readings = card.locator(".readings").get_by_role("button")
    assert readings.count() >= 2
    reading = readings.first.inner_text().strip()
    readings.first.click()
    expect(app.cards).to_have_count(2)
    answered = app.ended(app.cards.last)
    expect(answered.get_by_role("heading", name=reading, exact=True)).to_be_visible()
    expect(answered.locator("result-table")).to_be_visible()


def test_what_may_not_be_read_says_who_can_change_it_and_advises_no_sql(app):
    card = app.ask("What is the average salary of the store managers?")
    expect(card.get_by_text("You may not read what this needs")).to_be_visible()
    # Somebody who is there, by name.
    expect(card.get_by_text(re.compile(r"^\w+( or \w+)* can let you read it\.$"))).to_be_visible()
    expect(card.locator(".status")).to_contain_text("hr.employee_salaries")
    for word in ("GRANT", "SELECT"):
        expect(card).not_to_contain_text(word)
    # There is nothing to judge, but somebody to tell.
    expect(card.get_by_role("group", name="Was this answer right?")).to_have_count(0)
    card.get_by_role("button", name="Tell a curator").click()
    expect(card.get_by_label("What did you mean?")).to_be_focused()


def test_without_the_one_forbidden_column_there_is_an_answer(app):
    card = app.ask("Show customers with their full name, date of birth and loyalty points")
    expect(card.get_by_text("You may not read what this needs")).to_be_visible()
    card.get_by_role("button", name="Ask without “date of birth”").click()
    expect(app.cards).to_have_count(2)
    answered = app.ended(app.cards.last)
    expect(answered.get_by_role("heading", name="Show customers with their full name and loyalty points")).to_be_visible()
    assert len(column(answered, 1)) == 10


def test_what_is_asked_for_alone_is_not_left_out(app):
    card = app.ask("What is the date of birth of our oldest customer?")
    expect(card.get_by_text("You may not read what this needs")).to_be_visible()
    expect(card.get_by_role("button", name="Ask without")).to_have_count(0)


def test_a_defined_word_is_explained_without_its_sql(app, person, database):
    card = app.ask("What was our turnover in 2025?")
    expect(card.locator(".notes")).to_contain_text("means items without the 20 percent tax")
    expect(card.locator(".notes")).not_to_contain_text("FILTER")
    # Whoever defines words reads it.
    curator = App(person).log_in(database.role("reads_sql", grant="curator"))
    expect(curator.ask("What was our turnover in 2025?").locator(".notes")).to_contain_text("FILTER")


def test_a_statement_is_advised_to_those_who_run_statements(person, database):
    role = database.role("runs_statements", member_of="demo_analyst")
    database.execute(f"ALTER ROLE {role} SUPERUSER")
    app = App(person).log_in(role)
    # A superuser may read everything, so the message is one of the page's own.
    statement = app.page.evaluate("""async () => {
        const { message } = await import('/assets/elements/message-list.js');
        document.body.append(message('Ask the owner to run: GRANT SELECT ON shop.orders TO ana;'));
        return document.body.lastElementChild.querySelector('.statement code').textContent;
    }""")
    assert statement == "GRANT SELECT ON shop.orders TO ana;"


def test_what_was_left_out_is_named(person, database, start_model):
    model = start_model([{"replies": ['{"sql": "SELECT count(*) AS n FROM customers", "missing": ["date of birth of the customers"]}']}])
    role = database.role("withheld")
    database.model("withheld", model.base_url(), role)
    card = App(person).log_in(role).ask("How many customers are there, with their date of birth?")
    expect(card.locator(".withheld")).to_contain_text("Left out, because you may not read it")
    expect(card.locator(".withheld")).to_contain_text("can let you read it")
    expect(card.locator(".withheld")).not_to_contain_text("GRANT")


def test_a_question_that_the_data_cannot_answer_offers_others(app):
    card = app.ask("Show me sales by region and size")
    expect(card.get_by_text("This was not understood")).to_be_visible()
    expect(card.get_by_text("You can ask:")).to_be_visible()
    expect(card.locator("result-table, answer-chart")).to_have_count(0)


@pytest.mark.parametrize("question", ["What is our profit margin?", "Compare this year with last year", "Who are my worst performing employees?"])
def test_no_refusal_is_the_end(app, question):
    card = app.ask(question)
    expect(card.get_by_text("This was not understood")).to_be_visible()
    offered = card.locator(".readings").get_by_role("button")
    expect(offered.nth(1)).to_be_visible()
    for at in range(offered.count()):
        offered.nth(at).click()
        expect(app.ended(app.cards.last).locator(".sentence")).to_be_visible()


def test_the_one_reading_that_has_an_answer_is_a_click(app):
    card = app.ask("How many orders from Berlin?")
    card.get_by_role("button", name="How many orders from store city 'Berlin'?").click()
    expect(app.ended(app.cards.last).locator("result-table td")).to_be_visible()


def test_passages_that_no_model_has_read_are_not_the_end(app):
    card = app.ask("What was our Plumpf of refunds and returns?")
    expect(card.locator(".sources")).to_be_visible()
    expect(card.get_by_text("These questions have an answer:")).to_be_visible()


def test_assumptions_and_confidence_stand_below_the_answer(app):
    card = app.ask("How many orders were placed in 2024?")
    expect(card.get_by_text("How it was understood")).to_be_visible()
    expect(card.locator(".notes")).to_contain_text("The period is “ordered on” of orders from 1 Jan 2024 to 31 Dec 2024.")
    expect(card.locator(".badge").filter(has_text="% sure")).to_be_visible()
    expect(card.get_by_text("Built-in engine")).to_be_hidden()
    found(card)
    expect(card.get_by_text("Built-in engine")).to_be_visible()


def test_a_verified_answer_says_who_verified_it(person, database):
    role = database.role("verified_reader")
    curator = database.role("verifier", grant="curator")
    database.execute(
        f"""SET ROLE {curator};
            SELECT text2sql.accept('example', text2sql.add_example('Which towns have shops in Poland?',
                       $$SELECT DISTINCT city FROM stores WHERE country_code = 'PL' ORDER BY city$$))"""
    )
    app = App(person).log_in(role)
    # It is among the questions to begin with, too.
    app.page.locator(".examples").get_by_role("button", name="Which towns have shops in Poland?").click()
    card = app.ended(app.cards.first)
    expect(card.get_by_text(f"Verified by {curator}")).to_be_visible()
    expect(sql_of(card)).to_contain_text("DISTINCT city")


def test_dangerous_sql_of_a_model_is_not_let_through(person, database, start_model):
    model = start_model([{"replies": ['{"sql": "SELECT pg_read_file(\'/etc/passwd\')"}']}])
    role = database.role("attacked")
    database.model("attacked", model.base_url(), role)
    card = App(person).log_in(role).ask("What is in the file?")
    expect(card.locator(".status")).to_be_visible()
    expect(card.locator("result-table")).to_have_count(0)
    # Whoever knows better can mend the SQL.
    expect(sql_of(card)).to_have_text("SELECT pg_read_file('/etc/passwd')")


def test_what_the_checks_doubt_stands_above_the_answer_of_a_model(person, database, start_model):
    model = start_model([{"replies": ['{"sql": "SELECT DISTINCT s.name FROM stores s LIMIT 3"}']}])
    role = database.role("doubted")
    database.model("doubts", model.base_url(), role)
    app = App(person).log_in(role)
    # The server says what the checks find; the page shows it, and where.
    finding = {"severity": "warning", "finding": "limit_without_order", "evidence": "which three rows come is left to chance", "fix": None}
    app.page.route("**/api/v1/trust", lambda route: route.fulfill(json={"findings": [finding]}))
    card = app.ask("Name three stores")
    doubt = card.locator(".failed-checks")
    expect(doubt).to_contain_text("Which three rows come is left to chance.")
    assert doubt.bounding_box()["y"] < card.locator(".sentence").bounding_box()["y"]
