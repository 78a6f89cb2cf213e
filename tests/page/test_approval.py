"""A query waits until another person has read it."""

import re

from playwright.sync_api import expect
from support.app import App, pinned


def people(new_person, database, name):
    asker, lead = database.role(f"asks_{name}"), database.role(f"leads_{name}", grant="approver")
    database.execute(f"SELECT text2sql.set_approval('{asker}', 'always'), text2sql.grant_access('{lead}')")
    return App(new_person(locale="en-GB")).log_in(asker), App(new_person(locale="en-GB")).log_in(lead), asker


def test_an_approved_question_is_answered(new_person, database):
    asker, lead, role = people(new_person, database, "yes")
    card = asker.ask("How many stores are there?")
    expect(card.get_by_text("Somebody has to approve this first")).to_be_visible()
    expect(card.locator("result-table")).to_have_count(0)
    own = asker.panel("Waiting").locator(".item-card")
    expect(own).to_contain_text("waiting")
    entry = pinned(lead.panel("Waiting").locator(".item-card").filter(has_text=role))
    expect(entry).to_contain_text("How many stores are there?")
    entry.get_by_role("button", name="Approve", exact=True).click()
    expect(entry.get_by_text("Approved. Whoever asked can run it now.")).to_be_visible()
    asker.panel("Waiting").get_by_role("button", name="Look again").click()
    own.get_by_role("button", name="Show the answer").click()
    expect(asker.cards).to_have_count(2)
    expect(asker.ended(asker.cards.last).locator(".sentence")).to_have_text("There are 20 stores.")


def test_a_rejected_question_says_why(new_person, database):
    asker, lead, role = people(new_person, database, "no")
    card = asker.ask("How many stores are there?")
    # Somebody who can, by name.
    expect(card.locator(".approval-state")).to_contain_text("can approve it")
    entry = pinned(lead.panel("Waiting").locator(".item-card").filter(has_text=role))
    entry.get_by_role("button", name="Reject").click()
    entry.get_by_label("Why").fill("ask the controlling department")
    entry.get_by_role("form").get_by_role("button", name="Reject").click()
    expect(entry.get_by_text("Rejected.")).to_be_visible()
    # The question says so by itself, as soon as somebody looks at the page again.
    asker.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(card.get_by_text("It was rejected.")).to_be_visible()
    expect(asker.page).to_have_title("(1) text2sql")
    card.get_by_role("button", name="Ask again when approved").click()
    expect(asker.ended(card)).to_contain_text("ask the controlling department")


def test_approver_and_asker_are_told(new_person, database):
    asker, lead, _ = people(new_person, database, "told")
    asker.ask("How many stores are there?")
    lead.page.reload()
    count = lead.page.locator("header .count")
    expect(count).to_have_attribute("title", re.compile("wait"))
    expect(lead.page).to_have_title(re.compile(r"^\(\d+\) text2sql$"))
    database.execute("SELECT text2sql.accept('query', max(id)) FROM text2sql.approvals WHERE status = 'waiting'")
    asker.page.reload()
    expect(asker.page.locator("header .count")).to_have_attribute("title", "1 of your questions was decided.")
