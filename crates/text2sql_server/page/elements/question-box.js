// <question-box>: the question, or SQL that is to be explained; examples; earlier questions with the arrow keys.

import { get } from '../lib/api.js';
import { fill, h, icon, iconButton } from '../lib/dom.js';
import { onLanguage, setTexts } from '../lib/i18n.js';
import { starters } from '../lib/starters.js';
import { emit, may, on, preference, setPreference } from '../lib/state.js';
import { loadFile } from './file-drop.js';
import { shortcut } from './shortcut-list.js';

const MOST_EXAMPLES = 4;
// The box is small while nobody writes (question.css): what is pressed meanwhile must not move away.
const SMALL = matchMedia('(pointer: coarse), (max-width: 640px)');

class QuestionBox extends HTMLElement {
  #mode = 'ask';
  #running = null;
  #earlier = null;
  #at = -1;
  #draft = '';
  #ends = [];

  connectedCallback() {
    if (!this.hasChildNodes()) this.#render();
    this.#ends = [
      on('running', running => this.#showRunning(running)),
      on('prefill', ({ question, sql }) => this.#prefill(question, sql)),
      on('insert', ({ text }) => this.#insert(text)),
      on('conversation', () => this.#focus()),
      on('ask', ({ question }) => this.#remember(question)),
      on('thread-empty', empty => { this.examples.hidden = !empty || this.#mode !== 'ask'; this.empty = empty; }),
      shortcut('KeyQ', () => this.#focus()),
    ];
    this.#loadExamples();
    this.#focus();
  }

  disconnectedCallback() {
    for (const end of this.#ends) end();
  }

  #render() {
    this.text = h('textarea', {
      id: 'question', rows: '1', maxlength: '100000', autocomplete: 'off', enterkeyhint: 'send', tLabel: 'ask.label', tPlaceholder: 'ask.placeholder',
      on: { keydown: event => this.#key(event), input: () => { this.#at = -1; this.#grow(); } },
    });
    this.send = h('button', { type: 'submit', class: 'send', tLabel: 'ask.send', tTitle: 'ask.send' }, icon('arrowUp'));
    this.sqlFirst = h('input', { type: 'checkbox', on: { change: () => setPreference('sql-first', this.sqlFirst.checked ? 'on' : null) } });
    this.sqlFirst.checked = preference('sql-first', '') === 'on';
    this.sqlFirstLabel = h('label', { class: 'check', tTitle: 'ask.sql_first.why' }, this.sqlFirst, h('span', { t: 'ask.sql_first' }));
    this.examples = h('div', { class: 'examples', hidden: true });
    this.append(
      h('form', { class: 'composer', on: { submit: event => this.#submit(event) } },
        this.text,
        h('div', { class: 'composer-row' },
          this.ways = h('details', { class: 'ways' }, h('summary', {}, h('span', { t: 'ask.ways' }), icon('chevron')),
            h('div', { class: 'segments', role: 'radiogroup', tLabel: 'mode' }, ['ask', 'plan', 'explain'].map(mode => this.#segment(mode))),
            this.sqlFirstLabel),
          h('span', { class: 'space' }),
          may('load') && iconButton('upload', 'load.open', () => loadFile(), { 'aria-haspopup': 'dialog' }),
          this.send)),
      this.examples,
      h('p', { class: 'composer-foot muted', t: 'ask.foot' }));
    this.ways.open = this.sqlFirst.checked;
  }

  #segment(mode) {
    const input = h('input', { type: 'radio', name: 'mode', value: mode, on: { change: () => this.#setMode(mode) } });
    input.checked = mode === this.#mode;
    return h('label', { class: 'segment' }, input, h('span', { t: `mode.${mode}` }));
  }

  #setMode(mode) {
    this.#mode = mode;
    for (const input of this.querySelectorAll('[name=mode]')) input.checked = input.value === mode;
    const explain = mode === 'explain';
    if (mode !== 'ask') this.ways.open = true;
    setTexts(this.text, explain ? { tLabel: 'explain.label', tPlaceholder: 'explain.placeholder' } : { tLabel: 'ask.label', tPlaceholder: 'ask.placeholder' });
    this.text.classList.toggle('code', explain);
    this.text.spellcheck = !explain;
    this.sqlFirstLabel.hidden = mode !== 'ask';
    this.examples.hidden = explain || !this.empty;
    this.#grow();
  }

  #prefill(question, sql) {
    this.#setMode(sql === undefined ? 'ask' : 'explain');
    this.text.value = sql ?? question;
    this.#grow();
    this.#focus();
  }

  /** Puts a name where the cursor is, with spaces around it. */
  #insert(text) {
    const { selectionStart: from, selectionEnd: to, value } = this.text;
    const before = from > 0 && !/\s$/.test(value.slice(0, from)) ? ' ' : '';
    const after = /^\s/.test(value.slice(to)) || to === value.length ? '' : ' ';
    this.text.setRangeText(`${before}${text}${after}`, from, to, 'end');
    this.#grow();
    this.#focus();
  }

  #focus() {
    // On a phone the keyboard would cover half of the screen before anybody wants to write.
    if (SMALL.matches) return;
    this.text.focus();
  }

  #key(event) {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      this.querySelector('form').requestSubmit();
    } else if (event.key === 'Escape' && this.#running) {
      event.preventDefault();
      this.#running.cancel();
    } else if (event.key === 'ArrowUp' && this.#mode === 'ask' && (this.text.value === '' || this.#at >= 0)) {
      event.preventDefault();
      this.#walk(1);
    } else if (event.key === 'ArrowDown' && this.#at >= 0) {
      event.preventDefault();
      this.#walk(-1);
    }
  }

  async #walk(by) {
    const earlier = await this.#history();
    if (this.#at < 0) this.#draft = this.text.value;
    this.#at = Math.min(Math.max(this.#at + by, -1), earlier.length - 1);
    this.text.value = this.#at < 0 ? this.#draft : earlier[this.#at];
    this.#grow();
    this.text.setSelectionRange(this.text.value.length, this.text.value.length);
  }

  #remember(question) {
    if (this.#earlier) this.#earlier = [question, ...this.#earlier.filter(other => other !== question)];
    else this.asked = [question, ...(this.asked ?? [])];
    this.#at = -1;
  }

  async #history() {
    if (this.#earlier) return this.#earlier;
    let stored = [];
    try {
      const reply = await get('history');
      stored = (reply?.history ?? reply?.questions ?? []).map(entry => entry.question).filter(Boolean);
    } catch {
      // The questions of this page are left.
    }
    this.#earlier = [...new Set([...(this.asked ?? []), ...stored])];
    return this.#earlier;
  }

  /** Questions that are known to have an answer, in the reader's language. */
  async #loadExamples() {
    const show = async () => {
      try {
        this.#showExamples(await starters(MOST_EXAMPLES));
      } catch {
        // No examples is no reason for a message.
      }
    };
    this.#ends.push(onLanguage(show));
    await show();
  }

  #showExamples(questions) {
    fill(this.examples, questions.map(question =>
      h('button', { type: 'button', class: 'chip', on: { click: () => emit('ask', { question, sqlFirst: this.sqlFirst.checked }) } }, question)));
  }

  #showRunning(running) {
    this.#running = running;
    fill(this.send, icon(running ? 'stop' : 'arrowUp'));
    setTexts(this.send, running ? { tLabel: 'ask.stop', tTitle: 'ask.stop' } : { tLabel: 'ask.send', tTitle: 'ask.send' });
    this.send.classList.toggle('stop', Boolean(running));
  }

  #submit(event) {
    event.preventDefault();
    if (this.#running) {
      // Enter while a question runs must not stop it: only the button does.
      if (event.submitter === this.send && document.activeElement === this.send) this.#running.cancel();
      return;
    }
    const text = this.text.value.trim();
    if (text === '') {
      this.text.focus();
      return;
    }
    this.text.value = '';
    this.#grow();
    // The keyboard of a phone would hide the answer.
    if (SMALL.matches) this.text.blur();
    if (this.#mode === 'explain') emit('explain', { sql: text });
    else if (this.#mode === 'plan') emit('plan', { question: text });
    else emit('ask', { question: text, sqlFirst: this.sqlFirst.checked });
  }

  #grow() {
    // Browsers with field-sizing do it themselves.
    if (CSS.supports('field-sizing', 'content')) return;
    this.text.rows = Math.min(8, this.text.value.split('\n').length + Math.floor(this.text.value.length / 80));
  }
}

customElements.define('question-box', QuestionBox);
