import assert from 'node:assert/strict';
import test from 'node:test';
import { place, tokens } from '../../../crates/text2sql_server/page/lib/sql.js';

const kinds = sql => tokens(sql).filter(token => token.text.trim() !== '').map(token => `${token.kind}:${token.text.trim()}`);

test('nothing is lost', () => {
  for (const sql of ['', 'SELECT', "select 'open", '/* open', '$$open', 'sélect "a""b" FROM "x', "E'it\\'s' || '''' -- end", 'a\u{1F600}b <> 1.5e-3', '$1 + $tag$ a $$ b $tag$']) {
    assert.equal(tokens(sql).map(token => token.text).join(''), sql);
  }
});

test('parts of a query', () => {
  assert.deepEqual(kinds("SELECT count(*), 'from' AS \"select\" FROM t -- where\nWHERE x > 1.50"), [
    'keyword:SELECT', 'function:count', 'plain:(*),', "string:'from'", 'keyword:AS', 'name:"select"', 'keyword:FROM', 'plain:t', 'comment:-- where',
    'keyword:WHERE', 'plain:x >', 'number:1.50',
  ]);
  assert.deepEqual(kinds('/* a */ $q$ select $q$'), ['comment:/* a */', 'string:$q$ select $q$']);
});

test('a position of the database is a place', () => {
  assert.deepEqual(place('SELECT 1\nFROM x', 15), { index: 14, line: 2, column: 6 });
  assert.deepEqual(place("SELECT '\u{1F600}', y", 13), { index: 13, line: 1, column: 13 });
  assert.deepEqual(place('a', 1), { index: 0, line: 1, column: 1 });
});

test('a long text is no trouble', () => {
  const began = performance.now();
  tokens(`SELECT ${"'a' || ".repeat(20_000)}'b'`);
  assert.ok(performance.now() - began < 2000);
});
