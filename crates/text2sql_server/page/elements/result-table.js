// <result-table>: rows as a table that can be sorted and paged. Property `result`:
// { columns: [{ name, type }], rows: [{ … }], truncated, caption, answer, parts }. `table-sorted` tells the rows in their new order.

import { announce, button, fill, h, iconButton } from '../lib/dom.js';
import { currentLanguage, formatNumber, onLanguage, setTexts, t } from '../lib/i18n.js';
import { preference, setPreference } from '../lib/state.js';
import { orderBySize } from '../lib/chart-order.js';
import { headingsOf, writerOf } from '../lib/shown.js';
import { keysOf, kindOf, sortedOrder, textOf } from '../lib/values.js';

const SIZES = [10, 25, 100];
// The months of a year are one page.
const SHORT = 15;
const LONG_TEXT = 160;
// More have no chart.
const MOST_BARS = 30;

class ResultTable extends HTMLElement {
  #result = null;
  #keys = [];
  #kinds = [];
  #headings = [];
  #writers = [];
  #order = [];
  #sort = { column: -1, descending: false };
  #page = 0;
  #end = null;
  #tools = null;

  set result(result) {
    this.#result = result;
    this.#keys = keysOf(result.columns, result.rows);
    this.#kinds = result.columns.map(column => kindOf(column.type ?? 'text'));
    // An answer stands as its chart: who is largest first. Of a result that was cut nobody knows that.
    const bySize = result.answer && !result.truncated && result.rows.length <= MOST_BARS ? orderBySize(result) : null;
    this.#order = bySize?.order ?? result.rows.map((_row, at) => at);
    this.#sort = bySize ? { column: bySize.column, descending: true } : { column: -1, descending: false };
    this.#page = 0;
    this.#render();
  }

  /** What stands beside the number of rows: buttons of the owner. */
  set tools(tools) {
    this.#tools = tools;
  }

  get result() {
    return this.#result;
  }

  connectedCallback() {
    this.#end = onLanguage(() => this.#result && this.#render());
  }

  disconnectedCallback() {
    this.#end?.();
  }

  get #size() {
    const size = Number(preference('page-size', SIZES[0]));
    return SIZES.includes(size) ? size : SIZES[0];
  }

  #render() {
    const { columns, rows, truncated, caption } = this.#result;
    this.#headings = headingsOf(this.#result, this.#keys);
    // One figure is read from afar.
    this.toggleAttribute('data-figure', rows.length === 1 && columns.length === 1 && this.#kinds[0] === 'number');
    this.#writers = columns.map((column, at) => writerOf(column, rows.map(row => row[this.#keys[at]]), currentLanguage()));
    this.head = h('tr', {}, columns.map((column, at) => this.#heading(column, at)));
    this.body = h('tbody');
    this.foot = h('div', { class: 'table-foot' });
    this.cut = truncated && h('p', { class: 'table-cut', t: 'table.truncated', tArgs: { count: rows.length } });
    if (rows.length === 0) {
      fill(this, h('p', { class: 'table-empty', t: 'table.none' }));
      return;
    }
    fill(this,
      h('div', { class: 'table-frame', tabindex: '0', role: 'region', tLabel: 'table.region' },
        h('table', { class: 'result' },
          h('caption', { class: 'visually-hidden' }, caption ?? t('table.caption', { count: rows.length })),
          h('thead', {}, this.head), this.body)),
      this.foot,
      this.cut);
    this.#showRows();
  }

  #heading(column, at) {
    const kind = this.#kinds[at];
    return h('th', { scope: 'col', class: kind === 'number' ? 'number' : null, 'aria-sort': this.#sortOf(at) },
      h('button', { type: 'button', title: `${column.name} (${column.type})`, on: { click: () => this.#sortBy(at) } },
        h('span', {}, this.#headings[at]), h('span', { class: 'sort-sign', 'aria-hidden': 'true' })));
  }

  #sortBy(column) {
    // Down, up, and as the query returned it.
    const { column: before, descending } = this.#sort;
    if (before !== column) this.#sort = { column, descending: false };
    else if (!descending) this.#sort = { column, descending: true };
    else this.#sort = { column: -1, descending: false };
    const { rows } = this.#result;
    this.#order = this.#sort.column < 0
      ? rows.map((_row, at) => at)
      : sortedOrder(rows.map(row => row[this.#keys[column]]), this.#kinds[column], this.#sort.descending, currentLanguage());
    [...this.head.children].forEach((cell, at) => cell.setAttribute('aria-sort', this.#sortOf(at)));
    this.#page = 0;
    this.#showRows();
    if (this.cut) setTexts(this.cut, { t: this.#sort.column < 0 ? 'table.truncated' : 'table.truncated.sorted' });
    announce(t(`table.sorted.${this.#sortOf(column)}`, { column: this.#headings[column] }));
    this.dispatchEvent(new CustomEvent('table-sorted', { detail: this.#order.map(at => rows[at]) }));
  }

  #sortOf(column) {
    if (this.#sort.column !== column) return 'none';
    return this.#sort.descending ? 'descending' : 'ascending';
  }

  #showRows() {
    const { rows } = this.#result;
    const size = rows.length <= SHORT ? SHORT : this.#size;
    const from = this.#page * size;
    const shown = this.#order.slice(from, from + size);
    fill(this.body, shown.map(at => h('tr', {}, this.#keys.map((key, column) => this.#cell(rows[at][key], this.#kinds[column], this.#writers[column])))));
    this.#showFoot(from, shown.length);
  }

  #cell(value, kind, write) {
    const text = textOf(value, kind);
    if (text === null) return h('td', { class: kind === 'number' ? 'number' : null }, h('span', { class: 'absent', title: 'NULL' }, t('value.null')));
    if (text === '') return h('td', {}, h('span', { class: 'absent', title: "''" }, t('value.empty')));
    if (kind === 'boolean') return h('td', {}, h('span', { class: `truth ${text}`, title: text }, t(`value.${text}`)));
    const shown = write?.(text) ?? text;
    const raw = shown === text ? null : text;
    if (kind === 'number') return h('td', { class: 'number', title: raw }, shown);
    const cell = h('td', { class: kind === 'array' || kind === 'json' ? 'structure' : kind === 'time' ? 'time' : null, title: raw });
    if (text.length <= LONG_TEXT) {
      cell.append(shown);
      return cell;
    }
    const more = button('value.more', () => fill(cell, text), { class: 'quiet tiny' });
    cell.append(`${[...text].slice(0, LONG_TEXT).join('')}… `, more);
    return cell;
  }

  #showFoot(from, count) {
    const total = this.#order.length;
    if (total <= SHORT) {
      fill(this.foot, h('span', { class: 'muted', t: 'rows', tArgs: { count: total } }), this.#tools);
      return;
    }
    const pages = Math.ceil(total / this.#size);
    const go = page => {
      const back = page < this.#page;
      this.#page = Math.min(Math.max(page, 0), pages - 1);
      this.#showRows();
      const buttons = this.foot.querySelectorAll('.pager button:not(:disabled)');
      (back ? buttons[0] : buttons[buttons.length - 1])?.focus();
      announce(this.foot.querySelector('.range').textContent);
    };
    const size = h('select', { class: 'quiet-select', tLabel: 'table.size', on: { change: () => {
      setPreference('page-size', size.value);
      this.#page = 0;
      this.#showRows();
      this.foot.querySelector('select').focus();
    } } }, SIZES.map(number => h('option', { value: number }, String(number))));
    size.value = this.#size;
    fill(this.foot,
      h('span', { class: 'range muted' }, t('table.range', { from: from + 1, to: from + count, total })),
      this.#tools,
      h('label', { class: 'muted size' }, h('span', { t: 'table.size' }), size),
      h('span', { class: 'pager' },
        iconButton('back', 'table.previous', () => go(this.#page - 1), { disabled: this.#page === 0 }),
        h('span', { class: 'muted' }, `${formatNumber(this.#page + 1)} / ${formatNumber(pages)}`),
        iconButton('back', 'table.next', () => go(this.#page + 1), { class: 'forward', disabled: this.#page >= pages - 1 })));
  }
}

customElements.define('result-table', ResultTable);
