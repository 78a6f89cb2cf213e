"""Keyboard, screen reader, dark mode and phones: axe finds nothing serious in any state."""

import re

import pytest
from playwright.sync_api import expect
from support.app import App, found
from support.waiting import wait_until

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def check(app, state, rules=None):
    assert app.person.accessibility_problems(rules) == [], state


# In the dark the same elements have other colours.
@pytest.mark.parametrize("scheme, rules", [("light", None), ("dark", ["color-contrast"])], ids=["light", "dark"])
def test_axe_finds_nothing_serious_in_what_an_analyst_sees(new_person, analysts_session, scheme, rules):
    app = App(new_person(locale="en-GB", color_scheme=scheme, storage_state=analysts_session)).open()
    expect(app.question).to_be_visible()
    check(app, "empty", rules)
    card = app.ask("What is the total revenue per store in 2024?")
    expect(card.locator("svg.chart")).to_be_visible()
    check(app, "answer", rules)
    found(card).get_by_role("button", name="Change", exact=True).click()
    card.get_by_role("button", name="The answer is wrong").click()
    check(app, "editor and feedback", rules)
    card.get_by_role("tab", name="Execution plan").click()
    expect(card.get_by_role("columnheader", name="Cost")).to_be_visible()
    check(app, "plan", rules)
    for question in ("What is the salary of each employee?", "How many active customers are there?", "Show me sales by region and size"):
        app.ask(question)
    check(app, "no answers", rules)
    for tab in ("Tables", "Words", "Waiting", "Privacy"):
        panel = app.panel(tab)
        expect(panel.locator(".loading")).to_have_count(0)
        check(app, tab, rules)
    app.who()
    check(app, "who am I", rules)


def test_axe_finds_nothing_serious_in_what_a_curator_and_administrator_sees(new_person, database):
    role = database.role("sees_all", grant=None, member_of=None)
    database.execute(f"ALTER ROLE {role} SUPERUSER")
    app = App(new_person(locale="en-GB")).open()
    app.page.get_by_label("User name").wait_for()
    check(app, "log in")
    app.log_in(role)
    panel = app.panel("Words")
    panel.get_by_role("button", name="Define a term").click()
    check(app, "a form")
    for section in ("Models", "Search index", "Budgets and cost", "Who may do what", "Evaluations", "Questions of everybody"):
        content = app.administration(section)
        expect(content.get_by_role("heading", name=section)).to_be_visible()
        check(app, section)


def test_everything_works_with_the_keyboard_alone(app):
    keyboard = app.page.keyboard
    expect(app.question).to_be_focused()
    keyboard.type("What is the total revenue per store in 2024?")
    keyboard.press("Enter")
    card = app.ended(app.cards.first)
    # Back from the box to the result, by Shift+Tab alone.
    wanted = card.get_by_role("columnheader", name=re.compile("revenue, EUR", re.IGNORECASE)).get_by_role("button")
    for _ in range(60):
        if wanted.evaluate("button => button === document.activeElement"):
            break
        keyboard.press("Shift+Tab")
    expect(wanted).to_be_focused()
    keyboard.press("Enter")
    keyboard.press("Enter")
    # The smallest first: the largest was, and then the order of the query.
    expect(card.locator("result-table tbody tr").first).to_contain_text("Kitzbühel Hahnenkamm")
    keyboard.press("Alt+i")
    panel = app.page.get_by_role("complementary", name="Tables, terms and more")
    expect(panel).to_be_visible()
    keyboard.press("Alt+i")
    expect(panel).to_be_hidden()
    keyboard.press("Alt+k")
    dialog = app.page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    keyboard.press("Alt+n")
    expect(app.cards).to_have_count(0)
    expect(app.question).to_be_focused()


def test_what_has_focus_is_seen(app):
    # What is suggested comes after the page, below what has focus.
    app.page.wait_for_load_state("networkidle")
    app.question.press("Tab")
    for _ in range(3):
        outline = app.page.evaluate(
            """() => { const focused = document.activeElement; const seen = focused.closest('.segment') ?? focused;
                       const style = getComputedStyle(seen); return [style.outlineStyle, style.outlineWidth]; }"""
        )
        assert outline[0] != "none" and outline[1] != "0px"
        app.page.keyboard.press("Tab")


def test_answers_are_announced(app):
    app.ask("How many stores are there?")
    expect(app.page.locator("#announcements")).to_have_text("Answer: There are 20 stores.")


def test_the_theme_is_chosen_and_kept(app):
    light = app.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    theme = app.page.get_by_role("banner").get_by_role("button", name="Theme")
    theme.click()
    theme.click()
    expect(app.page.locator("html")).to_have_attribute("data-theme", "dark")
    app.page.reload()
    expect(app.question).to_be_visible()
    assert app.page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != light


def test_a_phone_shows_everything_without_scrolling_sideways(new_person, analysts_session):
    app = App(new_person(locale="en-GB", storage_state=analysts_session, **PHONE)).open()
    expect(app.question).to_be_visible()
    card = app.ask("What is the total revenue per store in 2024?")
    expect(card.locator("svg.chart")).to_be_visible()
    assert app.person.scrolls_sideways() <= 0
    app.page.get_by_role("button", name="Conversations").click()
    expect(app.page.get_by_role("navigation", name="Conversations").get_by_role("button", name="New question")).to_be_visible()
    app.page.get_by_role("button", name="New question").click()
    expect(app.page.get_by_role("navigation", name="Conversations")).to_be_hidden()
    panel = app.panel("Tables")
    expect(panel.get_by_text("25 tables")).to_be_visible()
    assert app.person.scrolls_sideways() <= 0
    panel.get_by_role("button", name="Close the panel").click()
    expect(panel).to_be_hidden()
    wait_until(lambda: app.question.is_visible(), "the box to be there again")
    check(app, "phone")
