"""What people say about answers, and what a curator makes of it."""

from playwright.sync_api import expect
from support.app import App, pinned, sql_of
from support.waiting import wait_until

QUESTION = "How many shops sell skis?"


def rate(card, verdict):
    card.get_by_role("group", name="Was this answer right?").get_by_role("button", name=verdict).click()


def test_who_told_a_curator_is_told_when_it_was_taught(new_person, database):
    asker = App(new_person(locale="en-GB")).log_in(database.role("hopes"))
    card = asker.ask("Plumpf by month")
    card.get_by_role("button", name="Tell a curator").click()
    card.get_by_role("button", name="Send").click()
    expect(card.get_by_text("you are told here when it can be answered")).to_be_visible()
    asker.page.reload()
    expect(asker.cards).to_have_count(1)
    expect(asker.page.locator(".taught")).to_have_count(0)
    # A curator teaches the word at an answer, by choosing what it means.
    curator = App(new_person(locale="en-GB")).log_in(database.role("teaches_plumpf", grant="curator"))
    answer = curator.ask("What was the total revenue in 2025?")
    answer.get_by_role("button", name="Teach another word").click()
    answer.get_by_label("Word", exact=True).fill("Plumpf")
    answer.get_by_label("is another word for").select_option(label="orders.revenue")
    answer.get_by_role("button", name="Save").click()
    expect(answer.get_by_role("button", name="Teach another word")).to_be_focused()
    asker.page.reload()
    expect(asker.page.locator(".taught")).to_contain_text("“Plumpf by month” can be answered now.")
    asker.page.get_by_role("button", name="Ask it").click()
    expect(asker.ended(asker.cards.last).locator("svg.chart")).to_be_visible()
    expect(asker.page.locator(".taught")).to_have_count(0)


def test_a_right_answer_is_noted_and_can_be_withdrawn(person, database):
    role = database.role("rater")
    card = App(person).log_in(role).ask("How many stores are there?")
    rate(card, "The answer is right")
    expect(card.get_by_text("Thank you.")).to_be_visible()
    given = f"SELECT count(*) FROM text2sql._feedback WHERE given_by = '{role}'"
    assert database.execute(given) == "1"
    card.get_by_role("button", name="Withdraw").click()
    expect(card.get_by_text("Withdrawn.")).to_be_visible()
    assert database.execute(given) == "0"


def test_a_correction_becomes_a_verified_answer(new_person, database):
    analyst, curator = database.role("corrects"), database.role("reviews", grant="curator")
    database.execute(f"SELECT text2sql.grant_access('{curator}')")
    asker = App(new_person(locale="en-GB")).log_in(analyst)
    card = asker.ask("How many orders were placed in 2024?")
    rate(card, "The answer is wrong")
    card.get_by_label("What is wrong with it?").fill("cancelled ones do not count")
    card.get_by_text("I know the right SQL").click()
    right = "SELECT count(*) AS orders FROM orders WHERE ordered_on >= DATE '2024-01-01' AND ordered_on < DATE '2025-01-01' AND status <> 'cancelled'"
    card.get_by_role("textbox", name="SQL, can be changed").fill(right)
    card.get_by_role("button", name="Send").click()
    expect(card.get_by_text("as soon as a curator has verified it")).to_be_visible()

    reviewer = App(new_person(locale="en-GB")).log_in(curator)
    waiting = reviewer.panel("Waiting").locator("[data-section=examples] .item-card")
    expect(waiting).to_have_count(1)
    expect(waiting).to_contain_text("How many orders were placed in 2024?")
    expect(waiting).to_contain_text("cancelled ones do not count")
    waiting.get_by_role("button", name="Run").click()
    expect(waiting.locator("result-table td")).to_be_visible()
    waiting.get_by_role("button", name="Verify").click()
    expect(waiting.get_by_text("it answers questions from now on")).to_be_visible()

    card = asker.ask("How many orders were placed in 2024?")
    expect(card.get_by_text(f"Verified by {curator}")).to_be_visible()
    expect(sql_of(card)).to_contain_text("cancelled")


def test_a_wrong_answer_without_sql_waits_for_a_curator_who_writes_it(new_person, database):
    analyst, curator = database.role("complains"), database.role("answers", grant="curator")
    database.execute(f"SELECT text2sql.grant_access('{curator}')")
    asker = App(new_person(locale="en-GB")).log_in(analyst)
    card = asker.ask("How many returns are there for each reason?")
    rate(card, "The answer is wrong")
    card.get_by_label("What is wrong with it?").fill("refused ones are in it")
    card.get_by_role("button", name="Send").click()
    expect(card.get_by_text("It was noted for the curator.")).to_be_visible()
    reviewer = App(new_person(locale="en-GB")).log_in(curator)
    entry = pinned(reviewer.panel("Waiting").locator("[data-section=feedback] .item-card").filter(has_text="for each reason"))
    expect(entry).to_contain_text("refused ones are in it")
    entry.get_by_role("button", name="Write the right SQL").click()
    entry.get_by_role("textbox", name="SQL, can be changed").fill("SELECT reason, count(*) AS returns FROM returns GROUP BY reason")
    entry.get_by_role("button", name="Save as verified").click()
    expect(entry.get_by_text("it answers questions from now on")).to_be_visible()
    wait_until(
        lambda: database.execute(f"SELECT count(*) FROM text2sql.examples WHERE verified_by = '{curator}'") == "1",
        "the example to be stored",
    )


def test_a_definition_in_a_comment_is_suggested_to_the_curator(new_person, database):
    analyst, curator = database.role("defines"), database.role("accepts", grant="curator")
    database.execute(f"SELECT text2sql.grant_access('{curator}')")
    asker = App(new_person(locale="en-GB")).log_in(analyst)
    card = asker.ask("How many products are there?")
    rate(card, "The answer is wrong")
    card.get_by_label("What is wrong with it?").fill("assortment := products that are sold")
    card.get_by_role("button", name="Send").click()
    expect(card.get_by_text("Thank you.")).to_be_visible()
    reviewer = App(new_person(locale="en-GB")).log_in(curator)
    entry = pinned(reviewer.panel("Waiting").locator("[data-section=suggestions] .item-card").filter(has_text="assortment"))
    entry.get_by_role("button", name="Accept").click()
    expect(entry.get_by_text("Accepted: it counts from now on.")).to_be_visible()
    words = reviewer.panel("Words")
    expect(words.get_by_role("button", name="assortment", exact=True)).to_be_visible()
