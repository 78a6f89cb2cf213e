// <schema-panel>: the tables that the role may ask about, with a search. A curator describes them here.

import { get } from '../lib/api.js';
import { announce, button, debounce, fill, h, icon, iconButton, spinner } from '../lib/dom.js';
import { currentLanguage, t } from '../lib/i18n.js';
import { things } from '../lib/names.js';
import { headingOf } from '../lib/shown.js';
import { emit, may, on, session } from '../lib/state.js';
import { describeColumn, describeTable } from './teach-objects.js';
import { problemNote } from './problem-note.js';

const PAGE = 60;
/** So few tables that were found are opened at once. */
const FEW = 3;

class SchemaPanel extends HTMLElement {
  #tables = [];
  #asked = 0;
  #end = null;

  connectedCallback() {
    this.#end = on('loaded', () => this.#load());
    if (this.hasChildNodes()) return;
    this.search = h('input', { type: 'search', class: 'panel-search', tLabel: 'schema.search', tPlaceholder: 'schema.search', on: { input: debounce(() => this.#load(), 200) } });
    this.count = h('p', { class: 'muted tiny', role: 'status' });
    this.list = h('div', { class: 'schema-tables' });
    this.append(
      h('p', { class: 'muted panel-lead', t: may('teach') ? 'schema.lead.curator' : 'schema.lead' }),
      this.search, this.count, this.list);
    this.#load();
  }

  disconnectedCallback() {
    this.#end?.();
  }

  async #load(after = 0) {
    const asked = ++this.#asked;
    const word = this.search.value.trim();
    if (this.#tables.length === 0) fill(this.list, spinner());
    const query = new URLSearchParams({ limit: PAGE, after });
    if (word) query.set('search', word);
    try {
      const { tables, more } = await get(`schema?${query}`);
      if (asked !== this.#asked) return;
      this.#tables = after ? [...this.#tables, ...tables] : tables;
      this.#show(word, more);
    } catch (problem) {
      if (asked === this.#asked) fill(this.list, problemNote(problem, { retry: () => this.#load() }));
    }
  }

  #show(word, more) {
    this.count.textContent = t(more ? 'schema.count_more' : 'schema.count', { count: this.#tables.length });
    const schemas = new Set(this.#tables.map(({ schema }) => schema));
    const few = word && this.#tables.length <= FEW;
    fill(this.list,
      this.#tables.length === 0 && h('p', { class: 'muted', t: word ? 'schema.nothing_found' : 'schema.none', tArgs: { role: session()?.role ?? '' } }),
      this.#tables.map(table => this.#table(table, { open: few, word, qualified: schemas.size > 1 && table.schema !== 'public' })),
      more && button('more', () => this.#load(this.#tables.length), { class: 'quiet small' }));
  }

  #table(table, { open, word, qualified }) {
    const body = h('div', { class: 'schema-body' });
    const about = h('span', { class: 'schema-about muted tiny' });
    const details = h('details', { class: 'schema-table', data: { table: table.object } },
      h('summary', {},
        h('span', { class: 'schema-name', title: table.object },
          // Curators write the names; others read what the table is about.
          may('teach') ? [qualified && h('span', { class: 'muted' }, `${table.schema}.`), table.name] : headingOf(table.name),
          about),
        table.kind !== 'table' && h('span', { class: 'tag', t: `schema.kind.${table.kind.replaceAll(' ', '_')}` })),
      body);
    const draw = () => fill(body, this.#head(table, redraw), this.#columns(table, word));
    const describe = () => { about.textContent = table.comment ?? ''; };
    describe();
    const redraw = () => {
      draw();
      describe();
      details.querySelector('summary').focus();
    };
    details.addEventListener('toggle', () => {
      if (details.open && !body.hasChildNodes()) draw();
    });
    details.open = open;
    return details;
  }

  #head(table, redraw) {
    const place = h('div', { class: 'teach-place' });
    return [
      table.synonyms.length > 0 && h('p', { class: 'muted tiny' }, t('schema.also_called', { words: table.synonyms.join(', ') })),
      h('div', { class: 'schema-tools' },
        insertButton(table.name),
        button('schema.ask_about', () => emit('prefill', { question: t('schema.question', { table: things(table.name, currentLanguage()) }) }), { icon: 'question', class: 'quiet tiny' }),
        may('teach') && this.#editButton('teach.table', () => describeTable(table, redraw), place, table.name)),
      place,
    ];
  }

  #columns(table, word) {
    const wanted = word.toLowerCase();
    const list = h('ul', { class: 'schema-columns' });
    const draw = column => {
      const item = h('li', { class: 'schema-column', data: { column: column.name } });
      if (wanted && `${column.name} ${column.comment ?? ''}`.toLowerCase().includes(wanted)) item.classList.add('found');
      const redraw = () => {
        const fresh = draw(column);
        item.replaceWith(fresh);
        fresh.querySelector('.edit-column')?.focus();
      };
      const place = h('div', { class: 'teach-place' });
      item.append(...[
        h('div', { class: 'column-line' },
          h('button', { type: 'button', class: 'column-name', title: t('schema.insert', { name: column.name }), on: { click: () => insert(column.name) } }, column.name),
          h('span', { class: 'muted column-type' }, column.type),
          column.key && h('span', { class: 'tag', t: `schema.key.${column.key}` }),
          may('teach') && this.#editButton('teach.column', () => describeColumn(column, redraw), place, column.name, true)),
        column.comment && h('p', { class: 'column-comment' }, column.comment),
        column.references && h('p', { class: 'muted tiny' }, t('schema.references', { column: column.references })),
        column.synonyms && h('p', { class: 'muted tiny' }, t('schema.also_called', { words: column.synonyms.join(', ') })),
        column.value_meanings && h('p', { class: 'muted tiny' }, Object.entries(column.value_meanings).map(([value, meaning]) => `${value} = ${meaning}`).join(', ')),
        column.priority === 'low' && h('p', { class: 'muted tiny', t: 'schema.low' }),
        column.protection && h('p', { class: 'muted tiny protection' }, icon('lock'), h('span', { t: `schema.protection.${column.protection}` })),
        place,
      ].filter(Boolean));
      return item;
    };
    list.append(...table.columns.map(draw));
    return list;
  }

  #editButton(key, make, place, name, small = false) {
    const control = small
      ? iconButton('edit', key, () => toggle(), { class: 'tiny edit-column' })
      : button(key, () => toggle(), { icon: 'edit', class: 'quiet tiny' });
    control.setAttribute('aria-label', `${t(key)}: ${name}`);
    const toggle = () => {
      if (place.hasChildNodes()) {
        close();
        return;
      }
      fill(place, make());
      place.addEventListener('form-close', close, { once: true });
      place.querySelector('textarea, input')?.focus();
    };
    const close = () => {
      place.replaceChildren();
      control.focus();
    };
    return control;
  }
}

function insert(text) {
  emit('insert', { text });
  announce(t('schema.inserted', { name: text }));
}

const insertButton = name => button('schema.insert_name', () => insert(name), { icon: 'plus', class: 'quiet tiny' });

customElements.define('schema-panel', SchemaPanel);
