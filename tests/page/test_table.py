"""The rows of an answer."""

from playwright.sync_api import expect
from support.app import column

NUMBERS = "SELECT i AS n, 'row ' || i AS t FROM generate_series(1, 40) AS i"


def test_every_digit_is_there(app):
    card = app.run(
        """SELECT 9223372036854775807::bigint AS a, 12345678901234567890.120::numeric AS b, 1.10::numeric AS c,
                  'NaN'::numeric AS d, DATE '0044-03-15 BC' AS e, 0.1::float8 + 0.2::float8 AS f"""
    )
    cells = card.locator("result-table tbody td")
    assert cells.all_inner_texts() == [
        "9,223,372,036,854,775,807", "12,345,678,901,234,567,890.12", "1.10", "NaN", "0044-03-15 BC", "0.30",
    ]
    # As the database has it: in the tip.
    raw = ["9223372036854775807", "12345678901234567890.120", None, None, None, "0.30000000000000004"]
    assert [cell.get_attribute("title") for cell in cells.all()] == raw


def test_values_are_written_as_people_write_them(app):
    card = app.run(
        """SELECT DATE '2025-03-01' AS sales_month, 6173932.09::numeric AS net_sales, 2025 AS sales_year, 1234 AS store_id,
                  12.5::numeric AS return_pct, TIMESTAMP '2025-03-02 14:05:00' AS ordered_at"""
    )
    assert card.locator("result-table th").all_inner_texts() == [
        "Sales month", "Net sales", "Sales year", "Store ID", "Return pct", "Ordered at",
    ]
    assert card.locator("result-table tbody td").all_inner_texts() == [
        "Mar 2025", "6,173,932.09", "2025", "1234", "12.50 %", "2 Mar 2025, 14:05",
    ]
    expect(card.locator("result-table th button").nth(1)).to_have_attribute("title", "net_sales (numeric)")
    app.page.get_by_role("banner").get_by_label("Language").select_option("de")
    expect(card.locator("result-table tbody td").first).to_have_text("März 2025")
    assert card.locator("result-table tbody td").all_inner_texts()[1:2] == ["6.173.932,09"]


def test_an_amount_has_its_currency_in_the_heading(app):
    card = app.ask("What is the total revenue per store in 2024?")
    expect(card.locator("result-table th").nth(1)).to_contain_text(", EUR")


def test_no_value_is_told_from_an_empty_text(app):
    card = app.run("SELECT NULL::text AS a, '' AS b, 'NULL' AS c, ' ' AS d, false AS e")
    assert card.locator("result-table tbody td").all_inner_texts() == ["no value", "empty", "NULL", " ", "no"]
    expect(card.locator("td .absent")).to_have_count(2)


def test_columns_are_sorted_by_value_and_back_again(app):
    card = app.run("SELECT * FROM (VALUES (10, 'b'), (9, NULL), (NULL, 'a'), (-1, 'ä')) AS v(n, t)")
    heading = card.get_by_role("columnheader", name="n")
    assert column(card, 1) == ["10", "9", "no value", "-1"]
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    assert column(card, 1) == ["-1", "9", "10", "no value"]
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    assert column(card, 1) == ["10", "9", "-1", "no value"]
    heading.get_by_role("button").click()
    assert column(card, 1) == ["10", "9", "no value", "-1"]
    card.get_by_role("columnheader", name="t").get_by_role("button").click()
    assert column(card, 2) == ["a", "ä", "b", "no value"]


def test_long_results_have_pages(app):
    card = app.run(NUMBERS)
    table = card.locator("result-table")
    expect(table.locator(".range")).to_have_text("1 to 10 of 40")
    expect(table.get_by_role("button", name="Previous page")).to_be_disabled()
    table.get_by_role("button", name="Next page").click()
    assert column(card, 1) == [str(n) for n in range(11, 21)]
    table.get_by_label("Rows per page").select_option("25")
    assert len(column(card, 1)) == 25
    table.get_by_role("button", name="Next page").click()
    assert column(card, 1) == [str(n) for n in range(26, 41)]
    expect(table.get_by_role("button", name="Next page")).to_be_disabled()


def test_sorting_is_over_all_pages(app):
    card = app.run(NUMBERS)
    heading = card.get_by_role("columnheader", name="n").get_by_role("button")
    heading.click()
    heading.click()
    assert column(card, 1)[0] == "40"


def test_a_cut_result_says_so(app):
    card = app.run("SELECT i FROM generate_series(1, 1001) AS i")
    expect(card.get_by_text("These are the first 1,000 rows of more.")).to_be_visible()


def test_an_empty_result_says_why(app):
    card = app.run("SELECT name FROM stores WHERE name = 'Atlantis'")
    expect(card.get_by_text("No rows.")).to_be_visible()
    card.get_by_role("button", name="Why is it empty?").click()
    expect(card.locator(".why .note")).to_contain_text("Atlantis")
