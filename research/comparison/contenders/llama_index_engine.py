"""LlamaIndex: `NLSQLTableQueryEngine` over `SQLDatabase`, with its own prompt and all tables; it only writes SQL."""

from llama_index.core.indices.struct_store.sql_query import NLSQLTableQueryEngine
from llama_index.core.utilities.sql_wrapper import SQLDatabase
from llama_index.llms.openai_like import OpenAILike
from sqlalchemy import create_engine

from .database_url import database_url
from .written_sql import written_sql


class LlamaIndex:
    package = "llama-index-core"

    def __init__(self, database, base_url, model, timeout):
        self.engine = create_engine(database_url(database))
        tables = SQLDatabase(self.engine)
        llm = OpenAILike(
            model=model, api_base=base_url, api_key="none", is_chat_model=True, temperature=0, timeout=timeout, max_retries=0,
            context_window=128_000,
        )
        # Without rows to embed it needs no model of vectors.
        self.query_engine = NLSQLTableQueryEngine(
            sql_database=tables, tables=list(tables.get_usable_table_names()), llm=llm, embed_model="mock",
            synthesize_response=False, sql_only=True,
        )

    def ask(self, question):
        reply = self.query_engine.query(question)
        return written_sql((reply.metadata or {}).get("sql_query") or str(reply))

    def close(self):
        self.engine.dispose()
