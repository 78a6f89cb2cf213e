// Pins an answer to a board.

import { button, h } from '../lib/dom.js';
import { t } from '../lib/i18n.js';
import { boards, keepBoard } from '../lib/kept.js';
import { emit } from '../lib/state.js';
import { choice, field, line } from './form-fields.js';

/** Asks for the board; `item` is `{ question, sql }`. */
export function openPinDialog(item) {
  const all = boards();
  const select = choice([...all.map(({ id, name }) => [id, name]), ['', t('board.new')]], all.at(-1)?.id ?? '');
  const name = line('', { required: true, maxlength: 100 });
  const nameField = field('board.name', name);
  const choose = () => {
    const isNew = select.value === '';
    nameField.hidden = !isNew;
    name.required = isNew;
  };
  select.addEventListener('change', choose);
  choose();
  const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': 'pin-title', on: { close: () => dialog.remove() } },
    h('form', { on: { submit: event => {
      event.preventDefault();
      const board = all.find(({ id }) => id === select.value) ?? { id: crypto.randomUUID?.() ?? String(Date.now()), name: name.value.trim(), items: [] };
      const pinned = { ...board, items: [...board.items.filter(({ question }) => question !== item.question), item] };
      keepBoard(pinned);
      dialog.close();
      emit('board', pinned);
    } } },
    h('h2', { id: 'pin-title', t: 'board.pin' }),
    h('p', { class: 'muted', t: 'board.pin.lead' }),
    all.length > 0 && field('board.board', select), nameField,
    h('div', { class: 'dialog-foot' }, button('close', () => dialog.close(), { class: 'quiet' }), h('button', { type: 'submit', class: 'button primary', t: 'board.pin' }))));
  document.body.append(dialog);
  dialog.showModal();
  (nameField.hidden ? select : name).focus();
}
