import assert from 'node:assert/strict';
import test from 'node:test';
import { withoutSql } from '../../../crates/text2sql_server/page/lib/answer.js';
import { orderedBy, rowsForChart } from '../../../crates/text2sql_server/page/lib/chart-order.js';
import { daysInWords, headingOf, headingsOf, noteInWords, writerOf } from '../../../crates/text2sql_server/page/lib/shown.js';
import { addressOf, conversationOfLink } from '../../../crates/text2sql_server/page/lib/link.js';

const written = (name, type, values, language = 'en') => values.map(value => (writerOf({ name, type }, values, language) ?? String)(String(value)));

test('numbers as the language writes them, digit for digit', () => {
  assert.deepEqual(written('net_sales', 'numeric', ['6173932.09', '1.1'], 'de'), ['6.173.932,09', '1,10']);
  assert.deepEqual(written('n', 'bigint', ['9223372036854775807', '-1234']), ['9,223,372,036,854,775,807', '-1,234']);
  assert.deepEqual(written('r', 'numeric', ['0.0123456']), ['0.0123']);
  assert.deepEqual(written('x', 'double precision', ['1e+30', 'NaN']), ['1e+30', 'NaN']);
});

test('numbers that are names have no separators', () => {
  for (const name of ['store_id', 'id', 'order_number', 'sales_year', 'storeId']) assert.deepEqual(written(name, 'integer', ['2025']), ['2025'], name);
  assert.deepEqual(written('number_of_orders', 'integer', ['2025']), ['2,025']);
});

test('days, months, quarters and years as the column means them', () => {
  assert.deepEqual(written('month', 'date', ['2025-03-01']), ['Mar 2025']);
  assert.deepEqual(written('bucket', 'timestamp', ['2025-01-01T00:00:00', '2025-02-01T00:00:00', '2025-03-01T00:00:00']), ['Jan 2025', 'Feb 2025', 'Mar 2025']);
  assert.deepEqual(written('hired_on_date', 'date', ['2025-01-01', '2025-02-01', '2025-03-01']), ['1 Jan 2025', '1 Feb 2025', '1 Mar 2025']);
  assert.deepEqual(written('quarter', 'date', ['2025-04-01']), ['Q2 2025']);
  assert.deepEqual(written('year', 'date', ['2025-01-01']), ['2025']);
  assert.deepEqual(written('at', 'timestamp', ['2025-01-02T03:04:00']), ['2 Jan 2025, 03:04']);
  assert.deepEqual(written('d', 'date', ['0044-03-15 BC', 'infinity']), ['0044-03-15 BC', 'infinity']);
});

test('headings are words, and the only amount has its currency', () => {
  assert.equal(headingOf('net_sales'), 'Net sales');
  assert.equal(headingOf('store_id'), 'Store ID');
  assert.equal(headingOf('Umsatz netto'), 'Umsatz netto');
  const columns = [{ name: 'month', type: 'date' }, { name: 'net_sales', type: 'numeric' }];
  assert.deepEqual(headingsOf({ columns, answer: '716,098.14 EUR in December' }, ['month', 'net_sales']), ['Month', 'Net sales, EUR']);
  assert.deepEqual(headingsOf({ columns, answer: '7 EUR and 8 USD' }, ['month', 'net_sales']), ['Month', 'Net sales']);
  // Two columns are never mixed up.
  assert.deepEqual(headingsOf({ columns: [{ name: 'a_b' }, { name: 'A b' }] }, ['a_b', 'A b']), ['a_b', 'A b']);
});

test('a German question names its columns', () => {
  const columns = [{ name: 'country', type: 'text' }, { name: 'revenue', type: 'numeric' }];
  const parts = [{ part: 'measure', text: 'Summe Umsatz' }, { part: 'by', text: 'nach Land' }, { part: 'period', text: '2025' }];
  const headings = caption => headingsOf({ columns, parts, caption, answer: '1,00 EUR' }, ['country', 'revenue']);
  assert.deepEqual(headings('Umsatz pro Land 2025'), ['Land', 'Summe Umsatz, EUR']);
  assert.deepEqual(headings('revenue per country in 2025'), ['Country', 'Revenue, EUR']);
  // Which part is which column is not clear.
  assert.deepEqual(headingsOf({ columns: [...columns, { name: 'n', type: 'bigint' }], parts, caption: 'Umsatz pro Land' }, ['country', 'revenue', 'n']), ['Country', 'Revenue', 'N']);
});

test('notes have words and days for who knows no columns', () => {
  assert.equal(noteInWords('The period is orders.ordered_on from 2025-01-01 to 2025-12-31.', 'en'), 'The period is words.column from 1 Jan 2025 to 31 Dec 2025.');
  assert.equal(noteInWords('„Umsatz“ ist gemeint.', 'de'), '„Umsatz“ ist gemeint.');
});

const columns = [{ name: 'city', type: 'text' }, { name: 'n', type: 'bigint' }];
const rows = [{ city: 'A', n: 1 }, { city: 'B', n: 3 }, { city: 'C', n: 2 }];
const order = (sql, caption, own = rows) => rowsForChart({ columns, rows: own, sql, caption }).map(row => row.city).join('');

test('bars stand by size unless an order was asked', () => {
  assert.equal(order('SELECT city, n FROM t'), 'BCA');
  assert.equal(order('SELECT city, n FROM t ORDER BY city'), 'BCA');
  assert.equal(order('SELECT city, n FROM t ORDER BY t.city LIMIT 3'), 'BCA');
  assert.equal(order('SELECT city, n FROM t ORDER BY n'), 'ABC');
  assert.equal(order('SELECT city, n FROM t ORDER BY opened'), 'ABC');
  assert.equal(order('SELECT city, n FROM t ORDER BY city', 'orders per city, sorted by name'), 'ABC');
  assert.equal(order('SELECT city, n FROM (SELECT * FROM t ORDER BY n) AS x'), 'BCA');
  const months = ['March', 'April', 'May'].map((city, n) => ({ city, n }));
  assert.equal(order('SELECT 1', '', months), 'MarchAprilMay');
});

test('the first thing a query orders by', () => {
  assert.equal(orderedBy("SELECT ')' FROM (SELECT 1 ORDER BY 2) x ORDER BY s.country, n DESC"), 's.country');
  assert.equal(orderedBy('SELECT 1 ORDER BY 2 DESC;'), '2');
  assert.equal(orderedBy('SELECT 1'), null);
});

test('who runs no SQL is advised none', () => {
  assert.deepEqual(withoutSql('Ask the owner to run: GRANT SELECT ON hr.salaries TO ana;'), { words: '', who: 'advice.rights' });
  assert.deepEqual(withoutSql("the built-in engine answers simple questions only; for more, configure a model: SELECT text2sql.add_model(…); SET text2sql.model = '…'"),
    { words: 'the built-in engine answers simple questions only', who: 'advice.model' });
  assert.deepEqual(withoutSql("the model took too long. Give it more time: ALTER SERVER stub OPTIONS (ADD timeout_ms '120000')"),
    { words: 'the model took too long.', who: 'advice.administrator' });
  assert.deepEqual(withoutSql('"revenue" is orders.revenue'), { words: '"revenue" is orders.revenue', who: null });
});

test('a conversation has an address', () => {
  globalThis.location = { pathname: '/', search: '' };
  assert.equal(addressOf('page-ana-x y'), '/#c=page-ana-x%20y');
  assert.equal(conversationOfLink('#c=page-ana-x%20y'), 'page-ana-x y');
  assert.equal(addressOf(null), '/');
  assert.equal(conversationOfLink('#q=how'), null);
});

test('headings of names in other spellings', () => {
  assert.deepEqual(['unitPrice', 'share_percent', 'percent', 'Umsatz 2025'].map(headingOf), ['Unit price', 'Share', 'Percent', 'Umsatz 2025']);
});

test('days in a sentence', () => {
  assert.equal(daysInWords('79 in 2025-12-31, code 2025-13-41', 'en'), '79 in 31 Dec 2025, code 2025-13-41');
  assert.equal(daysInWords('bis 2025-12-31', 'de'), 'bis 31. Dez. 2025');
});
