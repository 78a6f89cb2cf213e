"""Learning SQL: a query step by step, and exercises with marks and hints."""

from playwright.sync_api import expect
from support.app import found


def test_a_query_is_built_up_step_by_step(app):
    card = app.ask("What is the total revenue per store in 2024?")
    found(card, "Step by step")
    steps = card.locator(".lesson > li")
    expect(steps.first.locator(".clause")).to_have_text("FROM")
    expect(steps.first.locator("table")).to_be_visible()
    expect(steps.last.locator(".lesson-sql")).to_contain_text("SELECT")


def test_an_attempt_is_marked_with_a_hint(app):
    panel = app.panel("Practise")
    panel.get_by_role("button", name="New exercise").click()
    expect(panel.locator(".exercise-question")).not_to_be_empty()
    attempt = panel.get_by_label("Your SQL")
    attempt.fill("SELECT name FROM stores WHERE false")
    panel.get_by_role("button", name="Mark", exact=True).click()
    expect(panel.locator(".mark strong")).to_be_visible()
    attempt.fill("DELETE FROM stores")
    panel.get_by_role("button", name="Mark", exact=True).click()
    expect(panel.locator(".mark strong")).to_have_text("Refused")
