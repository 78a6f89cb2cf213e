"""What may leave the server, and what has left it; who am I, with which model and which budget."""

from playwright.sync_api import expect
from support.app import App, found


def test_the_built_in_engine_sends_nothing(app):
    panel = app.panel("Privacy")
    expect(panel.get_by_text("The built-in engine works inside the database.")).to_be_visible()
    expect(panel.get_by_text("Nothing has left the server for your questions.")).to_be_visible()


def test_what_a_model_would_be_sent_is_shown_before_and_what_was_sent_after(person, database, start_model):
    model = start_model([{"replies": ['{"sql": "SELECT count(*) AS stores FROM stores"}']}])
    role = database.role("sends")
    database.model("sends", model.base_url(), role)
    app = App(person).log_in(role)
    panel = app.panel("Privacy")
    expect(panel.get_by_text("No other value of your data.").first).to_be_visible()
    panel.get_by_label("What would be sent for a question?").fill("How many stores are there?")
    panel.get_by_role("button", name="Show it").click()
    expect(panel.get_by_role("region", name="The text that would be sent")).to_contain_text("stores")
    assert database.execute(f"SELECT count(*) FROM text2sql.egress_log WHERE asked_by = '{role}'") == "0"
    app.ask("How many stores are there?")
    app.panel("Tables")
    panel = app.panel("Privacy")
    entry = panel.locator(".egress-log li.entry").first
    expect(entry).to_contain_text("How many stores are there?")
    expect(entry).to_contain_text("No values of your data")
    expect(entry).to_contain_text("No rows")


def test_who_am_i_says_what_the_role_may(app, analyst):
    who = app.who()
    expect(who.get_by_text(analyst, exact=True)).to_be_visible()
    expect(who.get_by_role("definition").filter(has_text="evaluate")).to_be_visible()
    expect(who.get_by_text("There is no limit for you.")).to_be_visible()
    expect(who.get_by_text("An answer has at most 1,000 rows")).to_be_visible()
    # Answers are kept until the role switches that off.
    expect(who.get_by_label("Keep my answers in conversations")).to_be_checked()


def test_another_model_is_chosen_for_the_questions_of_this_page(person, database, start_model):
    model = start_model([{"replies": ['{"sql": "SELECT 42 AS answer"}']}])
    role = database.role("chooses")
    database.model("chosen", model.base_url(), role)
    app = App(person).log_in(role)
    expect(found(app.ask("How many stores are there?")).get_by_text("Engine: chosen")).to_be_visible()
    who = app.who()
    who.get_by_label("For questions of this page").select_option("builtin")
    who.get_by_role("button", name="Close").click()
    card = app.ask("How many stores are there?")
    expect(found(card).get_by_text("Built-in engine")).to_be_visible()
    expect(card.locator(".sentence")).to_have_text("There are 20 stores.")


def test_a_used_up_budget_is_a_sentence(person, database):
    role = database.role("spends")
    database.execute(f"SELECT text2sql.set_budget('{role}', questions_per_day => 1)")
    app = App(person).log_in(role)
    app.ask("How many stores are there?")
    expect(app.who().get_by_text("1 of 1 questions")).to_be_visible()
    app.page.get_by_role("dialog").get_by_role("button", name="Close").click()
    card = app.ask("How many products are there?")
    expect(card.locator("result-table")).to_have_count(0)
    expect(card.locator(".answer")).to_contain_text("budget")
