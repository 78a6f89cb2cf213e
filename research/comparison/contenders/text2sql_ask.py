"""pg_text2sql: `text2sql.ask`, with its checks and repairs, without the sentence that the others do not write either."""

import json

import psycopg2

SERVER = "comparison_endpoint"


class Text2Sql:
    package = None
    models = SERVER
    # A file that the server reads itself, instead of the endpoint.
    model_file = None

    def __init__(self, database, base_url, model, timeout):
        self.connection = psycopg2.connect(dbname=database)
        self.connection.autocommit = True
        with self.connection.cursor() as cursor:
            self._drop(cursor)
            if self.model_file:
                cursor.execute("SELECT text2sql.add_model(%s, 'local', model_file => %s)", (SERVER, self.model_file))
            else:
                options = {"allow_private": "true", "allow_http": "true"}
                cursor.execute(
                    "SELECT text2sql.add_model(%s, 'openai', %s, %s, options => %s)",
                    (SERVER, base_url, model, json.dumps(options)),
                )
            cursor.execute(f"SET text2sql.model = '{self.models}'")

    def ask(self, question):
        with self.connection.cursor() as cursor:
            cursor.execute(
                "SELECT status, sql FROM text2sql.ask(%s, options => %s)",
                (question, json.dumps({"without": ["narrate"]})),
            )
            status, sql = cursor.fetchone()
            return sql if status == "ok" else None

    def close(self):
        with self.connection.cursor() as cursor:
            self._drop(cursor)
        self.connection.close()

    def _drop(self, cursor):
        cursor.execute("SELECT 1 FROM text2sql.models WHERE model = %s", (SERVER,))
        if cursor.fetchone():
            cursor.execute("SELECT text2sql.forget('model', %s)", (SERVER,))


class BuiltinFirst(Text2Sql):
    """The model is asked what the built-in engine declines."""

    models = f"builtin, {SERVER}"
