"""The programs that are compared: each has `ask(question)`, which returns its SQL or None, and `close()`."""

import importlib

# Each is loaded when it is asked, so that one can be measured without the packages of the others.
CONTENDERS = {
    "plain prompt": ("plain_prompt", "PlainPrompt"),
    "pg_text2sql": ("text2sql_ask", "Text2Sql"),
    "pg_text2sql, builtin first": ("text2sql_ask", "BuiltinFirst"),
    "langchain": ("langchain_chain", "LangChain"),
    "llamaindex": ("llama_index_engine", "LlamaIndex"),
    "vanna": ("vanna_store", "Vanna"),
}


def contender(name):
    module, of = CONTENDERS[name]
    return getattr(importlib.import_module(f".{module}", __package__), of)
