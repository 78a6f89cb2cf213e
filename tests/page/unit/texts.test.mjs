import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { gzipSync } from 'node:zlib';

const page = new URL('../../../crates/text2sql_server/page/', import.meta.url);
const files = readdirSync(page, { recursive: true, withFileTypes: true }).filter(file => file.isFile())
  .map(file => `${file.parentPath ?? file.path}/${file.name}`);
const scripts = files.filter(file => file.endsWith('.js'));

test('no data becomes markup, and no style or script is inline', () => {
  for (const file of scripts) {
    const source = readFileSync(file, 'utf8');
    for (const forbidden of [/\.innerHTML\s*=/, /\.outerHTML\s*=/, /insertAdjacentHTML/, /document\.write\(/, /\beval\(/, /new Function\(/, /setAttribute\('style'/, /\bh\('[\w-]+', \{[^}]*\bstyle: /]) {
      assert.ok(!forbidden.test(source), `${file}: ${forbidden}`);
    }
  }
});

test('the page names no other host', () => {
  for (const file of files.filter(file => /\.(js|css|html)$/.test(file))) {
    const foreign = readFileSync(file, 'utf8').match(/https?:\/\/(?!www\.w3\.org\/)[^\s'"`)]+/g) ?? [];
    assert.deepEqual(foreign, [], file);
  }
});

test('all files together are below 150 kB, compressed', () => {
  const total = files.filter(file => !file.endsWith('.md')).reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);
  assert.ok(total < 150_000, `${total} bytes`);
});
