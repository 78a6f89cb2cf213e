"""The chart of a result: by rule, with a switch, and never instead of the table."""

import re

from playwright.sync_api import expect
from support.app import App, column


def test_names_with_a_number_are_bars_and_can_be_points(app):
    card = app.ask("What is the total revenue per store in 2024?")
    chart = card.locator("answer-chart")
    expect(chart.locator("svg.chart rect").first).to_be_attached()
    expect(chart.get_by_text("Bars, because")).to_be_visible()
    expect(chart.get_by_role("radio", name="Bars")).to_be_checked()
    chart.get_by_role("radio", name="Points").check()
    expect(chart.locator("svg.chart circle").first).to_be_attached()
    expect(chart.get_by_role("radio", name="Points")).to_be_focused()
    assert len(column(card, 1)) == 10


def test_time_is_a_line(app):
    card = app.ask("How many orders were placed per month in 2024?")
    expect(card.locator("answer-chart svg.chart polyline").first).to_be_attached()


def test_where_no_chart_fits_there_is_none(app):
    card = app.ask("How many stores are there?")
    expect(card.locator("answer-chart svg")).to_have_count(0)
    card = app.ask("What is the salary of each employee?")
    expect(card.locator("answer-chart")).to_have_count(0)


def test_a_chart_is_saved_as_a_file(app):
    card = app.ask("What is the total revenue per store in 2024?")
    with app.page.expect_download() as download:
        card.get_by_role("button", name="SVG").click()
    assert download.value.suggested_filename == "What-is-the-total-revenue-per-store-in-2024.svg"
    text = download.value.path().read_text()
    assert text.startswith("<svg") and "Berlin Prenzlauer Berg" in text


def test_a_chart_is_a_picture_for_slides(app):
    app.person.context.grant_permissions(["clipboard-read", "clipboard-write"])
    card = app.ask("What is the total revenue per store in 2024?")
    with app.page.expect_download() as download:
        card.get_by_role("button", name="PNG").click()
    assert download.value.suggested_filename == "What-is-the-total-revenue-per-store-in-2024.png"
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    tools = card.locator(".chart-tools")
    tools.get_by_role("button", name="Copy").click()
    expect(tools.get_by_role("button", name="Copied")).to_be_visible()
    kinds = app.page.evaluate("navigator.clipboard.read().then(items => items.flatMap(item => item.types))")
    assert kinds == ["image/png"]


def test_a_bar_is_pressed_to_ask_for_it_alone(app):
    card = app.ask("What is the total revenue per store in 2024?")
    bar = card.get_by_role("button", name="Only Zürich Niederdorf: ")
    expect(bar).to_have_count(1)
    bar.focus()
    bar.press("Enter")
    expect(app.cards).to_have_count(2)
    only = app.ended(app.cards.last)
    expect(only.get_by_role("heading", name="only Zürich Niederdorf")).to_be_visible()
    expect(only.locator("result-table tbody tr")).to_have_count(1)
    card = app.ask("Wie hoch ist der Umsatz 2024 pro Filiale?")
    card.locator("svg.chart text", has_text="Graz Hauptplatz").click()
    expect(app.cards.last.get_by_role("heading", name="nur Graz Hauptplatz")).to_be_visible()


def test_a_chart_is_described_for_who_cannot_see_it(app):
    card = app.ask("What is the total revenue per store in 2024?")
    svg = card.locator("answer-chart svg.chart")
    expect(svg).to_have_attribute("role", re.compile("img|group"))
    assert svg.locator("title").first.text_content()
    assert svg.locator("desc").first.text_content()


def sent_charts(app, column):
    """The names in the column of each chart that is asked for, in their order; a list that grows."""
    sent = []

    def note(request):
        if request.url.endswith("/chart"):
            sent.append([row[column] for row in request.post_data_json["result_rows"]])

    app.page.on("request", note)
    return sent


def test_bars_stand_by_size_and_follow_the_table_when_it_is_sorted(app):
    sent = sent_charts(app, "City")
    card = app.run("SELECT * FROM (VALUES ('Aachen', 3), ('Bonn', 9), ('Celle', 5)) AS v(city, orders) ORDER BY city")
    expect(card.locator("svg.chart")).to_be_visible()
    assert sent[-1] == ["Bonn", "Celle", "Aachen"]
    with app.page.expect_response("**/chart"):
        card.get_by_role("columnheader", name="City").get_by_role("button").click()
    assert sent[-1] == ["Aachen", "Bonn", "Celle"]


def test_an_answer_and_its_bars_have_one_order(app):
    sent = sent_charts(app, "Store")
    card = app.ask("What is the total revenue per store in 2024?")
    expect(card.locator("svg.chart")).to_be_visible()
    assert sent[-1][:10] == column(card, 1)
    assert sent[-1][0] == "München Sendlinger Tor"
    revenue = card.get_by_role("columnheader", name="Revenue")
    expect(revenue).to_have_attribute("aria-sort", "descending")
    # As the query has it: by name.
    with app.page.expect_response("**/chart"):
        revenue.get_by_role("button").click()
    expect(revenue).to_have_attribute("aria-sort", "none")
    assert column(card, 1)[0] == "Berlin Prenzlauer Berg" == sent[-1][0]


def test_an_order_that_means_something_stays(app):
    sent = sent_charts(app, "Month")
    card = app.run("SELECT * FROM (VALUES ('January', 3), ('February', 9), ('March', 5)) AS v(month, orders)")
    expect(card.locator("svg.chart")).to_be_visible()
    assert sent[-1] == ["January", "February", "March"]


def test_parts_of_a_whole_are_stacked(app):
    # A swatch of the legend is none.
    card = app.run("SELECT o.status, c.country_code, count(*) AS orders FROM orders o JOIN customers c USING (customer_id) "
                   "WHERE c.country_code IN ('AT', 'DE', 'CH') GROUP BY 1, 2")
    card.locator("answer-chart").get_by_role("radio", name="Stacked bars").check()
    expect(card.locator("answer-chart input[value=stacked_bar]")).to_be_checked()
    bars = card.locator("svg.chart rect[class^=chart-series]")
    # The parts of a row stand one behind the other.
    rows = bars.evaluate_all("bars => new Set(bars.map(bar => bar.getAttribute('y'))).size")
    assert rows < bars.count()
    average = app.run("SELECT o.status, c.country_code, avg(o.revenue) AS average FROM orders o JOIN customers c USING (customer_id) "
                      "WHERE c.country_code IN ('AT', 'DE', 'CH') GROUP BY 1, 2")
    expect(average.locator("answer-chart").get_by_text("Grouped bars").first).to_be_visible()
    expect(average.locator("answer-chart").get_by_text("Stacked bars")).to_have_count(0)


def test_on_a_phone_the_chart_comes_before_the_table(new_person, analysts_session):
    app = App(new_person(locale="en-GB", viewport={"width": 390, "height": 844}, storage_state=analysts_session)).open()
    card = app.ask("What is the total revenue per store in 2024?")
    expect(card.locator("svg.chart")).to_be_visible()
    assert card.locator("answer-chart").bounding_box()["y"] < card.locator("result-table").bounding_box()["y"]


def test_on_a_phone_a_long_sentence_leaves_room_for_the_chart(new_person, analysts_session):
    app = App(new_person(locale="en-GB", viewport={"width": 390, "height": 844}, storage_state=analysts_session)).open()
    card = app.ask("Top 10 products by revenue in 2025")
    sentence = card.locator(".sentence")
    expect(card.locator("svg.chart")).to_be_visible()
    short = sentence.bounding_box()["height"]
    card.get_by_role("button", name="Read on").click()
    assert sentence.bounding_box()["height"] > short
    expect(card.get_by_role("button", name="Read on")).to_have_count(0)
