// <app-shell>: header, conversations at the left, the thread with the question box, a panel with tabs at the right.
// On a narrow screen the two sides are drawers over the thread.

import { announce, button, fill, h, icon, iconButton, spinner } from '../lib/dom.js';
import { forgetTold } from '../lib/kept.js';
import { taughtMeanwhile } from '../lib/starters.js';
import { emit, may, on, preference, session, setPreference } from '../lib/state.js';
import { tellPeople } from '../lib/tell.js';
import { languageSwitch, themeSwitch } from './preference-switches.js';
import { panels } from './panels.js';
import { problemNote } from './problem-note.js';
import { openShortcuts, shortcut } from './shortcut-list.js';
import './answer-thread.js';
import './conversation-list.js';
import { watchDrops } from './file-drop.js';
import './question-box.js';
import { warningNotes } from './who-am-i.js';

const NARROW = matchMedia('(max-width: 900px)');
// The panel lies over the thread (layout.css).
const OVERLAY = matchMedia('(max-width: 1180px)');

class AppShell extends HTMLElement {
  #panel = null;
  #ends = [];

  connectedCallback() {
    if (!this.hasChildNodes()) this.#render();
    this.#ends = [
      on('panel', id => this.#openPanel(id)),
      on('conversation', () => this.#closeDrawers()),
      on('ask', () => this.#closeDrawers()),
      shortcut('KeyN', () => emit('conversation', { conversation: null })),
      shortcut('KeyI', () => emit('panel', this.#panel ? null : preference('panel-last', panels[0]?.id))),
      shortcut('KeyB', () => this.#toggleSide()),
      shortcut('KeyK', openShortcuts),
      watchDrops(),
      on('waiting-count', detail => this.#showWaiting(detail)),
      tellPeople(),
    ];
    this.addEventListener('keydown', event => {
      if (event.key !== 'Escape') return;
      if (NARROW.matches) this.#closeDrawers();
      else if (OVERLAY.matches && this.panel.contains(event.target)) emit('panel', null);
    });
    this.#openPanel(NARROW.matches ? null : preference('panel', null));
    if (may('ask')) this.#showTaught();
  }

  /** What was asked in vain, and can be answered by now: somebody has taught what was missing. */
  async #showTaught() {
    const questions = await taughtMeanwhile().catch(() => []);
    for (const question of questions) {
      const gone = () => {
        forgetTold(question);
        note.remove();
      };
      const note = h('div', { class: 'note taught', role: 'status' }, icon('check'), h('p', {}, h('span', { t: 'taught', tArgs: { question } })),
        button('taught.ask', () => {
          gone();
          emit('ask', { question });
        }, { icon: 'play', class: 'small' }),
        iconButton('close', 'close', gone, { class: 'small' }));
      this.notes.append(note);
    }
  }

  disconnectedCallback() {
    for (const end of this.#ends) end();
  }

  #render() {
    this.sideButton = iconButton('menu', 'side.toggle', () => this.#toggleSide(), { 'aria-controls': 'side', 'aria-expanded': 'false' });
    this.panelButton = iconButton('panel', 'panel.toggle',
      () => emit('panel', this.#panel ? null : preference('panel-last', panels[0]?.id)), { 'aria-controls': 'panel', 'aria-expanded': 'false' });
    this.side = h('nav', { id: 'side', class: 'side', tLabel: 'side.label' },
      button('conversation.new', () => emit('conversation', { conversation: null }), { icon: 'plus', class: 'new-conversation' }),
      h('conversation-list'),
      h('div', { class: 'side-foot' }, languageSwitch(), themeSwitch()));
    this.tabs = h('div', { class: 'tabs', role: 'tablist', tLabel: 'panel.label', on: { keydown: event => this.#walkTabs(event) } });
    this.panelBody = h('div', { id: 'panel-body', class: 'panel-body', role: 'tabpanel', tabindex: '0' });
    this.panel = h('aside', { id: 'panel', class: 'panel', tLabel: 'panel.label', hidden: true },
      h('div', { class: 'panel-head' }, this.tabs, iconButton('close', 'panel.close', () => emit('panel', null))),
      this.panelBody);
    this.veil = h('div', { class: 'veil', on: { click: () => this.#closeDrawers() } });
    this.append(
      h('a', { class: 'skip', href: '#question', t: 'skip', on: { click: event => { event.preventDefault(); document.getElementById('question')?.focus(); } } }),
      h('header', { class: 'top' },
        this.sideButton,
        h('span', { class: 'brand' }, h('span', { class: 'brand-mark', 'aria-hidden': 'true' }), h('span', { class: 'brand-name' }, session()?.database ?? 'text2sql')),
        h('span', { class: 'space' }),
        h('who-am-i'),
        h('span', { class: 'top-tools' },
          languageSwitch(), themeSwitch(),
          iconButton('question', 'shortcuts', openShortcuts, { class: 'wide-only' })),
        this.panelButton),
      this.side,
      h('main', { class: 'main' }, this.notes = h('div', { class: 'session-warnings' }, warningNotes(session())), may('ask') && [h('answer-thread'), h('question-box')]),
      this.panel,
      this.veil);
    this.#renderTabs();
  }

  #renderTabs() {
    fill(this.tabs, panels.filter(panel => panel.may?.(session()) ?? true).map(panel =>
      h('button', {
        type: 'button', role: 'tab', id: `tab-${panel.id}`, class: 'tab', 'aria-controls': 'panel-body', 'aria-selected': 'false', tabindex: '-1',
        data: { panel: panel.id }, on: { click: () => emit('panel', panel.id) },
      }, h('span', { t: panel.title }))));
  }

  /** How much waits, at the button of the panel and at its tab. */
  #showWaiting({ count, text }) {
    for (const place of [this.panelButton, this.tabs.querySelector('[data-panel=waiting]')]) {
      place?.querySelector('.count')?.remove();
      if (place && count > 0) place.append(h('span', { class: 'count', title: text }, String(count)));
    }
    if (count > 0) announce(text);
  }

  #walkTabs(event) {
    const tabs = [...this.tabs.children];
    const at = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = tabs[(to + tabs.length) % tabs.length];
    tab.focus();
    emit('panel', tab.dataset.panel);
  }

  async #openPanel(id) {
    const panel = panels.find(candidate => candidate.id === id && (candidate.may?.(session()) ?? true));
    if (panel && panel.id === this.#panel) return;
    const focusWasInside = this.panel.contains(document.activeElement);
    this.#panel = panel?.id ?? null;
    setPreference('panel', this.#panel);
    this.panel.hidden = !panel;
    this.panelButton.setAttribute('aria-expanded', String(Boolean(panel)));
    this.toggleAttribute('data-panel', Boolean(panel));
    if (!panel) {
      if (focusWasInside) this.panelButton.focus();
      return;
    }
    setPreference('panel-last', panel.id);
    for (const tab of this.tabs.children) {
      const selected = tab.dataset.panel === panel.id;
      tab.setAttribute('aria-selected', String(selected));
      tab.tabIndex = selected ? 0 : -1;
    }
    this.panelBody.setAttribute('aria-labelledby', `tab-${panel.id}`);
    fill(this.panelBody, spinner());
    try {
      await panel.load();
      if (this.#panel === panel.id) fill(this.panelBody, h(panel.element));
    } catch (problem) {
      if (this.#panel === panel.id) fill(this.panelBody, problemNote(problem));
    }
  }

  #toggleSide() {
    const attribute = NARROW.matches ? 'data-side-open' : 'data-side-closed';
    this.toggleAttribute(attribute);
    const open = NARROW.matches ? this.hasAttribute(attribute) : !this.hasAttribute(attribute);
    this.sideButton.setAttribute('aria-expanded', String(open));
    if (open && NARROW.matches) this.side.querySelector('button')?.focus();
  }

  #closeDrawers() {
    if (!NARROW.matches) return;
    this.removeAttribute('data-side-open');
    this.sideButton.setAttribute('aria-expanded', 'false');
    if (this.#panel) emit('panel', null);
  }
}

customElements.define('app-shell', AppShell);
