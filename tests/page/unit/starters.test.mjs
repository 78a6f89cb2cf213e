import assert from 'node:assert/strict';
import test from 'node:test';
import { addressOfBoard, boardOfLink } from '../../../crates/text2sql_server/page/lib/link.js';
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
});

test('a board is in its address', () => {
  globalThis.location = { pathname: '/', search: '' };
  const board = { id: 'x1', name: 'Monday & more', items: [{ question: 'Why 1+1?' }, { question: 'only Graz', sql: "SELECT '#q=1&b'" }] };
  assert.deepEqual(boardOfLink(addressOfBoard(board).slice(1)), board);
  assert.equal(boardOfLink('#q=how'), null);
  assert.equal(boardOfLink('#c=x'), null);
});
