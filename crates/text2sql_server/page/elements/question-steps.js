// <question-steps>: what happens while a question runs, with times; afterwards one line that can be opened.

import { announce, fill, h, icon } from '../lib/dom.js';
import { formatMilliseconds, hasText, onLanguage, setTexts, t } from '../lib/i18n.js';
import './result-table.js';

const SILENCE_MS = 30_000;
const OPEN_AFTER_MS = 1500;

class QuestionSteps extends HTMLElement {
  #steps = [];
  #began = 0;
  #sign = 0;
  #timer = null;
  #touched = false;
  #endOfListening = null;

  connectedCallback() {
    this.#endOfListening = onLanguage(() => { if (this.list) this.#showSteps(); });
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
    this.#endOfListening?.();
  }

  /** A question begins. `cancel` is called by the button. */
  begin(cancel) {
    this.#began = this.#sign = performance.now();
    this.#steps = [];
    this.label = h('span', { class: 'steps-label', t: 'steps.sent' });
    this.clock = h('span', { class: 'steps-clock', 'aria-hidden': 'true' }, '');
    this.list = h('ol', { class: 'steps-list' });
    this.does = h('ul', { class: 'steps-plan' });
    this.first = h('div');
    this.silence = h('p', { class: 'steps-silence', role: 'status' });
    this.sign = h('span', { class: 'spinner', 'aria-hidden': 'true' });
    this.stop = h('button', { type: 'button', class: 'button quiet small', on: { click: cancel } }, icon('stop'), h('span', { t: 'cancel' }));
    this.details = h('details', { class: 'steps' },
      h('summary', { on: { click: () => { this.#touched = true; } } }, this.sign, this.label, this.clock, icon('chevron')),
      this.list, this.does, this.first);
    fill(this, h('div', { class: 'steps-row' }, this.details, this.stop), this.silence);
    this.#timer = setInterval(() => this.#tick(), 100);
  }

  /** A step of the stream. */
  step(step) {
    // Who waits moves up in the queue: that is one step.
    if (step.stage === 'wait' && this.#steps.at(-1)?.stage === 'wait') this.#steps.pop();
    this.#steps.push(step);
    setTexts(this.label, { t: textOf(step), tArgs: step });
    announce(t(textOf(step), step));
    // Another query than the one whose rows are shown.
    if (step.sql) this.first.replaceChildren();
    this.#showSteps();
  }

  /** What the query that runs does. */
  plan({ steps }) {
    fill(this.does, steps.map(step => h('li', {}, step)));
  }

  /** Its first rows: nobody knows yet whether they are the answer. */
  rows({ result_columns: columns, result_rows: rows }) {
    const table = h('result-table');
    fill(this.first, h('p', { class: 'muted tiny', t: 'steps.first_rows' }), table);
    table.result = { columns, rows, truncated: false, caption: t('steps.first_rows') };
  }

  /** All steps come again, because the connection was lost. */
  restart() {
    this.#steps = [];
    this.#forgetNews();
  }

  #forgetNews() {
    this.does?.replaceChildren();
    this.first?.replaceChildren();
  }

  /** The server said something, if only that it is there. */
  alive() {
    this.#sign = performance.now();
    if (this.silence?.hasChildNodes()) this.silence.replaceChildren();
  }

  /** The question has ended: 'answered', 'failed' or 'cancelled'. */
  end(how) {
    clearInterval(this.#timer);
    if (!this.details) return;
    this.total = performance.now() - this.#began;
    this.sign.remove();
    this.stop.remove();
    this.silence.replaceChildren();
    this.#forgetNews();
    this.clock.textContent = formatMilliseconds(this.total);
    setTexts(this.label, { t: `steps.${how}`, tArgs: {} });
    if (!this.#touched) this.details.open = false;
    this.#showSteps();
    if (this.#steps.length === 0) this.details.classList.add('without-steps');
  }

  #tick() {
    const now = performance.now();
    this.clock.textContent = formatMilliseconds(Math.floor((now - this.#began) / 100) * 100);
    if (!this.#touched && now - this.#began > OPEN_AFTER_MS && this.#steps.length > 0) this.details.open = true;
    if (now - this.#sign > SILENCE_MS) {
      const seconds = Math.floor((now - this.#sign) / 1000 / 10) * 10;
      if (this.silence.dataset.seconds !== String(seconds) || !this.silence.hasChildNodes()) {
        this.silence.dataset.seconds = seconds;
        fill(this.silence, icon('clock'), h('span', { t: navigator.onLine ? 'steps.silence' : 'steps.offline', tArgs: { count: seconds } }));
      }
    }
  }

  #showSteps() {
    fill(this.list, this.#steps.map((step, at) => {
      const until = this.#steps[at + 1]?.ms ?? this.total;
      const took = until === undefined ? null : Math.max(0, until - step.ms);
      return h('li', { class: took === null ? 'current' : null },
        h('span', { class: 'step-name' }, t(textOf(step), step),
          facts(step).map(fact => h('span', { class: 'step-fact' }, fact))),
        h('span', { class: 'step-time' }, took === null ? '…' : formatMilliseconds(took)));
    }));
  }
}

function facts(step) {
  const found = [];
  if (step.repair) found.push(t('steps.repair', { category: step.repair }));
  if (step.rows !== undefined && step.rows !== null) found.push(t('rows', { count: Number(step.rows) }));
  if (step.score !== undefined && step.score !== null) found.push(t('steps.score', { percent: Math.floor(Number(step.score) * 100) }));
  return found;
}

const textOf = ({ stage, position }) => (position ? 'stage.wait.place' : hasText(`stage.${stage}`) ? `stage.${stage}` : 'stage.other');

customElements.define('question-steps', QuestionSteps);
