// <learn-panel>: a question to practise SQL, an attempt at it, and its mark with a hint.

import { post } from '../lib/api.js';
import { announce, fill, h, spinner } from '../lib/dom.js';
import { currentLanguage, t } from '../lib/i18n.js';
import { area, choice, field, said } from './form-fields.js';
import { problemNote } from './problem-note.js';

const LEVELS = ['easy', 'medium', 'hard'];

class LearnPanel extends HTMLElement {
  #exercise = null;

  connectedCallback() {
    if (this.hasChildNodes()) return;
    this.level = choice(LEVELS.map(level => [level, t(`learn.${level}`)]), 'easy');
    this.attempt = area('', { rows: '6', class: 'code', spellcheck: 'false' });
    this.question = h('div', { class: 'exercise', 'aria-live': 'polite' });
    this.mark = h('div', { class: 'mark', 'aria-live': 'polite' });
    this.answer = h('form', { class: 'inline-form', hidden: true, on: { submit: event => this.#grade(event) } },
      field('learn.attempt', this.attempt),
      h('div', { class: 'form-tools' }, h('button', { type: 'submit', class: 'button primary small' }, h('span', { t: 'learn.grade' }))));
    this.append(
      h('p', { class: 'muted', t: 'learn.lead' }),
      h('form', { class: 'inline-form', on: { submit: event => this.#ask(event) } },
        field('learn.level', this.level),
        h('div', { class: 'form-tools' }, h('button', { type: 'submit', class: 'button small' }, h('span', { t: 'learn.new' })))),
      this.question, this.answer, this.mark);
  }

  async #ask(event) {
    event.preventDefault();
    fill(this.question, spinner());
    fill(this.mark);
    this.answer.hidden = true;
    try {
      this.#exercise = await post('exercise', { level: this.level.value, language: currentLanguage() });
    } catch (problem) {
      fill(this.question, problemNote(problem));
      return;
    }
    const { question, tables } = this.#exercise;
    fill(this.question, h('p', { class: 'exercise-question' }, question),
      h('p', { class: 'muted tiny', t: 'learn.tables', tArgs: { tables: tables.join(', ') } }));
    this.attempt.value = '';
    this.answer.hidden = false;
    this.attempt.focus();
  }

  async #grade(event) {
    event.preventDefault();
    const sql = said(this.attempt);
    if (sql === null) {
      this.attempt.focus();
      return;
    }
    fill(this.mark, spinner());
    try {
      const { mark, hint } = await post('grade', { exercise: this.#exercise.exercise, sql, language: currentLanguage() });
      fill(this.mark, h('p', { class: `mark-${mark}` }, h('strong', { t: `mark.${mark}` })), hint && h('p', {}, hint));
      announce(t(`mark.${mark}`));
    } catch (problem) {
      fill(this.mark, problemNote(problem));
    }
  }
}

customElements.define('learn-panel', LearnPanel);
