// Makes a view of a question, where the role may.

import { post } from '../lib/api.js';
import { button, fill, h, icon } from '../lib/dom.js';
import { problemNote } from './problem-note.js';

/** Asks for a name and makes the view. */
export function openViewDialog({ question, conversation }) {
  const name = h('input', { id: 'view-name', required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', value: suggestion(question) });
  const outcome = h('div', { role: 'status' });
  const submit = h('button', { type: 'submit', class: 'button primary', t: 'view.make' });
  const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': 'view-title', on: { close: () => dialog.remove() } },
    h('form', { on: { submit: async event => {
      event.preventDefault();
      submit.disabled = true;
      try {
        const { view } = await post('view', { question, name: name.value.trim(), conversation });
        fill(outcome, h('p', { class: 'done' }, icon('check'), h('span', { t: 'view.made', tArgs: { view } })), h('pre', { class: 'code statement' }, `SELECT * FROM ${view};`));
        submit.remove();
      } catch (problem) {
        fill(outcome, problemNote(problem));
        submit.disabled = false;
      }
    } } },
    h('h2', { id: 'view-title', t: 'view.title' }),
    h('p', { class: 'muted', t: 'view.lead' }),
    h('label', { for: 'view-name', t: 'view.name' }), name,
    outcome,
    h('div', { class: 'dialog-foot' }, button('close', () => dialog.close(), { class: 'quiet' }), submit)));
  document.body.append(dialog);
  dialog.showModal();
  name.select();
}

const suggestion = question => (question ?? '').toLowerCase().normalize('NFKD').replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '').slice(0, 40) || 'my_view';
