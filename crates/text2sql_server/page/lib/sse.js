// Server-sent events over fetch: EventSource can neither POST nor say who asks.

/** Splits a stream of text into events. `push` takes a piece and returns the events that it completes. */
export class EventParser {
  #rest = '';
  #name = '';
  #data = [];

  push(text) {
    const events = [];
    // A carriage return at the end may be half of a line end.
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (this.#data.length) events.push({ name: this.#name || 'message', data: this.#data.join('\n') });
        this.#name = '';
        this.#data = [];
      } else if (line.startsWith(':')) {
        events.push({ name: 'comment', data: line.slice(1).trim() });
      } else {
        const colon = line.indexOf(':');
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === 'event') this.#name = value;
        else if (field === 'data') this.#data.push(value);
      }
    }
    return events;
  }
}

/** The events of a response, as they come. Heartbeats are events named "comment". */
export async function* events(response) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parser = new EventParser();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
