// Administration: a large dialog with a section for each thing that the role's rights reach, and the reasons why the
// others are not there.

import { button, fill, h, spinner } from '../lib/dom.js';
import { t } from '../lib/i18n.js';
import { may, session } from '../lib/state.js';
import { sections } from './admin-sections.js';
import { problemNote } from './problem-note.js';

/** Opens it. */
export function openAdmin() {
  const shown = sections.filter(section => section.may(may));
  const missing = sections.filter(section => !section.may(may));
  const body = h('div', { id: 'admin-body', class: 'admin-body', role: 'tabpanel', tabindex: '0' });
  const tabs = h('div', { class: 'admin-tabs', role: 'tablist', 'aria-orientation': 'vertical', tLabel: 'admin.sections' },
    shown.map(section => h('button', {
      type: 'button', role: 'tab', id: `admin-${section.id}`, class: 'admin-tab', 'aria-controls': 'admin-body', 'aria-selected': 'false', tabindex: '-1',
      t: `admin.${section.id}`, on: { click: () => open(section) },
    })));
  const dialog = h('dialog', { class: 'dialog admin-dialog', 'aria-labelledby': 'admin-title', on: { close: () => dialog.remove() } },
    h('div', { class: 'admin-head' },
      h('h2', { id: 'admin-title', t: 'admin.title' }),
      h('p', { class: 'muted' }, t('admin.lead', { role: session()?.role ?? '' })),
      button('close', () => dialog.close(), { class: 'small' })),
    h('div', { class: 'admin-columns' },
      h('div', { class: 'admin-side' }, tabs, missing.length > 0 && h('details', { class: 'admin-missing' },
        h('summary', { t: 'admin.missing' }),
        h('ul', { class: 'tiny muted' }, missing.map(section => h('li', {}, h('strong', { t: `admin.${section.id}` }), ': ', t(`admin.${section.id}.missing`, { role: session()?.role ?? '' })))))),
      body));

  async function open(section) {
    for (const tab of tabs.children) {
      const selected = tab.id === `admin-${section.id}`;
      tab.setAttribute('aria-selected', String(selected));
      tab.tabIndex = selected ? 0 : -1;
    }
    body.setAttribute('aria-labelledby', `admin-${section.id}`);
    body.dataset.section = section.id;
    fill(body, spinner());
    const show = async () => {
      try {
        const content = await section.draw(show);
        if (body.dataset.section === section.id) fill(body, h('h3', { t: `admin.${section.id}` }), h('p', { class: 'muted', t: `admin.${section.id}.why` }), content);
      } catch (problem) {
        if (body.dataset.section === section.id) fill(body, problemNote(problem, { retry: show }));
      }
    };
    await show();
  }

  tabs.addEventListener('keydown', event => {
    const all = [...tabs.children];
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = all[(to + all.length) % all.length];
    tab.focus();
    tab.click();
  });
  document.body.append(dialog);
  dialog.showModal();
  if (shown[0]) open(shown[0]);
}
