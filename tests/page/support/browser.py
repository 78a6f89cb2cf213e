"""A person at a browser: a page whose faults fail the test."""

import os
import re
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT

from .waiting import PATIENCE

# Chromium writes this for every response that is an error, which tests of errors provoke all the time. Faults of the
# server (5xx) are not among them.
EXPECTED = [r"Failed to load resource: the server responded with a status of (4\d\d)"]


def launch(playwright):
    """Debian's Chromium. Root may not use its sandbox."""
    return playwright.chromium.launch(
        executable_path=os.environ["TEXT2SQL_CHROMIUM"],
        args=["--no-sandbox", "--disable-dev-shm-usage"] if os.geteuid() == 0 else ["--disable-dev-shm-usage"],
    )


class Person:
    """A browser of its own: cookies are not shared with other persons of a test. `options` are those of a context
    of Playwright: `color_scheme`, `locale`, `viewport`, `java_script_enabled` …"""

    def __init__(self, browser, url, allowed=(), **options):
        self.context = browser.new_context(base_url=url, **options)
        self.context.set_default_timeout(PATIENCE * 1000)
        self.context.set_default_navigation_timeout(PATIENCE * 1000)
        self.url = url
        self.allowed = [re.compile(pattern) for pattern in (*EXPECTED, *allowed)]
        self.faults = []
        self.requests = []
        self.page = self.context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self._fault(f"error of a script: {error}"))
        # A dialog would mean that text became a script.
        self.page.on("dialog", self._dialog)
        self.context.on("request", self._request)

    def _fault(self, text):
        if not any(pattern.search(text) for pattern in self.allowed):
            self.faults.append(text)

    def _console(self, message):
        # Violations of the content security policy are messages, too.
        if message.type in ("error", "warning"):
            self._fault(f"{message.type} in the console: {message.text}")

    def _dialog(self, dialog):
        self._fault(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request):
        self.requests.append(request.url)
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.netloc != urlsplit(self.url).netloc:
            self.faults.append(f"request to another host: {request.url}")

    def check(self):
        """Fails if anything went wrong in this browser so far."""
        assert not self.faults, "\n".join(self.faults)

    def close(self):
        self.context.close()

    def accessibility_problems(self, rules=None):
        """What axe finds serious or critical, as lines; with `rules`, by these rules only."""
        page = self.page
        # Colours that are still changing have no contrast to measure.
        page.evaluate("Promise.all(document.getAnimations().map(a => a.finished.catch(() => {})))")
        # Not as a script element, which the content security policy refuses.
        page.evaluate(AXE_SCRIPT)
        options = {"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {})
        found = page.evaluate("options => axe.run(document, options)", options)
        return [
            f"{violation['id']} ({violation['impact']}): {violation['help']}: {node['html'][:200]}"
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]

    def scrolls_sideways(self):
        """By how many pixels the page is wider than the screen."""
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
