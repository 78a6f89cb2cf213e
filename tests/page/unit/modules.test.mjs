import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const page = fileURLToPath(new URL('../../../crates/text2sql_server/page/', import.meta.url));
const files = readdirSync(page, { recursive: true }).filter(name => name.endsWith('.js')).map(name => resolve(page, name));

/** The modules that a module imports, at once or later. */
const imported = file => [...readFileSync(file, 'utf8').matchAll(/(?:\bfrom |^import |\bimport\()'(\.[^']+)'/gm)].map(([, name]) => resolve(dirname(file), name));

test('no module of the page imports itself by way of others', () => {
  const done = new Set();
  const visit = (file, way) => {
    assert.ok(!way.includes(file), [...way, file].map(name => name.slice(page.length)).join(' → '));
    if (done.has(file)) return;
    for (const other of imported(file)) visit(other, [...way, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  assert.ok(done.size >= files.length);
});

test('every module that is imported is there', () => {
  for (const file of files) for (const other of imported(file)) assert.ok(files.includes(other), `${file}: ${other}`);
});
