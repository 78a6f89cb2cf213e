// Forms in which a curator describes a table or a column. They change the object that they were made for, so that it
// is drawn again without asking the server.

import { post, remove } from '../lib/api.js';
import { h } from '../lib/dom.js';
import { area, field, form, line, said, words } from './form-fields.js';

/** The form for a table; `redraw` is called when it was saved. */
export function describeTable(table, redraw) {
  const object = `table ${table.object}`;
  const description = area(table.comment);
  const synonyms = line(table.synonyms.join(', '));
  return objectForm('teach.table', [
    field('teach.description', description, { hint: 'teach.description.hint' }),
    field('teach.synonyms', synonyms, { hint: 'teach.synonyms.hint' }),
  ], async () => {
    await saveDescription(object, table, description);
    table.synonyms = await saveSynonyms(object, table.synonyms, words(synonyms));
  }, redraw);
}

/** The form for a column. */
export function describeColumn(column, redraw) {
  const object = `column ${column.object}`;
  const description = area(column.comment);
  const synonyms = line((column.synonyms ?? []).join(', '));
  const meanings = area(Object.entries(column.value_meanings ?? {}).map(([value, meaning]) => `${value} = ${meaning}`).join('\n'));
  const low = h('input', { type: 'checkbox' });
  low.checked = column.priority === 'low';
  return objectForm('teach.column', [
    field('teach.description', description, { hint: 'teach.description.hint' }),
    field('teach.synonyms', synonyms, { hint: 'teach.synonyms.hint' }),
    field('teach.meanings', meanings, { hint: 'teach.meanings.hint' }),
    h('label', { class: 'check' }, low, h('span', { t: 'teach.low' })),
  ], async () => {
    await saveDescription(object, column, description);
    column.synonyms = await saveSynonyms(object, column.synonyms ?? [], words(synonyms));
    const wanted = meaningsOf(meanings.value);
    if (JSON.stringify(wanted) !== JSON.stringify(column.value_meanings ?? null)) {
      await post('teach/values', { column_name: object, meanings: wanted });
      column.value_meanings = wanted ?? undefined;
    }
    const priority = low.checked ? 'low' : null;
    if (priority !== (column.priority ?? null)) {
      await post('teach/priority', { column_name: object, priority });
      column.priority = priority ?? undefined;
    }
  }, redraw);
}

function objectForm(title, fields, save, redraw) {
  const element = form({ title, fields, save, saved: redraw, cancel: () => element.dispatchEvent(new CustomEvent('form-close', { bubbles: true })) });
  return element;
}

async function saveDescription(object, target, control) {
  const wanted = said(control);
  if (wanted === (target.comment ?? null)) return;
  await post('teach/describe', { object, description: wanted });
  target.comment = wanted;
}

async function saveSynonyms(object, before, wanted) {
  const added = wanted.filter(word => !before.includes(word));
  if (added.length > 0) await post('teach/synonyms', { object, synonyms: added });
  for (const synonym of before.filter(word => !wanted.includes(word))) {
    await remove(`teach/synonyms?${new URLSearchParams({ object, synonym })}`);
  }
  return wanted;
}

/** Lines like "A = active" as an object; null for none. */
export function meaningsOf(text) {
  const entries = text.split('\n').map(entry => entry.trim()).filter(Boolean).map(entry => {
    const at = entry.indexOf('=');
    return at < 0 ? [entry, ''] : [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}
