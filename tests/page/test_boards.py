"""Answers pinned to a board: an address, read with the rights of whoever opens it, printed, shared, and no rows kept."""

import re

import pytest
from playwright.sync_api import expect
from support.app import App


@pytest.fixture
def pinner(person, database, request):
    app = App(person)
    app.role = database.role(f"pins_{abs(hash(request.node.name)) % 10**8}")
    return app.log_in(app.role)


def pin(app, card, board=None):
    card.get_by_role("button", name="Pin", exact=True).click()
    dialog = app.page.get_by_role("dialog", name="Pin")
    if board:
        dialog.get_by_label("Name of the board").fill(board)
    dialog.get_by_role("button", name="Pin").click()
    expect(app.page.locator("board-view")).to_be_visible()


def tiles(app):
    return app.page.locator(".board-tile")


def test_pinned_answers_stand_on_a_board(pinner):
    pin(pinner, pinner.ask("What is the total revenue per store in 2024?"), "Monday & more")
    expect(pinner.page.get_by_role("heading", name="Monday & more")).to_be_visible()
    pinner.new_conversation()
    pin(pinner, pinner.ask("How many stores are there?"))
    expect(tiles(pinner)).to_have_count(2)
    expect(tiles(pinner).first.locator("svg.chart")).to_be_visible()
    expect(tiles(pinner).last.locator("tbody td")).to_have_text("20")
    # Reload, Back and the list find it again.
    pinner.page.reload()
    expect(tiles(pinner).last.locator("tbody td")).to_have_text("20")
    pinner.new_conversation()
    expect(tiles(pinner)).to_have_count(0)
    pinner.page.go_back()
    expect(tiles(pinner)).to_have_count(2)
    pinner.new_conversation()
    pinner.page.get_by_role("navigation", name="Boards").get_by_role("button", name="Monday & more").click()
    expect(tiles(pinner)).to_have_count(2)
    # It goes on from there.
    tiles(pinner).last.get_by_role("link", name="How many stores are there?").click()
    expect(pinner.cards).to_have_count(1)
    expect(tiles(pinner)).to_have_count(0)


def test_a_follow_up_is_pinned_with_its_query(pinner, database):
    pinner.ask("How many orders were placed in 2024?")
    pin(pinner, pinner.ask("and in 2023?"), "Years")
    shown = tiles(pinner).locator("tbody td")
    expect(shown).to_be_visible()
    queries, kept = (
        database.execute(f"SELECT {what} FROM text2sql._pinned_answers p WHERE pinned_by = '{pinner.role}'") for what in ("queries", "to_json(p)")
    )
    assert "2023" in queries
    # Questions and queries are kept, and no row.
    assert shown.inner_text().replace(",", "") not in kept
    assert pinner.page.evaluate("Object.keys(localStorage).filter(key => /board|conversation/.test(key))") == []


def share(app, role, *, chosen=True):
    """Chooses among the roles that are offered, and returns all of them."""
    app.page.get_by_role("button", name="Share", exact=True).click()
    choices = app.page.get_by_role("group", name="Who sees this board?")
    choices.get_by_label(role, exact=True).set_checked(chosen)
    offered = choices.get_by_role("checkbox").evaluate_all("boxes => boxes.map(box => box.value)")
    app.page.get_by_role("button", name="Save", exact=True).click()
    return offered


def boards(app):
    return app.page.get_by_role("navigation", name="Boards").get_by_role("button")


def test_another_browser_of_the_same_person_shows_the_board(pinner, new_person):
    pin(pinner, pinner.ask("How many stores are there?"), "Everywhere")
    other = App(new_person(locale="en-GB")).log_in(pinner.role)
    boards(other).click()
    expect(tiles(other).locator("tbody td")).to_have_text("20")


def test_a_board_is_shared_with_a_role_that_reads_it_with_rights_of_its_own(pinner, new_person, database):
    pin(pinner, pinner.ask("How many stores are there?"), "Shared")
    colleague = App(new_person(locale="en-GB")).log_in(database.role("reads_stores"))
    expect(colleague.page.get_by_text("Conversations appear here")).to_be_visible()
    expect(boards(colleague)).to_have_count(0)
    blind = database.role("reads_no_stores", member_of=None)
    offered = share(pinner, "demo_analyst")
    # Own roles first; nobody who may not read the answer, and not oneself.
    assert offered[0] == "demo_analyst"
    assert not {blind, pinner.role, "postgres"} & set(offered)
    database.execute(f"""SET ROLE {pinner.role}; SELECT text2sql._keep('{{"board": {{"name": "Shared", "shared_with": ["demo_analyst", "{blind}"]}}}}')""")
    pinner.page.reload()
    expect(pinner.page.get_by_text("Shared with demo_analyst")).to_be_visible()
    # Who has the role finds it in the list.
    colleague.page.reload()
    expect(boards(colleague)).to_contain_text(f"of {pinner.role}")
    boards(colleague).click()
    expect(tiles(colleague).locator("tbody td")).to_have_text("20")
    for own in ("Share", "Delete the board", "Take off the board"):
        expect(colleague.page.get_by_role("button", name=own, exact=True)).to_have_count(0)
    # Somebody else with the role need not see it.
    annoyed = App(new_person(locale="en-GB")).log_in(database.role("dismisses_boards"))
    boards(annoyed).click()
    annoyed.page.get_by_role("button", name="Do not show it to me").click()
    expect(boards(annoyed)).to_have_count(0)
    expect(annoyed.page.locator("board-view")).to_have_count(0)
    # Who may not read its tables does not see that there is one, not even by its link.
    reader = App(new_person(locale="en-GB"))
    reader.log_in(blind, path=pinner.page.url)
    expect(reader.page.get_by_text("There is no board “Shared” that you may see.")).to_be_visible()
    expect(boards(reader)).to_have_count(0)
    assert "How many stores" not in reader.page.content()
    # It is taken back.
    share(pinner, "demo_analyst", chosen=False)
    expect(pinner.page.get_by_text("Shared with demo_analyst")).to_have_count(0)
    colleague.page.reload()
    expect(colleague.page.get_by_text("There is no board “Shared” that you may see.")).to_be_visible()


def test_a_board_is_refreshed_emptied_and_deleted(pinner):
    pin(pinner, pinner.ask("How many stores are there?"), "Short")
    expect(tiles(pinner).locator("tbody td")).to_have_text("20")
    pinner.page.get_by_role("button", name="Refresh").click()
    expect(pinner.page.locator("#announcements")).to_have_text("The board is up to date.")
    tiles(pinner).get_by_role("button", name="Take off the board").click()
    expect(pinner.page.get_by_text("Nothing is pinned here.")).to_be_visible()
    pinner.page.get_by_role("button", name="Delete the board").click()
    pinner.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(pinner.page).not_to_have_url(re.compile("board="))
    expect(pinner.page.locator("board-view")).to_have_count(0)
    expect(pinner.page.get_by_role("navigation", name="Boards").get_by_role("button")).to_have_count(0)


def test_a_board_is_printed_without_what_is_only_for_the_screen(pinner):
    pin(pinner, pinner.ask("What is the total revenue per store in 2024?"), "Paper")
    expect(tiles(pinner).locator("svg.chart")).to_be_visible()
    pinner.page.emulate_media(media="print")
    expect(pinner.page.locator("board-view h1")).to_be_visible()
    expect(tiles(pinner).locator("svg.chart")).to_be_visible()
    for hidden in ("question-box", ".side", ".top", ".board-head .actions"):
        expect(pinner.page.locator(hidden)).to_be_hidden()
    # Nothing is cut off at the end of the screen.
    assert pinner.page.evaluate("document.documentElement.scrollHeight") >= tiles(pinner).bounding_box()["height"]


def test_after_logging_out_nobody_else_sees_the_boards(pinner, database):
    pin(pinner, pinner.ask("How many stores are there?"), "Mine")
    pinner.who().get_by_role("button", name="Log out").click()
    expect(pinner.page.get_by_role("heading", name="Welcome")).to_be_visible()
    assert "Mine" not in pinner.page.content()
    pinner.log_in(database.role("after_pins"))
    expect(pinner.page.get_by_role("navigation", name="Boards").get_by_role("button")).to_have_count(0)


def test_a_board_is_accessible_and_fits_a_phone(new_person, database):
    app = App(new_person(locale="en-GB", viewport={"width": 390, "height": 844})).log_in(database.role("pins_on_a_phone"))
    card = app.ask("What is the total revenue per store in 2024?")
    # It stands above, and moves what is below when it comes.
    expect(card.locator("svg.chart")).to_be_visible()
    pin(app, card, "Pocket")
    expect(tiles(app).locator("svg.chart")).to_be_visible()
    assert app.person.scrolls_sideways() <= 0
    assert app.person.accessibility_problems() == []
