"""The page as its users see it. Every name and selector that several tests need is here, and nowhere else."""

from playwright.sync_api import expect

from .database import PASSWORD


class App:
    """The page in the browser of a person."""

    def __init__(self, person):
        self.person = person
        self.page = person.page

    def open(self, path="/"):
        self.page.goto(path)
        return self

    def log_in(self, role, password=PASSWORD, path="/"):
        """Opens the page and logs in. Returns when the page is there."""
        self.try_to_log_in(role, password, path)
        expect(self.page.get_by_role("button", name=role)).to_be_visible()
        return self

    def try_to_log_in(self, role, password=PASSWORD, path="/"):
        self.open(path)
        self.page.get_by_label("User name").fill(role)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Log in").click()

    @property
    def question(self):
        """The box for the question."""
        return self.page.get_by_role("textbox", name="Your question")

    @property
    def stop(self):
        """The round button of the box while a question runs."""
        return self.page.get_by_role("button", name="Stop", exact=True)

    @property
    def cards(self):
        return self.page.locator("answer-card")

    def begin(self, question):
        """Asks, and returns the card of the question, which may still run."""
        at = self.cards.count()
        self.question.fill(question)
        self.question.press("Enter")
        card = self.cards.nth(at)
        expect(card.get_by_role("heading", name=question, exact=True)).to_be_visible()
        return card

    def ask(self, question):
        """Asks, and returns the card when the question has ended."""
        return self.ended(self.begin(question))

    def ended(self, card):
        """The card, when its question has ended and something is shown."""
        expect(card.locator(".answer > *").first).to_be_attached()
        expect(card.locator("article")).to_be_visible()
        expect(self.page.locator("answer-card[aria-busy]")).to_have_count(0)
        return card

    def ways(self):
        """Opens what can be done beside asking."""
        fold = self.page.locator("details.ways")
        if not fold.evaluate("fold => fold.open"):
            fold.locator("summary").click()

    def mode(self, name):
        self.ways()
        self.page.get_by_role("radiogroup", name="What to do").get_by_role("radio", name=name).check()

    def explain(self, sql):
        """Explains SQL in the explainer mode, and returns its card."""
        self.mode("Explain SQL")
        at = self.cards.count()
        box = self.page.get_by_role("textbox", name="SQL to explain")
        box.fill(sql)
        box.press("Enter")
        return self.cards.nth(at)

    def run(self, sql):
        """Runs SQL as the explainer mode offers it, and returns its card when the rows are there."""
        card = self.explain(sql)
        card.get_by_role("button", name="Run", exact=True).click()
        expect(card.get_by_text("Result of this SQL")).to_be_visible()
        return card

    def panel(self, tab):
        """Opens a tab of the panel at the right, and returns the panel."""
        panel = self.page.get_by_role("complementary", name="Tables, terms and more")
        if not panel.is_visible():
            self.page.get_by_role("button", name="Tables, terms and more").click()
        panel.get_by_role("tab", name=tab).click()
        expect(panel.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
        return panel

    def who(self):
        """Opens "Who am I?"."""
        self.page.get_by_role("button", name="Who am I?").click()
        return self.page.get_by_role("dialog", name="Who am I?")

    def administration(self, section):
        """Opens a section of the administration, and returns what it shows."""
        dialog = self.page.get_by_role("dialog", name="Administration")
        if not dialog.is_visible():
            self.who().get_by_role("button", name="Administration").click()
        dialog.get_by_role("tab", name=section).click()
        return dialog.get_by_role("tabpanel", name=section)

    def new_conversation(self):
        self.page.get_by_role("button", name="New question").click()
        expect(self.cards).to_have_count(0)


def column(card, number):
    """The texts of a column of the first result table of a card, from 1."""
    return card.locator("result-table").first.locator(f"tbody td:nth-child({number})").all_inner_texts()


def found(card, tab="SQL"):
    """Opens "How was this found?" of a card on a tab, and returns the card."""
    fold = card.locator("details.found").first
    if fold.count() and not fold.evaluate("fold => fold.open"):
        fold.locator("summary").first.click()
    chosen = card.get_by_role("tab", name=tab, exact=True).first
    if chosen.get_attribute("aria-selected") == "false":
        chosen.click()
    return card


def steps_of(card):
    """The steps of a question that has ended, which are behind "How was this found?" or "What was tried?"."""
    fold = card.locator("details.found").first
    if not fold.evaluate("fold => fold.open"):
        fold.locator("summary").first.click()
    return card.locator("question-steps")


def sql_of(card):
    """The SQL that a card shows."""
    found(card)
    return card.locator("sql-editor .sql-text").first


def pinned(entry):
    """The same entry of a list of things that wait, however its text changes."""
    expect(entry).to_have_count(1)
    section = entry.evaluate("item => item.closest('section').dataset.section")
    return entry.page.locator(f"[data-section={section}] .item-card[data-id='{entry.get_attribute('data-id')}']")
