"""The SQL of an answer: shown, changed, run again, and explained."""

from playwright.sync_api import expect
from support.app import App, found, sql_of


def edit(card, sql):
    """Changes the SQL of a card, and returns the editor."""
    found(card).get_by_role("button", name="Change", exact=True).click()
    editor = card.get_by_role("textbox", name="SQL, can be changed")
    editor.fill(sql)
    return editor


def test_sql_is_highlighted(app):
    card = app.ask("How many stores are there?")
    assert found(card).locator("sql-editor .sql-keyword").all_inner_texts() == ["SELECT", "AS", "FROM", "AS"]
    expect(card.locator("sql-editor .sql-function")).to_have_text("count")


def test_a_fault_is_marked_where_it_is_while_somebody_types(app):
    card = app.ask("How many stores are there?")
    edit(card, "SELECT count(*)\nFROM storse")
    expect(card.get_by_text("Line 2, column 6")).to_be_visible()
    expect(card.locator(".sql-fault")).to_have_text("storse")


def test_changed_sql_runs_under_the_guard(app):
    card = app.ask("How many stores are there?")
    editor = edit(card, "SELECT name FROM stores ORDER BY name LIMIT 2")
    expect(card.get_by_text("May run · reads public.stores")).to_be_visible()
    editor.press("Control+Enter")
    rows = card.locator(".run-result result-table tbody tr")
    expect(rows).to_have_count(2)
    editor.fill("DELETE FROM stores")
    editor.press("Control+Enter")
    expect(card.locator(".run-result").get_by_role("alert")).to_be_visible()
    expect(rows).to_have_count(0)
    card.get_by_role("button", name="Undo changes").click()
    expect(sql_of(card)).to_contain_text("count(*)")


def test_a_fault_of_a_run_is_marked_too(app):
    card = app.ask("How many stores are there?")
    editor = edit(card, "SELECT 1 / 0 AS x, nam FROM stores")
    editor.press("Control+Enter")
    expect(card.locator(".run-result").get_by_role("alert")).to_contain_text("nam")
    expect(card.locator(".sql-fault")).to_have_text("nam")


def test_the_steps_are_explained_in_words(app):
    card = app.ask("What is the total revenue per store in 2024?")
    # Until somebody wants to know, one line is all.
    expect(card.locator("query-details")).to_be_hidden()
    card.get_by_text("How was this found?").click()
    expect(card.get_by_role("tabpanel")).to_contain_text("Make one group for each combination of")
    expect(card.locator(".clause").first).to_have_text("FROM")


def test_the_plan_is_made_on_demand_and_measured_on_demand(app):
    card = app.ask("How many orders were placed in 2024?")
    asked = [url for url in app.person.requests if "explain-plan" in url]
    assert asked == []
    found(card, "Execution plan")
    expect(card.get_by_role("columnheader", name="Cost")).to_be_visible()
    card.get_by_role("button", name="Run it and measure").click()
    expect(card.get_by_role("columnheader", name="Milliseconds")).to_be_visible()


def test_checks_say_what_is_doubtful(app):
    card = app.explain("SELECT s.name, e.last_name FROM stores s, employees e")
    card.get_by_role("tab", name="Checks").click()
    expect(card.locator(".finding").first).to_be_visible()


def test_sql_is_changed_in_words_where_a_model_can(app, person, database, start_model):
    card = found(app.ask("How many stores are there?"))
    expect(card.locator("sql-editor")).to_be_visible()
    expect(card.get_by_text("Change it in words")).to_have_count(0)
    model = start_model([{"replies": ['{"sql": "SELECT count(*) FROM stores"}']}])
    role = database.role("reviser")
    database.model("revises", model.base_url(), role)
    card = found(App(person).log_in(role).ask("How many stores are there?"))
    card.get_by_text("Change it in words").click()
    card.get_by_label("What should be different?").fill("only 2023")
    card.get_by_role("button", name="Change", exact=True).last.click()
    expect(card.locator(".revised p, .revised .note").first).to_be_visible()


def test_sql_of_somebody_else_is_explained(app):
    card = app.explain("SELECT country_code, count(*) FROM stores GROUP BY 1 HAVING count(*) > 1")
    expect(card.get_by_role("heading", name="What this SQL does")).to_be_visible()
    expect(card.get_by_text("Keep only the groups where")).to_be_visible()
    card.get_by_role("button", name="Run", exact=True).click()
    expect(card.locator("result-table tbody tr").first).to_be_visible()


def test_the_explainer_says_what_it_cannot_read(app):
    card = app.explain("SELECT FROM WHERE")
    expect(card.locator(".words .broken")).to_contain_text("syntax error")
