"""The shape of OpenAI's chat completions, with its official client, and who may use it."""

import httpx
import openai
import pytest

from conftest import basic, token

QUESTION = "How many stores are there per country?"
TITLE = """### Task:
Generate a concise, 3-5 word title with an emoji summarizing the chat history.
### Chat History:
<chat_history>
USER: How many stores are there?
ASSISTANT: 17
</chat_history>"""


def client_of(server, key, **headers):
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key=key, default_headers=headers, max_retries=0)


def said(text):
    return [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]


def history(database):
    return int(database.execute("SELECT count(*) FROM text2sql.history"))


def test_a_completion_is_an_answer(token_server, analyst):
    client = client_of(token_server, token(analyst))
    assert [model.id for model in client.models.list()] == ["text2sql"]
    completion = client.chat.completions.create(model="text2sql", messages=said(QUESTION))
    choice = completion.choices[0]
    assert choice.finish_reason == "stop" and "Germany is highest with 6" in choice.message.content
    assert "| Germany | 6 |" in choice.message.content and "```sql" in choice.message.content
    parts = [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]
    again = client.chat.completions.create(model="text2sql", messages=parts)
    assert "Germany" in again.choices[0].message.content


def test_a_stream_reasons_and_then_answers(token_server, analyst):
    client = client_of(token_server, token(analyst))
    stream = client.chat.completions.create(
        model="text2sql", messages=said(QUESTION), stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    reasoning = "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas)
    content = "".join(delta.content or "" for delta in deltas)
    assert "retrieve" in reasoning and "execute" in reasoning
    assert "Germany is highest with 6" in content
    assert chunks[-1].usage.total_tokens == 0
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"


@pytest.mark.parametrize("stream", [False, True])
def test_prompts_of_front_ends_are_not_asked(token_server, database, analyst, stream):
    client = client_of(token_server, token(analyst))
    before = history(database)
    for prompt in (TITLE, "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history"):
        made = client.chat.completions.create(
            model="text2sql", messages=[{"role": "user", "content": prompt}], stream=stream
        )
        if stream:
            text = "".join(chunk.choices[0].delta.content or "" for chunk in made if chunk.choices)
        else:
            text = made.choices[0].message.content
        assert text in ('{"title":"How many stores are there?"}', '{"tags":[]}')
    assert history(database) == before


def test_a_chat_is_a_conversation(token_server, database, analyst):
    client = client_of(token_server, token(analyst), **{"X-OpenWebUI-Chat-Id": "chat-1"})
    client.chat.completions.create(model="text2sql", messages=said(QUESTION))
    client.chat.completions.create(model="text2sql", messages=said("And in Germany only?"))
    turns = database.execute(
        f"SELECT count(*) FROM text2sql.history WHERE asked_by = '{analyst}' AND conversation = 'chat-1'"
    )
    assert turns == "2"


def test_only_a_verified_token_says_who_asks(token_server, server, database, analyst, hr):
    before = history(database)
    body = {"model": "text2sql", "messages": said(QUESTION)}
    url = f"{token_server.url}/v1/chat/completions"
    claims = [
        {},
        {"Authorization": basic(analyst)},
        {"Authorization": "Bearer sk-a-key-that-all-users-share"},
        {"Authorization": f"Bearer {token(analyst, exp=1)}"},
        {"Authorization": f"Bearer {token('postgres')}"},
        {"X-OpenWebUI-User-Email": analyst, "X-OpenWebUI-User-Role": "admin"},
    ]
    for headers in claims:
        answer = httpx.post(url, json=body, headers=headers)
        assert answer.status_code in (401, 403), headers
        assert answer.json()["error"]["message"], headers
        assert httpx.get(f"{token_server.url}/v1/models", headers=headers).status_code in (401, 403)
    # What is said beside a token changes nothing.
    headers = {"Authorization": f"Bearer {token(hr)}", "X-OpenWebUI-User-Email": analyst, "X-OpenWebUI-User-Role": "admin"}
    answer = httpx.post(url, json=body | {"messages": said("How many customers are there?")}, headers=headers)
    assert answer.status_code == 200 and "status: ok" not in answer.text
    assert database.execute("SELECT asked_by FROM text2sql.history ORDER BY asked_at DESC LIMIT 1") == hr
    assert history(database) == before + 1
    # It is off unless it was configured.
    off = httpx.post(f"{server.url}/v1/chat/completions", json=body, headers={"Authorization": basic(analyst)})
    assert off.status_code in (404, 405)


def test_what_is_no_question_is_an_error_of_the_api(token_server, analyst):
    client = client_of(token_server, token(analyst))
    for messages in ([], [{"role": "assistant", "content": "x"}], [{"role": "user", "content": " "}]):
        with pytest.raises(openai.BadRequestError):
            client.chat.completions.create(model="text2sql", messages=messages)
    image = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://127.0.0.1/x"}}]}]
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model="text2sql", messages=image)
