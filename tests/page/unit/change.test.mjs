import assert from 'node:assert/strict';
import test from 'node:test';
import { objectsOf } from '../../../crates/text2sql_server/page/lib/answer.js';
import { asksWhy, comparable, compared, monthOf, periodBefore, periodName, splits, splitWithShares } from '../../../crates/text2sql_server/page/lib/change.js';

const column = { column: 'returned_on' };
const period = (from, before) => ({ column, from, before });
const name = (from, before, language = 'en') => periodName(period(from, before), language);

test('the period before is as long: months before months, days before days', () => {
  assert.deepEqual(periodBefore(period('2025-11-01', '2025-12-01')), period('2025-10-01', '2025-11-01'));
  assert.deepEqual(periodBefore(period('2025-01-01', '2026-01-01')), period('2024-01-01', '2025-01-01'));
  assert.deepEqual(periodBefore(period('2025-01-01', '2025-04-01')), period('2024-10-01', '2025-01-01'));
  assert.deepEqual(periodBefore(period('2025-03-03', '2025-03-10')), period('2025-02-24', '2025-03-03'));
  assert.deepEqual(periodBefore(period('2024-02-29', '2024-03-01')), period('2024-02-28', '2024-02-29'));
  assert.deepEqual(monthOf(column, '2025-12-31'), period('2025-12-01', '2026-01-01'));
});

test('periods are called as people call them', () => {
  assert.equal(name('2025-01-01', '2026-01-01'), '2025');
  assert.equal(name('2025-04-01', '2025-07-01'), 'Q2 2025');
  assert.equal(name('2025-03-01', '2025-04-01'), 'Mar 2025');
  assert.equal(name('2025-03-01', '2025-04-01', 'de'), 'März 2025');
  assert.equal(name('2025-02-01', '2025-04-01'), 'Feb 2025 – Mar 2025');
  assert.equal(name('2025-03-03', '2025-03-10'), '3 Mar 2025 – 9 Mar 2025');
  assert.equal(name('2025-03-03', '2025-03-04'), '3 Mar 2025');
});

const count = { name: 'returns', value: { aggregate: { function: 'count', of: null } } };
const meaning = {
  subject: { schema: 'public', name: 'returns' }, conditions: [{ null: {} }, { period: period('2025-11-01', '2025-12-01') }],
  answer: { figures: { measures: [count], dimensions: [] } }, order: null, parts: [{}],
};
const category = { entity: { key: { path: [{ to: { schema: 'public', name: 'products' } }], column: 'category_id' } } };
const parts = [{ part: 'by', choices: [
  { text: 'by month', set: { answer: { figures: { measures: [count], dimensions: [{ date: [column, 'month'] }] } } } },
  { text: 'by category', set: { answer: { figures: { measures: [count], dimensions: [category] } } } },
] }];

test('one figure of a period can be compared, and split by what is no period', () => {
  const known = comparable(meaning, parts);
  assert.equal(known.at, 1);
  assert.deepEqual(splits(known, parts), [{ text: 'by category', dimensions: [category] }]);
  const both = compared(meaning, known, known.period, [category]);
  assert.deepEqual(both.conditions, [{ null: {} }, { period: period('2025-10-01', '2025-12-01') }]);
  assert.deepEqual(both.answer.figures.measures.map(measure => [measure.name, measure.value.aggregate.only]), [
    ['period_before', [{ period: period('2025-10-01', '2025-11-01') }]], ['period_now', [{ period: period('2025-11-01', '2025-12-01') }]]]);
  assert.deepEqual(both.answer.figures.dimensions, [category]);
});

test('without a period the days are those of the choices; what is no plain figure is not compared', () => {
  const known = comparable({ ...meaning, conditions: [] }, parts);
  assert.deepEqual([known.period, known.at, known.dateColumn], [null, -1, column]);
  assert.equal(comparable({ ...meaning, conditions: [] }, []), null);
  assert.equal(comparable({ ...meaning, answer: { figures: { measures: [count, count], dimensions: [] } } }, parts), null);
  assert.equal(comparable({ ...meaning, answer: { rows: {} } }, parts), null);
  assert.equal(comparable(undefined, undefined), null);
  // Averages of groups do not add up to the whole.
  const average = { name: 'a', value: { aggregate: { function: 'average', of: { column } } } };
  assert.deepEqual(splits(comparable({ ...meaning, answer: { figures: { measures: [average], dimensions: [] } } }, parts), parts), []);
});

test('the statement of a split has both queries as they are', () => {
  const sql = splitWithShares('SELECT 1', 'SELECT 2');
  assert.match(sql, /FROM \(\nSELECT 1\n/);
  assert.match(sql, /FROM \(\nSELECT 2\n/);
});

test('what asks for a reason', () => {
  for (const question of ['Why did returns rise?', 'Warum sank der Umsatz?', ' how come we sold less']) assert.ok(asksWhy(question), question);
  for (const question of ['How many returns?', 'Whyte orders', null]) assert.ok(!asksWhy(question), question);
});

test('an answer names the tables and columns that words can be taught for', () => {
  assert.deepEqual(objectsOf({ subject: { schema: 'public', name: 'Orders' }, conditions: [], answer: { figures: { measures: [{ of: { column: 'revenue' } }], dimensions: [category] } } }),
    ['table public."Orders"', 'column public."Orders".revenue', 'table public.products', 'column public.products.category_id']);
  assert.deepEqual(objectsOf(undefined), []);
});
