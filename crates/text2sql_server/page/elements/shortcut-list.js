// Keyboard shortcuts, and the list of them. All are Alt+key, which no screen reader and no text field uses.

import { button, h } from '../lib/dom.js';

const SHORTCUTS = [
  [['Enter'], 'shortcut.send'],
  [['Shift', 'Enter'], 'shortcut.line'],
  [['↑', '↓'], 'shortcut.history'],
  [['Esc'], 'shortcut.cancel'],
  [['Ctrl', 'Enter'], 'shortcut.run'],
  [['Alt', 'Q'], 'shortcut.question'],
  [['Alt', 'N'], 'shortcut.new'],
  [['Alt', 'B'], 'shortcut.side'],
  [['Alt', 'I'], 'shortcut.panel'],
  [['Alt', 'K'], 'shortcut.list'],
];

/** Calls `work` at Alt and the key of that code. Returns what ends that. */
export function shortcut(code, work) {
  const listener = event => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== code) return;
    event.preventDefault();
    work();
  };
  addEventListener('keydown', listener);
  return () => removeEventListener('keydown', listener);
}

/** Shows the list. */
export function openShortcuts() {
  if (document.querySelector('dialog[open]')) return;
  const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': 'shortcuts-title', on: { close: () => dialog.remove() } },
    h('h2', { id: 'shortcuts-title', t: 'shortcuts' }),
    h('dl', { class: 'shortcuts' }, SHORTCUTS.map(([keys, key]) => [
      h('dt', {}, keys.map((name, at) => [at > 0 && ' ', h('kbd', {}, name)])), h('dd', { t: key }),
    ])),
    h('div', { class: 'dialog-foot' }, button('close', () => dialog.close(), { class: 'primary' })));
  document.body.append(dialog);
  dialog.showModal();
}
