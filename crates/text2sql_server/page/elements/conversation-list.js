// <conversation-list>: earlier conversations of the role, newest first, with a search over their questions.

import { download, get, post, remove } from '../lib/api.js';
import { announce, button, debounce, fill, h, iconButton, spinner } from '../lib/dom.js';
import { formatTime, onLanguage, t } from '../lib/i18n.js';
import { boardNamed, boards, readBoards } from '../lib/kept.js';
import { emit, may, on } from '../lib/state.js';
import { confirmed } from './confirm-dialog.js';
import { problemNote } from './problem-note.js';

const PAGE = 50;

class ConversationList extends HTMLElement {
  #conversations = [];
  #more = false;
  #current = null;
  #currentBoard = null;
  #asked = 0;
  #ends = [];

  connectedCallback() {
    if (!may('ask')) return;
    if (!this.hasChildNodes()) this.#render();
    this.#ends = [
      on('answered', ({ conversation }) => {
        this.#current = conversation ?? this.#current;
        this.#reload();
      }),
      on('opened', ({ conversation, board = null }) => {
        this.#current = conversation;
        this.#currentBoard = board;
        this.#mark();
      }),
      // Somebody has logged in again.
      on('session', session => {
        if (!session) return;
        this.#load();
        readBoards().catch(() => {});
      }),
      on('boards', () => this.#showBoards()),
      onLanguage(() => this.#show()),
    ];
    this.#showBoards();
    this.#load();
    // Where they cannot be read, the page of a board says why.
    readBoards().catch(() => {});
  }

  disconnectedCallback() {
    for (const end of this.#ends) end();
  }

  #render() {
    this.search = h('input', { type: 'search', class: 'side-search', tLabel: 'side.search', tPlaceholder: 'side.search', on: { input: () => this.#reload() } });
    this.list = h('div', { class: 'side-groups' });
    this.boards = h('nav', { tLabel: 'board.boards' });
    this.append(this.boards, this.search, this.list);
  }

  #showBoards() {
    fill(this.boards, boards().length > 0 && [
      h('h2', { class: 'side-heading', t: 'board.boards' }),
      h('ul', { class: 'side-list' }, boards().map(board => {
        const item = h('li', { class: 'side-item' },
          h('button', { type: 'button', class: 'side-open', on: { click: () => emit('board', board) } },
            h('span', { class: 'side-title' }, board.name),
            !board.is_own && h('span', { class: 'muted tiny', t: 'board.of', tArgs: { role: board.owner } })));
        item.board = board;
        return item;
      })),
    ]);
    this.#mark();
  }

  #reload = debounce(() => this.#load(), 200);

  async #load(before) {
    const asked = ++this.#asked;
    if (this.#conversations.length === 0) fill(this.list, spinner());
    const query = new URLSearchParams({ limit: PAGE });
    if (this.search.value.trim()) query.set('search', this.search.value.trim());
    if (before) query.set('before', before);
    try {
      const { conversations, more } = await get(`conversations?${query}`);
      if (asked !== this.#asked) return;
      this.#conversations = before ? [...this.#conversations, ...conversations] : conversations;
      this.#more = more;
      this.#show();
    } catch (problem) {
      if (asked === this.#asked) fill(this.list, problemNote(problem, { retry: () => this.#load() }));
    }
  }

  #show() {
    if (this.#conversations.length === 0) {
      fill(this.list, h('p', { class: 'muted side-empty', t: this.search.value.trim() ? 'side.nothing_found' : 'side.none' }));
      return;
    }
    const groupOf = ({ is_pinned: isPinned, last_at: at }) => (isPinned ? 'pinned' : ageOf(at));
    const groups = this.#conversations.reduce((map, item) => map.set(groupOf(item), [...(map.get(groupOf(item)) ?? []), item]), new Map());
    fill(this.list,
      [...groups].map(([age, conversations]) => h('section', {},
        h('h2', { class: 'side-heading', t: `side.${age}` }),
        h('ul', { class: 'side-list' }, conversations.map(conversation => this.#item(conversation))))),
      this.#more && button('more', () => this.#load(this.#conversations.at(-1).last_turn_id), { class: 'quiet small side-more' }));
    this.#mark();
  }

  #item(listed) {
    const { conversation, is_pinned: isPinned, first_question: first, turns, last_at: lastAt } = listed;
    const title = listed.title ?? first;
    const about = `${formatTime(lastAt)} · ${t('side.turns', { count: Number(turns) })}`;
    return h('li', { class: 'side-item', data: { conversation } },
      h('button', { type: 'button', class: 'side-open', title: `${title}\n${about}`, on: { click: () => emit('conversation', { conversation }) } },
        h('span', { class: 'side-title' }, title),
        h('span', { class: 'visually-hidden' }, about)),
      h('span', { class: 'side-tools' },
        iconButton('pin', isPinned ? 'side.unpin' : 'side.pin', () => this.#label(listed, { is_pinned: !isPinned }), { class: 'small', 'aria-pressed': String(isPinned) }),
        iconButton('edit', 'side.rename', () => this.#rename(listed, title, first), { class: 'small' }),
        iconButton('download', 'side.export', () => this.#export(conversation), { class: 'small' }),
        iconButton('trash', 'side.delete', () => this.#delete(conversation, title), { class: 'small' })));
  }

  async #label(listed, change) {
    const { conversation } = listed;
    const { title = null, is_pinned: isPinned } = { ...listed, ...change };
    try {
      await post(`conversations/${encodeURIComponent(conversation)}`, { title, is_pinned: isPinned });
      await this.#load();
    } catch (problem) {
      this.#show();
      this.#say(problem);
    }
    this.list.querySelector(`[data-conversation="${CSS.escape(conversation)}"] .side-open`)?.focus();
  }

  /** The title becomes a field. */
  #rename(listed, title, first) {
    const item = this.list.querySelector(`[data-conversation="${CSS.escape(listed.conversation)}"]`);
    const name = h('input', { type: 'text', class: 'side-search', maxlength: '100', tLabel: 'side.rename', value: title });
    let isFinished = false;
    const finish = () => {
      if (isFinished) return;
      isFinished = true;
      const given = name.value.trim();
      if (given === title) this.#show();
      else this.#label(listed, { title: given === first ? null : given || null });
    };
    name.addEventListener('keydown', event => {
      if (event.key === 'Enter') finish();
      else if (event.key === 'Escape') {
        event.stopPropagation();
        isFinished = true;
        this.#show();
      }
    });
    fill(item, name);
    name.addEventListener('blur', finish);
    name.focus();
    name.select();
  }

  #board() {
    return this.#currentBoard && boardNamed(this.#currentBoard);
  }

  #mark() {
    for (const item of this.querySelectorAll('.side-item')) {
      const open = item.querySelector('.side-open');
      if (!open) continue;
      const { conversation } = item.dataset;
      if ((conversation && conversation === this.#current) || (item.board && item.board === this.#board())) open.setAttribute('aria-current', 'true');
      else open.removeAttribute('aria-current');
    }
  }

  async #export(conversation) {
    try {
      await download(`conversations/${encodeURIComponent(conversation)}/export`, undefined, `${conversation}.json`);
    } catch (problem) {
      this.#say(problem);
    }
  }

  async #delete(conversation, question) {
    if (!await confirmed('side.delete_it', { question })) return;
    try {
      await remove(`conversations/${encodeURIComponent(conversation)}`);
    } catch (problem) {
      this.#say(problem);
      return;
    }
    const at = this.#conversations.findIndex(other => other.conversation === conversation);
    this.#conversations.splice(at, 1);
    this.#show();
    announce(t('side.deleted'));
    const items = this.list.querySelectorAll('.side-open');
    (items[Math.min(at, items.length - 1)] ?? this.search).focus();
    if (this.#current === conversation) emit('conversation', { conversation: null });
  }

  #say(problem) {
    this.list.prepend(problemNote(problem));
  }
}

/** How long ago, as a heading says it. */
function ageOf(moment) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const days = (midnight - new Date(moment).getTime()) / 86_400_000;
  if (days <= 0) return 'today';
  if (days <= 1) return 'yesterday';
  return days <= 7 ? 'week' : 'older';
}

customElements.define('conversation-list', ConversationList);
