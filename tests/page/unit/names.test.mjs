import assert from 'node:assert/strict';
import test from 'node:test';
import { identifier, quoted, rejectedName, stem, tableName } from '../../../crates/text2sql_server/page/lib/names.js';

test('a name of a table is made of what people write', () => {
  assert.equal(tableName('March Sales (2026)'), 'march_sales_2026');
  assert.equal(tableName('Größen'), 'größen');
  assert.equal(tableName('2026'), 'c_2026');
  assert.equal(tableName('"; DROP TABLE x; --'), 'drop_table_x');
  assert.equal(tableName('…'), 'loaded');
});

test('a name has at most 63 bytes', () => {
  assert.equal(tableName('a'.repeat(100)), 'a'.repeat(63));
  assert.equal(new TextEncoder().encode(tableName('ä'.repeat(100))).length, 62);
  assert.equal(rejectedName('a'.repeat(63)), `${'a'.repeat(54)}_rejected`);
});

test('a name is quoted where SQL needs it', () => {
  assert.equal(identifier('sales'), 'sales');
  assert.equal(identifier('My "own"'), '"My ""own"""');
  assert.equal(quoted('order'), '"order"');
});

test('the name of a file loses its end', () => {
  assert.equal(stem('march.2026.csv'), 'march.2026');
  assert.equal(stem('march'), 'march');
});
