// Forms in which a curator describes a table or a column. They change the object that they were made for, so that it
// is drawn again without asking the server.

import { get, post, remove } from '../lib/api.js';
import { announce, fill, h, uniqueId } from '../lib/dom.js';
import { t } from '../lib/i18n.js';
import { area, choice, field, form, line, opener, said, words } from './form-fields.js';

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

/** The form in which a word becomes another word for one of the things that an answer is made of. */
function teachWord(objects, close) {
  const word = line('', { required: true });
  const named = object => object.replace(/^(table|column) (public\.)?/, '');
  const object = choice(objects.map(object => [object, named(object)]), objects[0]);
  return form({
    title: 'teach.word',
    fields: [field('waiting.word', word), field('waiting.word_for', object)],
    save: () => post('teach/synonyms', { object: object.value, synonyms: [said(word)] }),
    saved: () => {
      close();
      announce(t('waiting.word_taught'));
    },
    cancel: close,
  });
}

/** The button that becomes it. */
export const wordOpener = objects => opener('teach.word', close => teachWord(objects, close), { class: 'quiet small' });

/** A field for a table or a column, which offers those that there are. */
export function objectLine() {
  const list = h('datalist', { id: uniqueId('objects') });
  const input = line('', { required: true, spellcheck: 'false', list: list.id });
  get('schema').then(({ tables }) => {
    const full = ({ schema, name }) => (schema === 'public' ? name : `${schema}.${name}`);
    fill(list, tables.flatMap(table => [[full(table), table.comment], ...table.columns.map(column => [`${full(table)}.${column.name}`, column.comment])])
      .map(([value, label]) => h('option', { value, label: label ?? undefined })));
  }, () => {
    // Names can be typed.
  });
  return { input, list };
}

/** Lines like "A = active" as an object; null for none. */
export function meaningsOf(text) {
  const entries = text.split('\n').map(entry => entry.trim()).filter(Boolean).map(entry => {
    const at = entry.indexOf('=');
    return at < 0 ? [entry, ''] : [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}
