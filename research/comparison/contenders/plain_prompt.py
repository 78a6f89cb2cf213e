"""No program: the tables, the question and "SQL only", as one writes it by hand. What every other one is measured by."""

import json
import urllib.request

from definitions import definitions

from .written_sql import written_sql


class PlainPrompt:
    package = None

    def __init__(self, database, base_url, model, timeout):
        self.url, self.model, self.timeout = f"{base_url}/chat/completions", model, timeout
        self.tables = "\n".join(definitions(database))

    def ask(self, question):
        text = f"{self.tables}\n\nWrite a PostgreSQL query that answers this question. Reply with SQL only.\n\n{question}"
        body = {"model": self.model, "temperature": 0, "messages": [{"role": "user", "content": text}]}
        request = urllib.request.Request(
            self.url, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=self.timeout) as reply:
            return written_sql(json.load(reply)["choices"][0]["message"]["content"])

    def close(self):
        pass
