import assert from 'node:assert/strict';
import test from 'node:test';
import { parseJson } from '../../../crates/text2sql_server/page/lib/numbers.js';
import { keysOf, kindOf, sortedOrder, textOf } from '../../../crates/text2sql_server/page/lib/values.js';

const sorted = (values, kind, descending = false) => sortedOrder(values, kind, descending, 'en').map(at => values[at]);

test('kinds of columns', () => {
  assert.equal(kindOf('bigint'), 'number');
  assert.equal(kindOf('numeric(10,2)'), 'number');
  assert.equal(kindOf('integer[]'), 'array');
  assert.equal(kindOf('timestamp with time zone'), 'time');
  assert.equal(kindOf('jsonb'), 'json');
  assert.equal(kindOf('sales_channel'), 'text');
});

test('a repeated name has a suffix', () => {
  const columns = [{ name: 'a' }, { name: 'a' }, { name: 'a_2' }, { name: 'a' }];
  assert.deepEqual(keysOf([{ name: 'a' }, { name: 'a' }], [{ a: 1, a_2: 2 }]), ['a', 'a_2']);
  assert.deepEqual(keysOf(columns, [{ a: 1, a_3: 2, a_2: 3, a_4: 4 }]), ['a', 'a_3', 'a_2', 'a_4']);
});

test('NULL is not the empty text', () => {
  assert.equal(textOf(null, 'text'), null);
  assert.equal(textOf('', 'text'), '');
});

test('texts of values', () => {
  const row = parseJson('{"n": 1.10, "a": [1, null, 2.50], "j": {"x": "y"}, "t": "2025-01-02T03:04:05", "s": "a T b"}');
  assert.equal(textOf(row.n, 'number'), '1.10');
  assert.equal(textOf(row.a, 'array'), '[1,null,2.50]');
  assert.equal(textOf(row.j, 'json'), '{"x":"y"}');
  assert.equal(textOf(row.t, 'time'), '2025-01-02 03:04:05');
  assert.equal(textOf('plain', 'json'), '"plain"');
});

test('numbers are sorted as numbers, NULL last in both directions', () => {
  const values = parseJson('[10, 9.50, null, 9223372036854775807, 9223372036854775806, -1, "NaN"]');
  assert.deepEqual(sorted(values, 'number').map(String), ['-1', '9.50', '10', '9223372036854775806', '9223372036854775807', 'NaN', 'null']);
  assert.deepEqual(sorted(values, 'number', true).map(String), ['NaN', '9223372036854775807', '9223372036854775806', '10', '9.50', '-1', 'null']);
});

test('dates before Christ, far dates, time zones, fractions', () => {
  const dates = ['infinity', '2025-01-01', '10000-01-01', '0044-03-15 BC', '0001-01-01', '-infinity'];
  assert.deepEqual(sorted(dates, 'time'), ['-infinity', '0044-03-15 BC', '0001-01-01', '2025-01-01', '10000-01-01', 'infinity']);
  const moments = ['2025-03-30T03:00:00+02:00', '2025-03-30T01:30:00+01:00', '2025-03-30T00:59:59.5+00:00', '2025-03-30T00:59:59.25+00:00'];
  assert.deepEqual(sorted(moments, 'time'), [moments[1], moments[3], moments[2], moments[0]]);
  assert.deepEqual(sorted(['23:00:00', '01:02:03'], 'time'), ['01:02:03', '23:00:00']);
});

test('intervals', () => {
  const intervals = ['1 mon', '29 days', '1 day 02:00:00', '-00:00:01', '26:00:01'];
  assert.deepEqual(sorted(intervals, 'interval'), ['-00:00:01', '1 day 02:00:00', '26:00:01', '29 days', '1 mon']);
});

test('texts as people sort them', () => assert.deepEqual(sorted(['z10', 'Ärger', 'z9', 'azur'], 'text'), ['Ärger', 'azur', 'z9', 'z10']));

test('equal rows keep their order', () => assert.deepEqual(sortedOrder([1, 1, 0, 1], 'number', true, 'en'), [0, 1, 3, 2]));

test('a hundred thousand rows are sorted', () => {
  const values = Array.from({ length: 100_000 }, (_none, at) => (at * 7919) % 100_003);
  const order = sortedOrder(values, 'number', false, 'en');
  assert.ok(order.every((row, at) => at === 0 || values[order[at - 1]] < values[row]));
});
