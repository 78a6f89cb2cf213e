"""The question box: questions, earlier ones, examples, links, and the ways to answer."""

from urllib.parse import quote

from playwright.sync_api import expect
from support.app import App, column, sql_of
from support.waiting import wait_until


def test_the_sentence_comes_first_then_the_table_then_the_sql(app):
    card = app.ask("What is the total revenue per store in 2024?")
    expect(card.locator(".sentence")).to_contain_text("München Sendlinger Tor is highest")
    assert len(column(card, 1)) == 10
    expect(sql_of(card)).to_contain_text("SELECT")
    order = [card.locator(part).first.bounding_box()["y"] for part in (".sentence", "result-table", "answer-chart", "details.found")]
    assert order == sorted(order)


def test_a_new_question_stands_at_the_top(app):
    for question in ("What is the total revenue per store in 2024?", "How many stores are there?"):
        card = app.ask(question)
    thread = app.page.locator("answer-thread").bounding_box()["y"]
    expect(card).to_be_in_viewport()
    wait_until(lambda: card.locator("h2").bounding_box()["y"] - thread < 120, "the question to be at the top")
    # What stands above grows, as a chart does that comes late: the question stays where it is.
    app.page.locator("answer-card .answer").first.evaluate("answer => { answer.style.minBlockSize = '2000px'; }")
    wait_until(lambda: -20 < card.locator("h2").bounding_box()["y"] - thread < 120, "the question to stay at the top")
    # After the person has scrolled, the page stays where it is.
    app.page.locator("answer-thread").hover()
    app.page.mouse.wheel(0, -5000)
    wait_until(lambda: app.page.locator("answer-thread").evaluate("thread => thread.scrollTop") == 0, "the beginning of the thread")
    app.page.locator("answer-card .answer").first.evaluate("answer => { answer.style.minBlockSize = '3000px'; }")
    app.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert app.page.locator("answer-thread").evaluate("thread => thread.scrollTop") == 0


def test_enter_with_nothing_asks_nothing_and_shift_enter_is_a_line(app):
    app.question.press("Enter")
    expect(app.cards).to_have_count(0)
    app.question.fill("How many")
    app.question.press("Shift+Enter")
    app.question.press_sequentially("stores are there?")
    expect(app.question).to_have_value("How many\nstores are there?")


def test_earlier_questions_come_back_with_the_arrow(person, database):
    role = database.role("arrows")
    app = App(person).log_in(role)
    app.ask("How many stores are there?")
    app.ask("How many products are there?")
    app.page.reload()
    app.question.press("ArrowUp")
    expect(app.question).to_have_value("How many products are there?")
    app.question.press("ArrowUp")
    expect(app.question).to_have_value("How many stores are there?")
    app.question.press("ArrowDown")
    app.question.press("ArrowDown")
    expect(app.question).to_have_value("")


def test_somebody_new_finds_questions_to_begin_with(person, database):
    # Nobody has verified a question about these tables.
    role = database.role("newcomer", member_of=None)
    database.execute(f"GRANT SELECT ON campaigns, inventory TO {role}")
    app = App(person).log_in(role)
    first = app.page.locator(".examples").get_by_role("button", name="How many campaigns are there?")
    question = first.inner_text()
    first.click()
    card = app.ended(app.cards.first)
    expect(card.get_by_role("heading", name=question)).to_be_visible()
    expect(card.locator(".sentence")).to_be_visible()


def test_questions_to_begin_with_run_and_are_not_only_counts(person, database):
    # No curator has verified a question about these tables.
    role = database.role("begins", member_of=None)
    database.execute(f"GRANT SELECT ON returns, shipments, campaigns TO {role}")
    app = App(person).log_in(role)
    offered = app.page.locator(".examples").get_by_role("button")
    expect(offered.nth(3)).to_be_visible()
    assert offered.first.inner_text() == "How many returns are there per month?"
    offered.first.click()
    expect(app.ended(app.cards.first).locator("svg.chart")).to_be_visible()


def test_questions_to_begin_with_are_a_curators_in_the_readers_language(new_person, database):
    curator = database.role("starter", grant="curator")
    database.execute(
        f"""SET ROLE {curator};
            SELECT text2sql.accept('example', text2sql.add_example(question, sql)) FROM (VALUES
                ('Which suppliers do we have?', 'SELECT name FROM suppliers'),
                ('Welche Lieferanten haben wir?', 'SELECT name FROM suppliers ORDER BY 1')) AS e(question, sql)"""
    )
    role = database.role("beginner")
    asker = App(new_person(locale="en-GB")).log_in(role)
    asker.ask("How many stores are there?")
    asker.page.reload()
    asker.new_conversation()
    offered = asker.page.locator(".examples").get_by_role("button")
    expect(offered.first).to_be_visible()
    texts = offered.all_inner_texts()
    # Nobody's last question is offered to anybody.
    assert "How many stores are there?" not in texts
    assert "Which suppliers do we have?" in texts and "Welche Lieferanten haben wir?" not in texts[:1]
    german = new_person(locale="de-DE", storage_state=asker.person.context.storage_state())
    german.page.goto("/")
    expect(german.page.locator(".examples button").first).to_have_text("Welche Lieferanten haben wir?")


def test_a_link_asks_again_with_the_rights_of_the_reader(app, new_person, database):
    app.person.context.grant_permissions(["clipboard-read", "clipboard-write"])
    card = app.ask("How many support tickets are there?")
    sentence = card.locator(".sentence").inner_text()
    card.get_by_role("button", name="Copy link").click()
    expect(card.get_by_role("button", name="Copied")).to_be_visible()
    link = app.page.evaluate("navigator.clipboard.readText()")
    assert link == f"{app.person.url}/#q={quote('How many support tickets are there?')}"
    assert sentence not in link
    # Whoever may read no ticket gets no number.
    reader = App(new_person(locale="en-GB"))
    role = database.role("link_reader", member_of=None)
    database.execute(f"GRANT SELECT ON stores TO {role}")
    reader.log_in(role, path=link)
    card = reader.ended(reader.cards.first)
    expect(card.get_by_role("heading", name="How many support tickets are there?")).to_be_visible()
    expect(card.locator("result-table")).to_have_count(0)
    assert sentence not in card.inner_text()


def test_sql_is_shown_before_it_runs(app):
    app.ways()
    app.page.get_by_label("Show SQL first").check()
    card = app.ask("Which five countries have the most customers?")
    expect(card.get_by_text("Nothing has run yet.")).to_be_visible()
    expect(sql_of(card)).to_contain_text("FETCH FIRST 5 ROWS WITH TIES")
    expect(card.locator("result-table")).to_have_count(0)
    card.get_by_role("button", name="Run it").click()
    expect(card.locator("result-table tbody tr")).to_have_count(5)


def test_steps_are_planned_before_anything_runs(app):
    app.mode("Plan")
    card = app.ask("Which five countries have the most customers?")
    expect(card.get_by_text("Show the first 5 rows, and all further rows that sort equal to the last.")).to_be_visible()
    app.page.get_by_role("button", name="Answer it").click()
    expect(app.cards).to_have_count(2)
    expect(app.ended(app.cards.last).locator("result-table tbody tr")).to_have_count(5)


def test_two_questions_in_one_have_two_answers(app):
    card = app.ask("How many orders were placed in 2025, and which stores are in Graz?")
    expect(card.locator("answer-part")).to_have_count(2)
    expect(card.locator("answer-part").nth(1)).to_contain_text("Graz Hauptplatz")


def test_what_may_be_asked_next_is_a_click(app):
    row = {
        "status": "ok", "answer": "The revenue is 5 EUR.", "sql": "SELECT 5 AS revenue", "engine": "builtin", "confidence": 0.9,
        "result_columns": [{"name": "revenue", "type": "integer"}], "result_rows": [{"revenue": 5}], "row_count": 1,
        "truncated": False, "clarification": {"meaning": {}, "follow_ups": ["by month", "by country"]},
    }
    app.page.route("**/api/v1/ask?*", lambda route: route.fulfill(json=row), times=1)
    card = app.ask("How much did we sell in 2025?")
    follow_ups = card.get_by_role("group", name="Go on with")
    expect(follow_ups.get_by_role("button")).to_have_text(["by month", "by country"])
    follow_ups.get_by_role("button", name="by country").click()
    expect(app.cards.last.get_by_role("heading", name="by country")).to_be_visible()


def test_a_follow_up_continues_the_conversation(app):
    app.ask("How many orders were placed in 2024?")
    card = app.ask("and in 2023?")
    expect(sql_of(card)).to_contain_text("2023")
    expect(card.locator(".sentence")).to_contain_text("2023")


def test_a_part_of_what_is_meant_is_another_with_a_click(app):
    card = app.ask("How many orders were placed in 2024?")
    meaning = card.get_by_role("group", name="What this answers")
    expect(meaning.locator(".chip")).to_have_text(["number of orders", "2024", "+ by …"])
    meaning.locator("summary", has_text="+ by").click()
    meaning.get_by_role("button", name="by month").click()
    changed = app.cards.last
    expect(changed.get_by_role("heading", name="→ by month")).to_be_visible()
    app.ended(changed)
    expect(sql_of(changed)).to_contain_text("date_trunc('month'")
    changed.get_by_role("group", name="What this answers").locator("summary", has_text="2024").click()
    changed.get_by_role("button", name="Leave this out").last.click()
    expect(app.cards).to_have_count(3)
    expect(sql_of(app.ended(app.cards.last))).not_to_contain_text("2024-01-01")
