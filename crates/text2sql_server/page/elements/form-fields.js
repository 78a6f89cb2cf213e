// Fields with labels, and forms that show the error of the database where it happened.

import { announce, button, fill, h, uniqueId } from '../lib/dom.js';
import { t } from '../lib/i18n.js';
import { problemNote } from './problem-note.js';

/** A control with its label, and a hint that a screen reader reads with it. */
export function field(label, control, { hint, tArgs } = {}) {
  control.id ||= uniqueId('field');
  const hintId = hint && `${control.id}-hint`;
  if (hintId) control.setAttribute('aria-describedby', hintId);
  return h('div', { class: 'field' },
    h('label', { for: control.id, t: label, tArgs }), control,
    hint && h('p', { id: hintId, class: 'muted tiny', t: hint }));
}

export const line = (value = '', attributes = {}) => h('input', { type: 'text', autocomplete: 'off', ...attributes, props: { value: value ?? '' } });
export const area = (value = '', attributes = {}) => h('textarea', { rows: '2', ...attributes, props: { value: value ?? '' } });
export const choice = (options, value, attributes = {}) => {
  const select = h('select', attributes, options.map(([name, label]) => h('option', { value: name }, label)));
  select.value = value;
  return select;
};

/** Text of a control; null for nothing. */
export const said = control => control.value.trim() || null;

/** Words between commas. */
export const words = control => control.value.split(',').map(word => word.trim()).filter(Boolean);

/**
 * A form. `save` does the work and may raise a `Problem`, which is shown in the form; then `saved` is called.
 */
export function form({ title, fields, save, saved, cancel, submit = 'teach.save' }) {
  const problem = h('div', { class: 'form-problem' });
  const send = h('button', { type: 'submit', class: 'button primary small' }, h('span', { t: submit }));
  return h('form', {
    class: 'inline-form', tLabel: title, on: {
      submit: async event => {
        event.preventDefault();
        problem.replaceChildren();
        send.disabled = true;
        try {
          await save();
        } catch (error) {
          send.disabled = false;
          fill(problem, problemNote(error));
          return;
        }
        send.disabled = false;
        announce(t('teach.saved'));
        saved?.();
      },
      keydown: event => {
        if (event.key !== 'Escape' || !cancel) return;
        event.stopPropagation();
        cancel();
      },
    },
  }, fields, problem, h('div', { class: 'form-tools' }, send, cancel && button('cancel', cancel, { class: 'quiet small' })));
}

/** A button that becomes the form that `make(close)` returns, and comes back when the form is closed. */
export function opener(key, make, options = {}) {
  const place = h('div', { class: 'opener' });
  const close = () => {
    fill(place, open);
    open.focus();
  };
  const open = button(key, () => {
    fill(place, make(close));
    place.querySelector('input, textarea, select')?.focus();
  }, { icon: 'plus', class: 'quiet small', ...options });
  place.append(open);
  return place;
}

/**
 * A button that does something at once; its error appears below it. `work` returns what is shown in place of
 * `host`, or nothing.
 */
export function actionButton(key, host, work, options = {}) {
  return button(key, async event => {
    const control = event.currentTarget;
    host.querySelector(':scope > .action-problem')?.remove();
    control.disabled = true;
    control.setAttribute('aria-busy', 'true');
    try {
      await work();
    } catch (problem) {
      host.append(h('div', { class: 'action-problem' }, problemNote(problem)));
    }
    control.disabled = false;
    control.removeAttribute('aria-busy');
  }, { class: 'small', ...options });
}
