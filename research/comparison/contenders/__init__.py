"""The programs that are compared: each has `ask(question)`, which returns its SQL or None, and `close()`."""

from .langchain_chain import LangChain
from .llama_index_engine import LlamaIndex
from .text2sql_ask import Text2Sql
from .vanna_store import Vanna

CONTENDERS = {"pg_text2sql": Text2Sql, "langchain": LangChain, "llamaindex": LlamaIndex, "vanna": Vanna}
