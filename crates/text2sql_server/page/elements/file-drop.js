// A file that is dropped anywhere on the page is loaded. Without this the browser would leave the page to show it.

import { h } from '../lib/dom.js';
import { may } from '../lib/state.js';

const hasFiles = event => [...(event.dataTransfer?.types ?? [])].includes('Files');

/** Opens the dialog, with the files if there are any. */
export async function loadFile(files) {
  const { openLoadFile } = await import('./load-file.js');
  openLoadFile(files);
}

/** Begins to watch; returns what ends that. */
export function watchDrops() {
  const veil = h('div', { class: 'drop-veil', 'aria-hidden': 'true' }, h('p', { t: 'load.drop' }));
  const listeners = {
    dragover(event) {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = may('ask') ? 'copy' : 'none';
      if (may('ask') && !veil.isConnected) document.body.append(veil);
    },
    dragleave(event) {
      if (event.relatedTarget === null) veil.remove();
    },
    drop(event) {
      veil.remove();
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (may('ask')) loadFile(event.dataTransfer.files);
    },
  };
  for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener);
  return () => {
    veil.remove();
    for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name, listener);
  };
}
