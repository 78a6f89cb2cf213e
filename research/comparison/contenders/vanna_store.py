"""Vanna: its prompt and reading of replies, trained with the definition of every table.

Vanna's usual store needs a model of vectors, which it fetches from the network. Here the definitions are found by the
words that they share with the question, ten of them as in its store: of a database with at most ten tables all are shown.
"""

import contextlib
import io
import re

from openai import OpenAI
from vanna.base import VannaBase
from vanna.openai import OpenAI_Chat

from definitions import definitions

from .written_sql import written_sql

MOST_TABLES = 10


class WordStore(VannaBase):
    """Keeps definitions in memory."""

    def __init__(self, config=None):
        VannaBase.__init__(self, config=config)
        self.definitions = []

    def add_ddl(self, ddl, **_):
        self.definitions.append(ddl)
        return str(len(self.definitions))

    def get_related_ddl(self, question, **_):
        def words(text):
            return set(re.findall(r"[a-z0-9]+", text.lower().replace("_", " ")))

        asked = words(question)
        return sorted(self.definitions, key=lambda ddl: -len(asked & words(ddl)))[:MOST_TABLES]

    def get_similar_question_sql(self, question, **_):
        return []

    def get_related_documentation(self, question, **_):
        return []

    def add_documentation(self, documentation, **_):
        raise NotImplementedError

    def add_question_sql(self, question, sql, **_):
        raise NotImplementedError

    def generate_embedding(self, data, **_):
        raise NotImplementedError

    def get_training_data(self, **_):
        raise NotImplementedError

    def remove_training_data(self, id, **_):
        raise NotImplementedError


class Trained(WordStore, OpenAI_Chat):
    def __init__(self, client, config):
        WordStore.__init__(self, config=config)
        OpenAI_Chat.__init__(self, client=client, config=config)


class Vanna:
    package = "vanna"

    def __init__(self, database, base_url, model, timeout):
        client = OpenAI(base_url=base_url, api_key="none", timeout=timeout, max_retries=0)
        self.vanna = Trained(client, {"model": model, "temperature": 0, "dialect": "PostgreSQL"})
        for definition in definitions(database):
            self.vanna.add_ddl(definition)

    def ask(self, question):
        # It prints what it does.
        with contextlib.redirect_stdout(io.StringIO()):
            return written_sql(self.vanna.generate_sql(question))

    def close(self):
        pass
