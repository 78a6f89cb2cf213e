"""LangChain: `create_sql_query_chain` over `SQLDatabase`, with its own prompt for PostgreSQL and all tables."""

from langchain_classic.chains import create_sql_query_chain
from langchain_community.utilities import SQLDatabase
from langchain_openai import ChatOpenAI

from .database_url import database_url
from .written_sql import written_sql


class LangChain:
    package = "langchain-classic"

    def __init__(self, database, base_url, model, timeout):
        self.database = SQLDatabase.from_uri(database_url(database))
        llm = ChatOpenAI(model=model, base_url=base_url, api_key="none", temperature=0, timeout=timeout, max_retries=0)
        self.chain = create_sql_query_chain(llm, self.database)

    def ask(self, question):
        return written_sql(self.chain.invoke({"question": question}))

    def close(self):
        self.database._engine.dispose()
