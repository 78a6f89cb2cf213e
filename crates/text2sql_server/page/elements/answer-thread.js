// <answer-thread>: the questions of a conversation with their answers, oldest first.

import { away, get } from '../lib/api.js';
import { announce, fill, h, spinner } from '../lib/dom.js';
import { t } from '../lib/i18n.js';
import { emit, on, session } from '../lib/state.js';
import { addressOf, addressOfBoard, boardOfLink, conversationOfLink, questionOfLink } from '../lib/link.js';
import { leftRunning, noteRunning } from '../lib/unfinished.js';
import { problemNote } from './problem-note.js';
import './answer-card.js';

/** How a person moves in the thread, or begins to use what it shows. */
const MOVES = ['wheel', 'touchmove', 'pointerdown', 'keydown'];

class AnswerThread extends HTMLElement {
  #conversation = null;
  #board = null;
  #running = null;
  #atTop = null;
  #ends = [];

  connectedCallback() {
    if (!this.hasChildNodes()) {
      this.append(
        h('div', { class: 'welcome' },
          h('h1', { t: 'welcome.title' }),
          h('p', { class: 'lead', t: 'welcome.lead' })),
        this.cards = h('div', { class: 'cards' }));
    }
    this.#ends = [
      on('ask', detail => this.#ask(detail)),
      on('plan', detail => this.#ask(detail, 'plan')),
      on('explain', ({ sql }) => this.#explain(sql)),
      on('answer-approved', detail => this.#ask(detail)),
      on('conversation', ({ conversation }) => {
        if (this.#board || conversation !== conversationOfLink(location.hash)) history.pushState(null, '', addressOf(conversation));
        this.#open(conversation);
      }),
      on('board', board => {
        history.pushState(null, '', addressOfBoard(board));
        this.#openBoard(board);
      }),
      on('running', running => { this.#running = running; }),
    ];
    // Charts above the newest question may come late and push it down. It stays at the top until the person moves.
    const grown = new ResizeObserver(() => this.#atTop?.scrollIntoView({ block: 'start' }));
    grown.observe(this.cards);
    const moved = () => { this.#atTop = null; };
    for (const move of MOVES) this.addEventListener(move, moved, { passive: true });
    this.#ends.push(() => {
      grown.disconnect();
      for (const move of MOVES) this.removeEventListener(move, moved);
    });
    const linked = () => {
      const board = boardOfLink(location.hash);
      if (board) {
        this.#openBoard(board);
        return;
      }
      const link = questionOfLink(location.hash);
      if (!link) {
        // The address of a conversation: Back, Forward, a bookmark, or this page loaded anew.
        const conversation = conversationOfLink(location.hash);
        if (this.#board || conversation !== this.#conversation) this.#open(conversation);
        return;
      }
      history.replaceState(null, '', location.pathname + location.search);
      if (link.sql) emit('explain', { sql: link.sql });
      else emit('ask', { question: link.question });
    };
    addEventListener('hashchange', linked);
    this.#ends.push(() => removeEventListener('hashchange', linked));
    queueMicrotask(() => {
      this.#showEmptiness();
      linked();
    });
  }

  disconnectedCallback() {
    this.#running?.cancel('left');
    for (const end of this.#ends) end();
  }

  #ask(detail, way = 'ask') {
    if (this.#running) {
      announce(t('ask.busy'));
      return;
    }
    this.#leaveBoard();
    if (!this.#conversation) {
      this.#conversation = newName();
      history.pushState(null, '', addressOf(this.#conversation));
    }
    const running = way === 'ask' && !detail.approval && !detail.sqlFirst ? { question: detail.question, run: random() } : {};
    if (running.run) noteRunning(this.#conversation, running);
    const card = this.#add(h('answer-card'));
    card[way]({ conversation: this.#conversation, ...detail, run: running.run, resumed: false });
  }

  #explain(sql) {
    this.#leaveBoard();
    this.#add(h('answer-card')).explain(sql);
  }

  async #openBoard(board) {
    this.#running?.cancel('left');
    this.#conversation = null;
    this.#board = board;
    emit('opened', { conversation: null, board });
    fill(this.cards, spinner());
    this.#showEmptiness();
    try {
      await import('./board-view.js');
      if (this.#board === board) fill(this.cards, h('board-view').show(board));
    } catch {
      if (this.#board === board) fill(this.cards, problemNote(away(), { retry: () => this.#openBoard(board) }));
    }
  }

  /** What is asked on a board begins a conversation. */
  #leaveBoard() {
    if (this.#board) this.cards.replaceChildren();
    this.#board = null;
  }

  async #open(conversation) {
    this.#running?.cancel('left');
    this.#conversation = conversation;
    this.#board = null;
    emit('opened', { conversation });
    this.cards.replaceChildren();
    if (conversation === null) {
      this.#showEmptiness();
      return;
    }
    fill(this.cards, spinner());
    this.#showEmptiness();
    try {
      const reply = await get(`conversations/${encodeURIComponent(conversation)}`);
      if (this.#conversation !== conversation) return;
      fill(this.cards);
      for (const turn of reply.turns ?? []) {
        const card = h('answer-card');
        this.cards.append(card);
        card.restore({ conversation, ...turn });
      }
      this.#resume(conversation, reply.turns ?? []);
      this.#showAtTop(this.cards.lastElementChild);
      announce(t('conversation.opened'));
    } catch (problem) {
      if (this.#conversation !== conversation) return;
      fill(this.cards);
      // A conversation whose first question was stopped has no turn yet.
      if (this.#resume(conversation, [])) return;
      if (problem.status === 404) fill(this.cards, h('p', { class: 'note', t: 'conversation.not_there' }));
      else fill(this.cards, problemNote(problem, { retry: () => this.#open(conversation) }));
    }
  }

  /** The question that ran when this page was loaded anew, or another conversation was opened. */
  #resume(conversation, turns) {
    const running = leftRunning(conversation);
    if (!running) return false;
    const card = h('answer-card');
    // It may have ended meanwhile, and be the last turn already.
    const last = turns.at(-1)?.question === running.question ? this.cards.lastElementChild : null;
    if (last) last.replaceWith(card);
    else this.cards.append(card);
    card.resume({ conversation, ...running }).then(() => {
      if (last && card.isLost) card.replaceWith(last);
    });
    return true;
  }

  #add(card) {
    this.cards.append(card);
    this.#showEmptiness();
    requestAnimationFrame(() => this.#showAtTop(card));
    return card;
  }

  #showAtTop(card) {
    this.#atTop = card;
    card?.scrollIntoView({ block: 'start' });
  }

  #showEmptiness() {
    const empty = !this.cards.hasChildNodes();
    this.toggleAttribute('data-empty', empty);
    emit('thread-empty', empty);
  }
}

const random = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, '0')).join('');

/** A name for a new conversation: people know conversations by their questions. */
const newName = () => `page-${session()?.user ?? ''}-`.slice(0, 36) + random();

customElements.define('answer-thread', AnswerThread);
