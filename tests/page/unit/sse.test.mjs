import assert from 'node:assert/strict';
import test from 'node:test';
import { EventParser, events } from '../../../crates/text2sql_server/page/lib/sse.js';

const stream = 'retry: 3000\n\n: hello\n\nevent: step\ndata: {"a":\ndata:  1}\n\nevent: answer\r\ndata: {"ü": "x"}\r\n\r\n';
const expected = [
  { name: 'comment', data: 'hello' },
  { name: 'step', data: '{"a":\n 1}' },
  { name: 'answer', data: '{"ü": "x"}' },
];

test('a whole stream', () => assert.deepEqual(new EventParser().push(stream), expected));

test('the same, cut anywhere', () => {
  for (let size = 1; size < 9; size++) {
    const parser = new EventParser();
    const found = [];
    for (let at = 0; at < stream.length; at += size) found.push(...parser.push(stream.slice(at, at + size)));
    assert.deepEqual(found, expected, `pieces of ${size}`);
  }
});

test('an event that is not complete is none', () => assert.deepEqual(new EventParser().push('event: answer\ndata: {'), []));

test('letters that are cut in two bytes', async () => {
  const bytes = new TextEncoder().encode(stream);
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  const found = [];
  for await (const event of events({ body })) found.push(event);
  assert.deepEqual(found, expected);
});
