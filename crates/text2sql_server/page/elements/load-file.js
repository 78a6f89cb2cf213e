// Loads a file: a dialog that asks for the file, the name of its table and the schema, shows how far it is, and then
// the columns of the table.

import { get, remove } from '../lib/api.js';
import { announce, button, fill, h, icon, spinner } from '../lib/dom.js';
import { currentLanguage, formatNumber, t } from '../lib/i18n.js';
import { identifier, quoted, rejectedName, stem, tableName, things } from '../lib/names.js';
import { emit, session } from '../lib/state.js';
import { upload } from '../lib/upload.js';
import { choice, field, line } from './form-fields.js';
import { forThem } from './message-list.js';
import { problemNote } from './problem-note.js';

// A larger file is sent once only: it is not looked at before.
const MOST_LOOKED_AT = 5 * 1048576;
const KINDS = '.csv,.tsv,.tab,.txt,.json,.jsonl,.ndjson,.xlsx,.xlsm,.ods';
const WORKBOOK = /\.(xlsx|xlsm|ods)$/i;
const megabytes = bytes => Math.max(1, Math.round(Number(bytes) / 1048576));

let current = null;

/** Opens it, or gives the open one another file. `files` is a FileList. */
export function openLoadFile(files) {
  if (current === null) {
    current = new LoadDialog();
    current.open();
  }
  if (files?.length > 0) current.take(files);
}

class LoadDialog {
  #dropped = null;
  #place = null;
  #running = null;
  #looking = null;

  open() {
    this.body = h('div', { class: 'dialog-body' });
    this.dialog = h('dialog', { class: 'dialog load-dialog', 'aria-labelledby': 'load-title', on: { close: () => this.#closed() } },
      h('h2', { id: 'load-title', t: 'load.open' }), this.body);
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.#begin();
  }

  #closed() {
    this.#running?.abort();
    this.#looking?.abort();
    this.dialog.remove();
    current = null;
  }

  /** Takes a file that was dropped. */
  take(files) {
    if (this.#running) return;
    if (!this.file?.isConnected) {
      this.#dropped = files;
      if (this.#place) this.#form();
      return;
    }
    this.file.files = files;
    this.#chosen();
  }

  async #begin() {
    fill(this.body, spinner());
    try {
      this.#place = await get('tables');
      if (this.#place.schemas.length > 0) this.#form();
      else this.#nowhere();
    } catch (problem) {
      fill(this.body, problemNote(problem, { retry: () => this.#begin() }), this.#foot());
    }
  }

  #foot(...buttons) {
    return h('div', { class: 'dialog-foot' }, button('close', () => this.dialog.close(), { class: 'quiet' }), buttons);
  }

  /** The role may make tables in no schema. */
  #nowhere() {
    const statement = `GRANT CREATE ON SCHEMA public TO ${identifier(session()?.role ?? '')};`;
    fill(this.body, h('div', { class: 'note' }, icon('lock'), h('div', {},
      h('p', { class: 'note-title', t: 'load.nowhere', tArgs: { role: session()?.role ?? '' } }),
      h('p', { class: 'muted tiny', t: 'warning.to_administrator' }),
      forThem(statement))), this.#foot());
  }

  #form() {
    const { schemas, limits } = this.#place;
    this.file = h('input', { type: 'file', accept: KINDS, required: true, on: { change: () => this.#chosen() } });
    this.name = line('', { required: true, maxlength: 63, autocapitalize: 'none', spellcheck: 'false' });
    this.schema = choice(schemas.map(({ name }) => [name, name]), schemas[0].name);
    this.sheet = line();
    this.sheetField = h('div', { hidden: true }, field('load.sheet', this.sheet, { hint: 'load.sheet.hint' }));
    this.collect = h('input', { type: 'checkbox', 'aria-describedby': 'load-collect-hint' });
    this.preview = h('div', { class: 'load-preview' });
    this.outcome = h('div', { class: 'load-outcome' });
    this.send = h('button', { type: 'submit', class: 'button primary' }, h('span', { t: 'load.load' }));
    this.fields = h('fieldset', { class: 'plain-fields' },
      field('load.file', this.file),
      h('p', { class: 'muted tiny', t: 'load.file.hint', tArgs: { megabytes: megabytes(limits.bytes) } }),
      field('load.name', this.name), field('load.schema', this.schema), this.sheetField,
      h('label', { class: 'check' }, this.collect, h('span', { t: 'load.collect' })),
      h('p', { id: 'load-collect-hint', class: 'muted tiny', t: 'load.collect.hint' }));
    fill(this.body, h('form', { on: { submit: event => this.#submit(event) } },
      h('p', { class: 'muted', t: 'load.lead', tArgs: { role: session()?.role ?? '' } }),
      this.fields, this.preview, this.outcome, this.#foot(this.send)));
    const files = this.#dropped;
    this.#dropped = null;
    if (files) {
      this.file.files = files;
      this.#chosen();
    } else this.file.focus();
  }

  /** A file was chosen or dropped: its table gets its name. */
  #chosen() {
    const file = this.file.files[0];
    this.outcome.replaceChildren();
    this.preview.replaceChildren();
    this.#looking?.abort();
    if (!file) return;
    this.name.value = tableName(stem(file.name));
    this.sheetField.hidden = !WORKBOOK.test(file.name);
    if (this.file.files.length > 1) fill(this.outcome, h('p', { class: 'muted', t: 'load.one_at_a_time', tArgs: { file: file.name } }));
    this.name.focus();
    this.name.select();
    if (file.size > 0 && file.size <= Math.min(MOST_LOOKED_AT, Number(this.#place.limits.bytes))) this.#look(file);
  }

  /** What would become of the file: nothing is made yet. */
  async #look(file) {
    const looking = this.#looking = new AbortController();
    const query = new URLSearchParams({ file: file.name, name: `${quoted(this.schema.value)}.${quoted(this.name.value)}`, options: JSON.stringify({ dry_run: true }) });
    try {
      const { columns } = await upload(`tables?${query}`, file, { signal: looking.signal });
      // It may be on its way already.
      if (!this.#running && this.preview.isConnected) fill(this.preview, h('p', { class: 'muted', t: 'load.preview' }), columnsTable(columns));
    } catch {
      // What is wrong with it is said when it is loaded.
    }
  }

  async #submit(event) {
    event.preventDefault();
    const file = this.file.files[0];
    const { limits } = this.#place;
    if (file.size > limits.bytes) {
      fill(this.outcome, problemNote({ message: t('load.too_large', { megabytes: megabytes(limits.bytes) }), hint: `text2sql-server load ${file.name}` }));
      return;
    }
    const name = tableName(this.name.value);
    this.name.value = name;
    await this.#load(file, name);
  }

  async #load(file, name) {
    const within = `${quoted(this.schema.value)}.`;
    const rejected = rejectedName(name);
    const options = this.collect.checked ? { on_error: 'collect', rejected_table: `${within}${quoted(rejected)}` } : {};
    const query = new URLSearchParams({ file: file.name, name: `${within}${quoted(name)}`, options: JSON.stringify(options) });
    if (!this.sheetField.hidden && this.sheet.value.trim()) query.set('sheet', this.sheet.value.trim());
    this.#looking?.abort();
    const running = new AbortController();
    this.#running = running;
    this.fields.disabled = true;
    this.send.disabled = true;
    const progress = this.#progress();
    try {
      const loaded = await upload(`tables?${query}`, file, { signal: running.signal, onProgress: progress.show });
      this.#running = null;
      this.#loaded(loaded, name, rejected);
    } catch (problem) {
      this.#running = null;
      if (!this.dialog.isConnected) return;
      fill(this.outcome, problem.name === 'AbortError' ? h('p', { role: 'status', t: 'load.cancelled' }) : problemNote(problem));
      this.fields.disabled = false;
      this.send.disabled = false;
      (problem.name === 'AbortError' ? this.send : this.file).focus();
    } finally {
      progress.end();
    }
  }

  /** How much has gone, then how long the server has been reading. */
  #progress() {
    const bar = h('progress', { max: 1, value: 0, tLabel: 'load.progress' });
    const text = h('span', { class: 'muted tiny' });
    const begun = Date.now();
    let timer = null;
    const count = () => { text.textContent = t('load.reading', { seconds: Math.round((Date.now() - begun) / 1000) }); };
    const show = share => {
      if (share < 1) {
        bar.value = share;
        text.textContent = t('load.sending', { percent: formatNumber(Math.floor(share * 100)) });
      } else if (timer === null) {
        bar.removeAttribute('value');
        count();
        timer = setInterval(count, 1000);
        announce(t('load.sent'));
      }
    };
    show(0);
    fill(this.outcome, h('div', { class: 'load-progress' }, bar, text, button('cancel', () => this.#running?.abort(), { class: 'small' })));
    return { show, end: () => clearInterval(timer) };
  }

  #loaded({ table, rows, rejected, columns, notes, undo }, name, rejectedTable) {
    const question = t('schema.question', { table: things(name, currentLanguage()) });
    const ask = h('button', { type: 'button', class: 'chip', on: { click: () => {
      this.dialog.close();
      emit('ask', { question });
    } } }, question);
    const done = t('load.done', { count: Number(rows), table });
    fill(this.body,
      h('p', { class: 'done' }, icon('check'), h('span', {}, done)),
      Number(rejected) > 0 && h('div', { class: 'note warning' }, icon('alert'), h('p', {}, t('load.rejected', { count: Number(rejected), table: rejectedTable }))),
      notes?.length > 0 && h('ul', { class: 'muted tiny' }, notes.map(note => h('li', {}, note))),
      columnsTable(columns),
      h('p', { class: 'load-ask' }, h('span', { class: 'muted', t: 'load.ask' }), ask),
      this.outcome,
      this.#foot(button('load.undo', () => this.#undo(undo, table), { icon: 'trash', class: 'quiet' }), button('load.another', () => this.#form())));
    fill(this.outcome);
    emit('loaded', { table });
    announce(done);
    ask.focus();
  }

  /** Takes the table back that was just made. */
  async #undo(undo, table) {
    try {
      await remove(`tables/${undo}`);
    } catch (problem) {
      fill(this.outcome, problemNote(problem));
      return;
    }
    emit('loaded', { table });
    this.#form();
    fill(this.outcome, h('p', { role: 'status', t: 'load.undone', tArgs: { table } }));
  }
}

const columnsTable = columns => h('div', { class: 'table-frame', tabindex: '0', role: 'region', tLabel: 'load.columns' }, h('table', { class: 'plain-table' },
  h('thead', {}, h('tr', {}, ['load.column', 'load.type', 'load.original', 'load.note'].map(key => h('th', { scope: 'col', t: key })))),
  h('tbody', {}, columns.map(column => h('tr', {}, h('th', { scope: 'row' }, column.name), h('td', {}, column.type),
    h('td', {}, column.original ?? ''), h('td', { class: 'muted' }, column.note ?? ''))))));
