// A question before something that cannot be undone.

import { button, h } from '../lib/dom.js';

/** Asks, and returns a promise of the answer. `key`, `key.text` and `key.yes` are texts. */
export function confirmed(key, tArgs) {
  return new Promise(resolve => {
    let answer = false;
    const finish = yes => {
      answer = yes;
      dialog.close();
    };
    const title = `confirm-${key.replaceAll('.', '-')}`;
    const dialog = h('dialog', { class: 'dialog confirm', 'aria-labelledby': title, on: { close: () => { dialog.remove(); resolve(answer); } } },
      h('h2', { id: title, t: key, tArgs }),
      h('p', { t: `${key}.text`, tArgs }),
      h('div', { class: 'dialog-foot' },
        button('cancel', () => finish(false), { autofocus: true }),
        button(`${key}.yes`, () => finish(true), { class: 'danger' })));
    document.body.append(dialog);
    dialog.showModal();
  });
}
