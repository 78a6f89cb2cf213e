"""A figure against the period before, and a question for reasons: where it changed, computed by the database."""

from playwright.sync_api import expect
from support.app import App


def test_a_figure_of_a_period_is_compared_with_the_one_before(app):
    card = app.ask("How many orders were placed in 2025?")
    expect(card.locator(".change")).to_contain_text("24.9 % more in 2025 than in 2024: 19,360, after 15,505")
    # One figure is read from afar.
    assert float(card.locator("result-table td").evaluate("cell => parseFloat(getComputedStyle(cell).fontSize)")) > 24


def test_where_it_changed_is_a_click(app):
    card = app.ask("How many returns were there in November 2025?")
    card.get_by_role("button", name="Where did it change?").click()
    split = card.locator(".change-splits section")
    expect(split).to_have_count(2)
    # What explains most comes first: the batch of down jackets that is called back.
    expect(split.first.locator("tbody tr").first).to_have_text("Down Jackets133623")
    expect(split.first.locator("thead")).to_contain_text("Oct 2025")


def test_a_question_for_reasons_shows_where_it_changed_and_no_confidence(app):
    card = app.ask("Why did returns rise in November 2025?")
    # They did not.
    expect(card.locator(".change")).to_contain_text("3.9 % less in Nov 2025 than in Oct 2025")
    expect(card.locator(".change-splits")).to_contain_text("Down Jackets")
    expect(card.get_by_text("The figures do not say why.")).to_be_visible()
    expect(card.locator(".badge").filter(has_text="% sure")).to_have_count(0)


def test_without_a_period_it_is_the_last_month_that_is_whole(app):
    card = app.ask("Why are sales down in Germany?")
    expect(card.locator(".change")).to_contain_text("in Dec 2025 than in Nov 2025")
    expect(card.locator(".change-splits section").first).to_be_visible()


def test_a_figure_without_a_period_is_compared_with_nothing(app):
    card = app.ask("How many stores are there?")
    expect(card.locator("result-table td")).to_have_text("20")
    expect(card.locator("answer-change")).to_be_empty()


def test_the_comparison_is_in_the_readers_language(new_person, analysts_session):
    german = App(new_person(locale="de-DE", storage_state=analysts_session)).open()
    box = german.page.get_by_role("textbox", name="Ihre Frage")
    box.fill("Wie viel Umsatz im Dezember 2025?")
    box.press("Enter")
    card = german.ended(german.cards.first)
    expect(card.locator(".change")).to_contain_text("0,9 % mehr in Dez. 2025 als in Nov. 2025: 871.466,67 nach 863.492,62")


def test_who_has_few_questions_a_day_is_asked_before_one_is_used(person, database):
    role = database.role("counted_compares")
    database.execute(f"SELECT text2sql.set_budget('{role}', questions_per_day => 20)")
    app = App(person).log_in(role)
    card = app.ask("How many orders were placed in 2025?")
    expect(card.locator(".change")).to_have_count(0)
    card.get_by_role("button", name="Compare with the period before").click()
    expect(card.locator(".change")).to_contain_text("24.9 % more")
