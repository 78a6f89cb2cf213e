// Pins an answer to a board.

import { h } from '../lib/dom.js';
import { t } from '../lib/i18n.js';
import { boards, pin } from '../lib/kept.js';
import { emit } from '../lib/state.js';
import { choice, field, form, line } from './form-fields.js';

/** Asks for the board; `answer` is `{ question, queries, is_asked }`. */
export function openPinDialog(answer) {
  const own = boards().filter(board => board.is_own);
  const select = choice([...own.map(({ name }) => [`=${name}`, name]), ['', t('board.new')]], own.length > 0 ? `=${own.at(-1).name}` : '');
  const name = line('', { required: true, maxlength: 100 });
  const nameField = field('board.name', name);
  const choose = () => {
    nameField.hidden = name.disabled = select.value !== '';
  };
  select.addEventListener('change', choose);
  choose();
  const chosen = () => (select.value === '' ? name.value.trim() : select.value.slice(1));
  const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': 'pin-title', on: { close: () => dialog.remove() } },
    h('h2', { id: 'pin-title', t: 'board.pin' }),
    h('p', { class: 'muted', t: 'board.pin.lead' }),
    form({
      title: 'board.pin', submit: 'board.pin', fields: [own.length > 0 && field('board.board', select), nameField],
      save: () => pin(chosen(), answer),
      saved: () => {
        dialog.close();
        emit('board', { name: chosen() });
      },
      cancel: () => dialog.close(),
    }));
  document.body.append(dialog);
  dialog.showModal();
  (nameField.hidden ? select : name).focus();
}
