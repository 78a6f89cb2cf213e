"""The chart of a result: by rule, with a switch, and never instead of the table."""

from playwright.sync_api import expect
from support.app import column


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
        card.get_by_role("button", name="Chart as SVG").click()
    assert download.value.suggested_filename == "What-is-the-total-revenue-per-store-in-2024.svg"
    text = download.value.path().read_text()
    assert text.startswith("<svg") and "Berlin Prenzlauer Berg" in text


def test_a_chart_is_described_for_who_cannot_see_it(app):
    card = app.ask("What is the total revenue per store in 2024?")
    svg = card.locator("answer-chart svg.chart")
    expect(svg).to_have_attribute("role", "img")
    assert svg.locator("title").first.text_content()
    assert svg.locator("desc").first.text_content()
