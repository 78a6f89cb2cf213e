"""The administrator's side: as far as the rights of the role reach."""

import re

import pytest
from playwright.sync_api import expect
from support.app import App


@pytest.fixture(scope="module")
def administrator(database):
    role = database.role("admin", member_of=None, grant=None)
    database.execute(f"ALTER ROLE {role} SUPERUSER")
    return role


@pytest.fixture
def admin(new_person, administrator):
    return App(new_person(locale="en-GB")).log_in(administrator)


def test_endpoints_are_tested_by_a_button(admin, database, start_model, administrator):
    model = start_model([{"replies": ['{"sql": "SELECT 1 AS one"}']}])
    database.model("works", model.base_url(), administrator)
    database.model("broken", model.base_url("status-401"), administrator)
    database.execute(f"ALTER ROLE {administrator} IN DATABASE {database.name} RESET text2sql.model")
    models = admin.administration("Models")
    good = models.locator(".item-card").filter(has_text="works")
    good.get_by_role("button", name="Test").click()
    expect(good.get_by_text("It works: an answer after")).to_be_visible()
    bad = models.locator(".item-card").filter(has_text="broken")
    bad.get_by_role("button", name="Test").click()
    expect(bad.locator(".test-result")).to_contain_text("401")
    assert "sk-of-the-tests" not in models.inner_text()


def test_a_model_is_added_changed_and_removed(admin, database, start_model, administrator):
    role = database.role("asks_a_model")
    model = start_model([{"replies": ['{"sql": "SELECT 1 AS one"}']}])
    models = admin.administration("Models")
    models.get_by_role("button", name="Add a model").click()
    models.get_by_label("Name of the model here").fill("added")
    models.get_by_label("Address of the endpoint").fill(model.base_url())
    models.get_by_label("Name of the model there").fill("double-1")
    models.get_by_label("Roles that may use it").fill(role)
    models.get_by_role("button", name="Save").click()
    # What the database refuses is said where it was typed, and nothing typed is lost.
    expect(models.get_by_role("alert")).to_contain_text("http")
    models.get_by_label("Further options").fill("allow")
    models.get_by_role("button", name="Save").click()
    expect(models.get_by_role("alert")).to_contain_text("the further options are no JSON object")
    models.get_by_label("Further options").fill('{"allow_private": "true", "allow_http": "true"}')
    models.get_by_role("button", name="Save").click()
    card = models.locator(".item-card").filter(has_text="added")
    expect(card).to_contain_text(f"May be used by: {role}")
    card.get_by_role("button", name="Test").click()
    expect(card.get_by_text("It works: an answer after")).to_be_visible()
    card.get_by_role("button", name="Change").click()
    expect(models.get_by_label("Address of the endpoint")).to_have_value(model.base_url())
    models.get_by_label("What may be sent").select_option("values")
    models.get_by_label("Price of a million tokens of input").fill("2.5")
    models.get_by_label("Roles that may use it").fill("")
    models.get_by_role("button", name="Save").click()
    expect(card).to_contain_text("some values that occur in columns")
    expect(card).to_contain_text("2.5 USD for a million tokens of input")
    expect(card).not_to_contain_text("May be used by")
    stored = "SELECT array_to_string(srvoptions, ' ') FROM pg_foreign_server WHERE srvname = 'added'"
    assert "allow_http=true" in database.execute(stored) and "egress=values" in database.execute(stored)
    assert database.execute(f"SELECT has_server_privilege('{role}', 'added', 'USAGE')") == "f"
    card.get_by_role("button", name="Remove").click()
    admin.page.get_by_role("dialog", name="Remove the model added?").get_by_role("button", name="Remove").click()
    expect(card).to_have_count(0)
    assert database.execute("SELECT count(*) FROM pg_foreign_server WHERE srvname = 'added'") == "0"


def test_the_state_of_the_index_is_shown(admin):
    index = admin.administration("Search index")
    expect(index.get_by_role("row", name=re.compile(r"^readable tables 2\d"))).to_be_visible()
    expect(index.get_by_role("button", name="Refresh the index")).to_be_visible()


def test_a_budget_is_set_and_removed(admin, database):
    role = database.role("budgeted")
    budgets = admin.administration("Budgets and cost")
    budgets.get_by_role("button", name="Set a budget").click()
    budgets.get_by_label("Role").fill("nobody_of_that_name")
    budgets.get_by_label("Questions in a day").fill("10")
    budgets.get_by_role("button", name="Save").click()
    expect(budgets.get_by_role("alert")).to_contain_text("nobody_of_that_name")
    budgets.get_by_label("Role").fill(role)
    budgets.get_by_role("button", name="Save").click()
    expect(budgets.locator(".item-card").filter(has_text=role)).to_contain_text("0 of 10 questions")
    assert database.execute(f"SELECT questions_per_day FROM text2sql.budgets WHERE role_name = '{role}'") == "10"


def test_rights_are_granted_and_revoked(admin, database):
    role = database.role("promoted")
    roles = admin.administration("Who may do what")
    roles.get_by_role("button", name=f"Grant {role} the right: Teach").click()
    admin.page.get_by_role("dialog", name="Grant this right?").get_by_role("button", name="Grant").click()
    revoke = roles.get_by_role("button", name=f"Revoke from {role} the right: Teach")
    expect(revoke).to_be_visible()
    may = f"SELECT has_function_privilege('{role}', 'text2sql.add_example(text, text)', 'EXECUTE')"
    assert database.execute(may) == "t"
    revoke.click()
    admin.page.get_by_role("dialog", name="Revoke this right?").get_by_role("button", name="Revoke").click()
    expect(roles.get_by_role("button", name=f"Grant {role} the right: Teach")).to_be_visible()
    assert database.execute(may) == "f"


def test_evaluations_have_a_report(admin, database):
    database.execute(
        "SELECT text2sql_eval.add_case('page', 'How many stores are there?', 'SELECT count(*) FROM stores')",
        "CALL text2sql_eval.evaluate('page')",
    )
    evaluations = admin.administration("Evaluations")
    row = evaluations.get_by_role("row").filter(has_text="page")
    expect(row).to_contain_text("100%")
    with admin.page.expect_download() as download:
        row.get_by_role("link", name="Save").click()
    assert "<html" in download.value.path().read_text()


def test_questions_of_everybody_are_for_who_may_see_them(admin, database, new_person):
    role = database.role("asked_something")
    App(new_person(locale="en-GB")).log_in(role).ask("How many stores are there?")
    history = admin.administration("Questions of everybody")
    expect(history.get_by_role("row").filter(has_text=role)).to_contain_text("How many stores are there?")


def test_an_analyst_is_told_what_is_not_shown(app, analyst):
    models = app.administration("Models")
    expect(models.get_by_role("heading", name="Models")).to_be_visible()
    expect(models.get_by_role("button", name="Add a model")).to_have_count(0)
    dialog = app.page.get_by_role("dialog", name="Administration")
    expect(dialog.get_by_role("tab", name="Who may do what")).to_have_count(0)
    dialog.get_by_text("What is not shown").click()
    expect(dialog.get_by_text(f"{analyst} may not give rights")).to_be_visible()
    # Whatever the page shows, the database refuses.
    give = """role => fetch('api/v1/admin/roles/curator', {method: 'POST', headers: {'Content-Type': 'application/json'},
              body: JSON.stringify({role_name: role})}).then(reply => reply.status)"""
    assert app.page.evaluate(give, analyst) == 403
