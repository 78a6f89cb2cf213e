import assert from 'node:assert/strict';
import test from 'node:test';
import { addressOfBoard, boardOfLink } from '../../../crates/text2sql_server/page/lib/link.js';
import { things } from '../../../crates/text2sql_server/page/lib/names.js';
import { nearest, plainQuestions } from '../../../crates/text2sql_server/page/lib/starters.js';

test('the nearest questions share most words', () => {
  const questions = ['How many stores are there?', 'What is the total revenue per month?', 'How many customers are there per country?'];
  assert.equal(nearest('Which customer countries grew?', questions)[0], questions[2]);
  assert.deepEqual(nearest('Plumpf', questions), questions);
});

test('plain questions begin with what is wanted of a business', () => {
  const table = (name, ...columns) => ({ name, kind: 'table', columns: columns.map(([name, type]) => ({ name, type })) });
  const asked = plainQuestions([
    table('stores', ['id', 'integer'], ['name', 'text'], ['city', 'text']),
    table('orders', ['id', 'integer'], ['net_total', 'numeric(10,2)'], ['revenue', 'numeric'], ['ordered_on', 'date']),
    { ...table('sales', ['revenue', 'numeric']), kind: 'view' },
  ]);
  // Without a catalogue a text is its key.
  assert.deepEqual(asked, ['starter.total', 'starter.by_month', 'starter.by_month', 'schema.question', 'schema.question']);
  const totals = plainQuestions([table('order', ['total', 'numeric'], ['ordered_on', 'date'])]);
  assert.equal(totals[0], 'starter.sum');
});

test('rows are told as people count them', () => {
  const told = ['film', 'address', 'film_category', 'orders', 'sales_data', 'day', 'box', 'status'].map(name => things(name, 'en'));
  assert.deepEqual(told, ['films', 'addresses', 'film categories', 'orders', 'sales data', 'days', 'boxes', 'statuses']);
  assert.equal(things('film_category', 'de'), 'film category');
});

test('a board is in its address', () => {
  globalThis.location = { pathname: '/', search: '' };
  const board = { name: 'Monday & 1+1?', owner: "o'#by=1&b" };
  assert.deepEqual(boardOfLink(addressOfBoard(board).slice(1)), board);
  assert.deepEqual(boardOfLink(addressOfBoard({ name: 'Monday' }).slice(1)), { name: 'Monday', owner: null });
  assert.equal(boardOfLink('#q=how'), null);
  assert.equal(boardOfLink('#c=x'), null);
});
