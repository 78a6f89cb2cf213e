// <answer-change>: a figure against the period before, and by what the change can be split: what explains most of it first.
// `show({ meaning, parts, question, name, why })`: `why` splits at once. Each figure is a guarded query of the database.

import { post } from '../lib/api.js';
import { comparable, compared, latest, monthOf, periodBefore, periodName, splits, splitWithShares, withChange } from '../lib/change.js';
import { button, fill, h, icon, spinner } from '../lib/dom.js';
import { currentLanguage, formatNumber, onLanguage, t } from '../lib/i18n.js';
import { headingText, writerOf } from '../lib/shown.js';
import { session } from '../lib/state.js';
import { problemNote } from './problem-note.js';
import './result-table.js';

// Columns by which splits are compared.
const HELPERS = ['moved', 'place', 'explains'];
const MOST_SPLITS = 4;
const SHOWN_SPLITS = 2;
// What changed by less has no share that says anything.
const LEAST_PERCENT = 10;

class AnswerChange extends HTMLElement {
  #end = null;
  #drawn = null;

  connectedCallback() {
    this.#end = onLanguage(() => this.#drawn?.());
  }

  disconnectedCallback() {
    this.#end?.();
  }

  show({ meaning, parts, question, name, why }) {
    const known = comparable(meaning, parts);
    // Only a question for reasons is about a period that it does not name.
    if (!known || (!known.period && !why)) return this;
    Object.assign(this, { meaning, parts, question, name, known });
    // Each comparison is a question: who has few of them is asked first.
    if (why || !session()?.budget?.some(({ questions_per_day: most }) => most)) this.#compare(why);
    else fill(this, button('change.compare', () => this.#compare(false), { icon: 'redo', class: 'quiet small' }));
    return this;
  }

  async #sql(meaning) {
    return (await post('to-sql', { question: this.question, options: { model: 'builtin', meaning } })).sql;
  }

  /** Without a period in the question: the last month that is whole. */
  async #period() {
    if (this.known.period) return this.known.period;
    const { result_rows: [row] } = await post('run', { sql: await this.#sql(latest(this.meaning, this.known)) });
    const day = row?.latest?.slice(0, 10);
    if (!day) return null;
    const month = monthOf(this.known.dateColumn, day);
    return Number(day.slice(8)) >= 28 ? month : periodBefore(month);
  }

  async #compare(why) {
    if (why) fill(this, spinner());
    try {
      this.period = await this.#period();
      if (!this.period) {
        this.replaceChildren();
        return;
      }
      this.total = await this.#sql(compared(this.meaning, this.known, this.period));
      const { result_columns: columns, result_rows: [row] } = await post('run', { sql: withChange(this.total) });
      this.whole = { columns, row };
      this.place = h('div', { class: 'change-splits' });
      this.#drawn = () => this.#draw(why);
      this.#draw(why);
      if (why) await this.#split();
    } catch (problem) {
      // The figure itself is there; only who asked for the comparison is told.
      fill(this, why && problemNote(problem));
    }
  }

  #draw(why) {
    const { row, columns } = this.whole;
    const type = columns.find(({ name }) => name === 'period_now').type;
    const write = writerOf({ name: 'figure', type }, [row.period_now, row.period_before], currentLanguage()) ?? String;
    const names = [this.period, periodBefore(this.period)].map(period => periodName(period, currentLanguage()));
    const [now, earlier] = [row.period_now, row.period_before].map(value => (value === null ? t('value.null') : write(String(value))));
    const percent = row.percent === null || row.percent === undefined ? null : Number(row.percent);
    const way = percent === null || percent === 0 ? 'same' : percent > 0 ? 'more' : 'less';
    const line = h('p', { class: `change change-${way}` }, h('span', {}, way !== 'same' && icon('arrowUp'), t(percent === null ? 'change.figures' : `change.${way}`, {
      now, earlier, period: names[0], before: names[1], percent: percent === null ? '' : formatNumber(Math.abs(percent)),
    })));
    fill(this, line, this.place);
    if (!why && !this.place.hasChildNodes() && splits(this.known, this.parts).length > 0) {
      line.append(button('change.split', () => this.#split(), { class: 'quiet small' }));
    }
  }

  async #split() {
    this.querySelector('.change .button')?.remove();
    fill(this.place, spinner());
    try {
      const found = [];
      for (const { text, dimensions } of splits(this.known, this.parts).slice(0, MOST_SPLITS)) {
        // A split that is refused, because of a table that may not be read, leaves the others.
        const sql = await this.#sql(compared(this.meaning, this.known, this.period, dimensions)).catch(() => null);
        if (!sql) continue;
        const { result_columns: columns, result_rows: rows } = await post('run', { sql: splitWithShares(this.total, sql) });
        if (rows.length > 1) found.push({ text, columns, rows, explains: Number(rows[0].explains ?? 0) });
      }
      found.sort((a, b) => b.explains - a.explains);
      fill(this.place, found.length === 0 ? h('p', { class: 'muted', t: 'change.none' }) : [
        h('p', { class: 'muted tiny', t: 'change.where' }),
        found.slice(0, SHOWN_SPLITS).map(split => this.#table(split)),
      ]);
    } catch (problem) {
      fill(this.place, problemNote(problem, { retry: () => this.#split() }));
    }
  }

  #table({ text, columns, rows }) {
    const percent = Number(this.whole.row.percent ?? 0);
    const names = {
      period_before: periodName(periodBefore(this.period), currentLanguage()), period_now: periodName(this.period, currentLanguage()),
      change: t('change.change'), share_percent: t('change.share'),
    };
    const dimensions = columns.filter(({ name }) => !(name in names) && !HELPERS.includes(name));
    // The split says in the reader's words what the database calls by its own.
    if (dimensions.length === 1) names[dimensions[0].name] = headingText(text.replace(/^(by|nach) /, ''));
    const kept = columns.filter(({ name }) => !HELPERS.includes(name) && (name !== 'share_percent' || Math.abs(percent) >= LEAST_PERCENT));
    const table = h('result-table');
    table.result = {
      columns: kept.map(column => ({ ...column, name: names[column.name] ?? column.name })),
      rows: rows.map(row => Object.fromEntries(kept.map(({ name }) => [names[name] ?? name, row[name]]))),
      caption: `${this.name} ${text}`,
    };
    return h('section', {}, h('h4', {}, text), table);
  }
}

customElements.define('answer-change', AnswerChange);
