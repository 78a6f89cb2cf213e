// <answer-chart>: the chart of a result, below its table, where one fits. The server decides which and draws it
// (POST /chart). Property `result` as of <result-table>.

import { post } from '../lib/api.js';
import { announce, button, fill, h, icon, uniqueId } from '../lib/dom.js';
import { currentLanguage, languageOf, onLanguage, setTexts, t } from '../lib/i18n.js';
import { rowsForChart } from '../lib/chart-order.js';
import { headingsOf } from '../lib/shown.js';
import { emit } from '../lib/state.js';
import { keysOf, kindOf } from '../lib/values.js';
import { copyPng, downloadSvg, readSvg, savePng } from '../lib/svg.js';

// The server takes a megabyte. More rows have no chart anyway.
const MOST_ROWS = 2500;

class AnswerChart extends HTMLElement {
  #result = null;
  #kind = null;
  #sorted = null;
  #width = 0;
  #drawing = 0;
  #ends = [];

  set result(result) {
    this.#result = result;
    this.#kind = null;
    this.#sorted = null;
    this.#draw();
  }

  /** The rows as the reader has sorted them; null: as the chart orders them. */
  set sorted(rows) {
    this.#sorted = rows;
    if (this.#result) this.#draw();
  }

  connectedCallback() {
    const observer = new ResizeObserver(([entry]) => this.#resize(entry.contentRect.width));
    observer.observe(this);
    this.#ends = [onLanguage(() => this.#draw()), () => observer.disconnect()];
  }

  disconnectedCallback() {
    for (const end of this.#ends) end();
  }

  // Texts of a chart keep their size, so another width is another chart.
  #resize(width) {
    if (this.querySelector('svg.chart') && Math.abs(width - this.#width) > 120) this.#draw();
  }

  async #draw() {
    const result = this.#result;
    if (!result || result.rows.length < 2 || result.rows.length > MOST_ROWS) {
      this.replaceChildren();
      return;
    }
    const drawing = ++this.#drawing;
    this.#width = this.clientWidth || this.parentElement?.clientWidth || 720;
    this.setAttribute('aria-busy', 'true');
    try {
      const chart = await post('chart', {
        ...named(result, this.#sorted ?? rowsForChart(result)),
        truncated: result.truncated === true,
        kind: this.#kind ?? undefined,
        language: currentLanguage(),
        title: result.caption ?? undefined,
        width: Math.round(this.#width),
      });
      if (drawing === this.#drawing) this.#show(chart);
    } catch (problem) {
      // The table is there. A chart that fails is no reason for a message, but for one that is too large.
      if (drawing === this.#drawing) fill(this, problem.status === 413 && h('p', { class: 'chart-reason', t: 'chart.too_large' }));
    } finally {
      if (drawing === this.#drawing) this.removeAttribute('aria-busy');
    }
  }

  #show({ kind, kinds, reason, svg }) {
    const drawn = svg && readSvg(svg);
    if (!drawn) {
      fill(this, h('p', { class: 'chart-reason' }, reason));
      return;
    }
    const name = this.#result.caption ?? t('chart.label');
    if (this.#result.sql) this.#followUps(drawn);
    const focused = this.contains(document.activeElement) ? document.activeElement.value : null;
    fill(this, h('figure', { class: 'chart-figure' },
      h('div', { class: 'chart-tools' },
        this.#kinds(kind, kinds),
        h('span', { class: 'space' }),
        copyButtonFor(drawn),
        button('chart.png', () => savePng(drawn, name), { class: 'quiet small' }),
        button('chart.download', () => downloadSvg(drawn, name), { class: 'quiet small' })),
      drawn,
      h('figcaption', { class: 'chart-reason' }, reason)));
    if (focused) this.querySelector(`input[value="${kind}"]`)?.focus();
  }

  /** A click on a bar, or on its name, asks for it alone. */
  #followUps(drawn) {
    const { columns, rows, caption } = this.#result;
    const at = columns.findIndex(({ type }) => kindOf(type ?? 'text') === 'text');
    if (at < 0 || columns.filter(({ type }) => kindOf(type ?? 'text') === 'text').length > 1) return;
    const key = keysOf(columns, rows)[at];
    const values = [...new Set(rows.map(row => row[key]))].filter(value => typeof value === 'string' && value !== '').sort((a, b) => b.length - a.length);
    // What can be pressed is no picture any more.
    drawn.setAttribute('role', 'group');
    for (const title of drawn.querySelectorAll('rect > title, circle > title, text > title')) {
      const value = values.find(name => title.textContent === name || title.textContent.startsWith(`${name}: `) || title.textContent.startsWith(`${name}, `));
      if (value === undefined) continue;
      const mark = title.parentElement;
      mark.classList.add('chart-follows');
      mark.addEventListener('click', () => emit('ask', { question: onlyIn(caption ?? '', value) }));
      // Each value can be reached by the keyboard once.
      if (mark.localName === 'text') continue;
      mark.setAttribute('tabindex', '0');
      mark.setAttribute('role', 'button');
      mark.setAttribute('aria-label', t('chart.only', { value: title.textContent }));
      mark.addEventListener('keydown', event => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        mark.dispatchEvent(new MouseEvent('click'));
      });
    }
  }

  #kinds(chosen, kinds) {
    if (kinds.length < 2) return null;
    const name = uniqueId('chart-kind');
    return h('div', { class: 'segments', role: 'radiogroup', tLabel: 'chart.kind' }, kinds.map(kind => {
      const input = h('input', { type: 'radio', name, value: kind, on: { change: () => {
        this.#kind = kind;
        this.#draw();
      } } });
      input.checked = kind === chosen;
      return h('label', { class: 'segment' }, input, h('span', { t: `chart.${kind}` }));
    }));
  }
}

/** The follow-up that filters, in the language of the question. */
const onlyIn = (question, value) => `${languageOf(question) === 'de' ? 'nur' : 'only'} ${value}`;

function copyButtonFor(drawn) {
  const label = h('span', { t: 'chart.copy' });
  return h('button', { type: 'button', class: 'button quiet small', on: { click: async () => {
    const copied = await copyPng(drawn);
    setTexts(label, { t: copied ? 'copied' : 'copy.failed' });
    announce(t(copied ? 'copied' : 'copy.failed'));
    setTimeout(() => setTexts(label, { t: 'chart.copy' }), 2000);
  } } }, icon('copy'), label);
}

/** Columns and rows with the names that people read. */
function named(result, ordered) {
  const { columns, rows } = result;
  const keys = keysOf(columns, rows);
  const names = headingsOf(result, keys);
  return {
    result_columns: columns.map((column, at) => ({ ...column, name: names[at] })),
    result_rows: ordered.map(row => Object.fromEntries(keys.map((key, at) => [names[at], row[key]]))),
  };
}

customElements.define('answer-chart', AnswerChart);
