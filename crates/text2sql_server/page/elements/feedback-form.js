// <feedback-form>: was that right? A wrong answer can come with the right SQL and a comment. Where there is no answer,
// there is nothing to judge: a curator can be asked, who sees the words that were missing and what was understood.
// `about({ question, traceId, sql, answered, missing, understood })`.

import { post, remove } from '../lib/api.js';
import { announce, button, fill, h, icon, uniqueId } from '../lib/dom.js';
import { setTexts, t } from '../lib/i18n.js';
import { forgetTold, tell } from '../lib/kept.js';
import { problemNote } from './problem-note.js';
import './sql-editor.js';

class FeedbackForm extends HTMLElement {
  about({ question, traceId, sql, answered = true, missing = [], understood = [] }) {
    this.question = question;
    this.missing = missing;
    this.understood = understood;
    this.traceId = traceId;
    this.sql = sql;
    const verdict = (name, iconName) => h('button', {
      type: 'button', class: 'icon-button', tLabel: `feedback.${name}`, tTitle: `feedback.${name}`, 'aria-pressed': 'false', data: { verdict: name },
      on: { click: () => this.#choose(name) },
    }, icon(iconName));
    this.answered = answered;
    this.buttons = answered
      ? h('span', { class: 'feedback-buttons', role: 'group', tLabel: 'feedback.label' }, verdict('right', 'thumbUp'), verdict('wrong', 'thumbDown'))
      : h('span', { class: 'feedback-buttons' }, button('feedback.curator', () => this.#choose('wrong'), { icon: 'question', class: 'quiet small', data: { verdict: 'wrong' } }));
    this.place = h('div', { class: 'feedback-place' });
    fill(this, answered && h('span', { class: 'feedback-label muted', 'aria-hidden': 'true', t: 'feedback.label' }), this.buttons, this.place);
  }

  #press(name) {
    if (this.answered) for (const candidate of this.buttons.children) candidate.setAttribute('aria-pressed', String(candidate.dataset.verdict === name));
  }

  #choose(verdict) {
    this.#press(verdict);
    if (verdict === 'right') this.#send({ verdict });
    else this.#ask();
  }

  #ask() {
    const comment = uniqueId('comment');
    const text = h('textarea', { id: comment, rows: '2', tPlaceholder: 'feedback.comment.placeholder' });
    const editor = this.sql ? h('sql-editor', { bare: true }) : null;
    const form = h('form', { class: 'feedback-form', on: { submit: event => {
      event.preventDefault();
      const corrected = editor?.value.trim();
      this.#send({
        verdict: 'wrong',
        corrected_sql: corrected && corrected !== this.sql.trim() ? corrected : null,
        comment: this.#comment(text.value.trim()),
      });
    } } },
    this.missing.length > 0 && h('p', {}, t('feedback.missing', { words: this.missing.join(', ') })),
    this.understood.length > 0 && h('ul', { class: 'tiny' }, this.understood.map(part => h('li', {}, part))),
    h('label', { for: comment, t: this.answered ? 'feedback.comment' : 'feedback.comment.refused' }), text,
    h('p', { class: 'hint muted', t: 'feedback.comment.hint' }),
    editor && h('details', {}, h('summary', {}, h('span', { t: 'feedback.sql' }), icon('chevron')), editor),
    h('div', { class: 'form-foot' },
      button('cancel', () => { this.#press(null); this.place.replaceChildren(); this.buttons.lastElementChild.focus(); }, { class: 'quiet' }),
      h('button', { type: 'submit', class: 'button primary', t: 'feedback.send' })));
    fill(this.place, form);
    if (editor) {
      editor.value = this.closest('answer-part, .answer')?.querySelector('query-details')?.currentSql ?? this.sql;
      editor.editable = true;
      // What would be sent is seen.
      form.querySelector('details').open = editor.value !== this.sql;
    }
    text.focus();
  }

  /** What the asker wrote; of a refusal with the words that were missing, for the form in which the curator teaches them. */
  #comment(text) {
    // "word := meaning" is a suggestion of its own.
    if (this.missing.length === 0 || text.includes(':=')) return text || null;
    return [`? ${this.missing.join(', ')}`, ...this.understood.map(part => `✓ ${part}`), text].filter(Boolean).join('\n');
  }

  async #send(body) {
    const buttons = [...this.querySelectorAll('button')];
    for (const control of buttons) control.disabled = true;
    try {
      const reply = await post('feedback', { trace_id: this.traceId, ...body });
      const example = reply?.example_id ?? null;
      if (!this.answered && this.question) tell(this.question);
      const key = example !== null ? 'feedback.waits' : this.answered ? 'feedback.noted' : 'feedback.told';
      const text = h('span', { t: key });
      fill(this.place, h('p', { class: 'feedback-done' }, icon('check'), text, button('feedback.undo', () => this.#undo(), { class: 'quiet small' })));
      announce(t(key));
    } catch (problem) {
      this.#press(null);
      this.place.append(problemNote(problem));
    } finally {
      for (const control of buttons) control.disabled = false;
    }
  }

  async #undo() {
    try {
      await remove(`feedback/${encodeURIComponent(this.traceId)}`);
      if (this.question) forgetTold(this.question);
      this.#press(null);
      const gone = h('span', { class: 'muted' });
      setTexts(gone, { t: 'feedback.undone' });
      fill(this.place, gone);
      this.buttons.firstElementChild.focus();
    } catch (problem) {
      fill(this.place, problemNote(problem));
    }
  }
}

customElements.define('feedback-form', FeedbackForm);
