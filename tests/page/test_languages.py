"""The page in English and in German."""

from playwright.sync_api import expect
from support.app import App, column


def test_the_browser_chooses_the_language(new_person):
    person = new_person(locale="de-AT")
    App(person).open()
    expect(person.page.get_by_role("heading", name="Willkommen")).to_be_visible()
    expect(person.page.locator("html")).to_have_attribute("lang", "de")


def test_a_change_of_language_loses_nothing(app):
    card = app.ask("What is the total revenue per store in 2024?")
    sentence = card.locator(".sentence").inner_text()
    app.page.get_by_role("banner").get_by_label("Language").select_option("de")
    expect(app.page.get_by_role("textbox", name="Ihre Frage")).to_be_visible()
    expect(card.get_by_text("1 bis 10 von 19")).to_be_visible()
    expect(card.locator("answer-chart").get_by_text("Balken, weil")).to_be_visible()
    expect(card.get_by_text("Wie wurde das gefunden?")).to_be_visible()
    expect(card.locator(".sentence")).to_have_text(sentence)
    app.page.reload()
    expect(app.page.get_by_role("button", name="Neue Frage")).to_be_visible()


def test_a_german_question_has_a_german_answer(new_person, analysts_session):
    app = App(new_person(locale="de-DE", storage_state=analysts_session)).open()
    box = app.page.get_by_role("textbox", name="Ihre Frage")
    box.fill("Wie viele Kunden gibt es?")
    box.press("Enter")
    card = app.ended(app.cards.first)
    expect(card.locator(".sentence")).to_have_text("Es gibt 11.863 Kunden.")
    # As the sentence has it; as the database has it in the tip.
    assert column(card, 1) == ["11.863"]
    expect(card.locator("result-table td")).to_have_attribute("title", "11863")
