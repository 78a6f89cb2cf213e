// <board-view>: pinned answers side by side. Each is run when the board is opened, with the rights of whoever looks.
// `show(board)`: a board of lib/kept.js, or one that came with a link.

import { post } from '../lib/api.js';
import { partOfRun, parts } from '../lib/answer.js';
import { withChoices } from '../lib/choices.js';
import { announce, button, copyButton, fill, h, iconButton, spinner } from '../lib/dom.js';
import { formatTime, t } from '../lib/i18n.js';
import { boards, forgetBoard, keepBoard } from '../lib/kept.js';
import { addressOfBoard, linkTo } from '../lib/link.js';
import { emit } from '../lib/state.js';
import './answer-part.js';
import { confirmed } from './confirm-dialog.js';
import { problemNote } from './problem-note.js';

class BoardView extends HTMLElement {
  #board = null;
  #run = 0;

  show(board) {
    const own = boards().find(({ id }) => id === board.id);
    // An old address of an own board shows what is pinned there now.
    this.#board = own ?? board;
    this.own = Boolean(own);
    if (own) history.replaceState(null, '', addressOfBoard(own));
    this.#render();
    return this;
  }

  #render() {
    const { name, items } = this.#board;
    this.tiles = items.map(item => this.#tile(item));
    fill(this,
      h('div', { class: 'board-head' },
        h('h1', {}, name),
        h('span', { class: 'muted tiny', t: 'board.rights' }),
        h('div', { class: 'actions' },
          button('board.refresh', () => this.#refresh(), { icon: 'redo', class: 'small' }),
          copyButton(() => `${location.origin}${addressOfBoard(this.#board)}`, 'link.copy'),
          button('board.print', () => print(), { icon: 'print', class: 'quiet small' }),
          this.own
            ? button('board.forget', () => this.#forget(), { icon: 'trash', class: 'quiet small' })
            : button('board.keep', () => this.#keep(), { icon: 'pin', class: 'quiet small' }))),
      h('div', { class: 'board' }, this.tiles),
      items.length === 0 && h('p', { class: 'muted', t: 'board.empty' }));
    this.#refresh();
  }

  #tile(item) {
    const { question, sql } = item;
    const tile = h('section', { class: 'card board-tile' },
      h('h2', { class: 'question' }, h('a', { href: linkTo(sql ? { sql } : { question }) }, question)),
      this.own && iconButton('close', 'board.unpin', () => this.#unpin(item), { class: 'small' }),
      h('div', { class: 'answer' }),
      h('p', { class: 'muted tiny board-time' }));
    tile.item = item;
    return tile;
  }

  /** One after the other: the database has other things to do. */
  async #refresh() {
    const run = ++this.#run;
    for (const tile of this.tiles) fill(tile.querySelector('.answer'), spinner());
    for (const tile of this.tiles) {
      if (run !== this.#run) return;
      await this.#answer(tile);
    }
    announce(t('board.refreshed'));
  }

  async #answer(tile) {
    const { question, sql } = tile.item;
    const body = tile.querySelector('.answer');
    try {
      const row = sql ? null : await post('ask', { question, options: withChoices() });
      const results = sql ? [partOfRun(sql, await post('run', { sql }))] : parts(row);
      const shown = results.map(() => h('answer-part'));
      fill(body, shown);
      shown.forEach((part, at) => (sql ? part.showRows(results[at], { question }) : part.show(results[at], { question, several: results.length > 1, board: true })));
      tile.querySelector('.board-time').textContent = formatTime(new Date());
    } catch (problem) {
      fill(body, problemNote(problem, { retry: () => this.#answer(tile) }));
    }
  }

  #unpin(item) {
    keepBoard({ ...this.#board, items: this.#board.items.filter(other => other !== item) });
    this.show(this.#board);
    this.querySelector('h1').scrollIntoView({ block: 'nearest' });
  }

  #keep() {
    keepBoard(this.#board);
    this.show(this.#board);
    announce(t('board.kept'));
  }

  async #forget() {
    if (!await confirmed('board.forget_it', { name: this.#board.name })) return;
    forgetBoard(this.#board.id);
    emit('conversation', { conversation: null });
  }

  disconnectedCallback() {
    this.#run++;
  }
}

customElements.define('board-view', BoardView);
