import assert from 'node:assert/strict';
import test from 'node:test';
import { compareDecimalKeys, decimalKey, Exact, parseJson, parseWithMarks, toJson } from '../../../crates/text2sql_server/page/lib/numbers.js';

const text = '{"big": 9223372036854775807, "price": 1.10, "one": 1, "minus": -0, "small": 1e-40, "s": "1.10 \\" 2.0", "list": [0.1, 12345678901234567890.5], "deep": {"n": 3.00}, "none": null}';

for (const [name, parse] of [['the source of a number', parseJson], ['marks', parseWithMarks]]) {
  test(`every digit is kept, by ${name}`, () => {
    const value = parse(text);
    assert.equal(String(value.big), '9223372036854775807');
    assert.equal(String(value.price), '1.10');
    assert.equal(value.one, 1);
    assert.equal(String(value.minus), '-0');
    assert.equal(String(value.small), '1e-40');
    assert.equal(value.s, '1.10 " 2.0');
    assert.equal(String(value.list[1]), '12345678901234567890.5');
    assert.equal(String(value.deep.n), '3.00');
    assert.equal(value.none, null);
  });

  test(`what is written is what was read, by ${name}`, () => {
    const compact = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
    assert.equal(toJson(parse(text)), compact.replace('1e-40', '1e-40'));
  });
}

test('indented JSON', () => {
  assert.equal(toJson({ a: [new Exact('1.0')], b: {} }, '  '), '{\n  "a": [\n    1.0\n  ],\n  "b": {}\n}');
});

const order = ['-Infinity', '-1e3', '-999.5', '-999.49', '-0.001', '0', '0.0000001', '0.5', '0.50001', '1', '1.1', '9', '10', '99.99', '100',
  '9223372036854775806', '9223372036854775807', '9223372036854775807.5', '1e30', 'Infinity', 'NaN'];

test('numbers of any length are compared', () => {
  const shuffled = [...order].sort((a, b) => (a < b ? -1 : 1));
  shuffled.sort((a, b) => compareDecimalKeys(decimalKey(a), decimalKey(b)));
  assert.deepEqual(shuffled, order);
});

test('zeros do not count', () => {
  for (const [a, b] of [['1', '1.000'], ['0', '-0.0'], ['007', '7'], ['1e2', '100'], ['0.10', '.1'], ['12e-1', '1.2']]) {
    assert.equal(compareDecimalKeys(decimalKey(a), decimalKey(b)), 0, `${a} and ${b}`);
  }
});

test('what is no number has no key', () => assert.equal(decimalKey('1 day'), null));
