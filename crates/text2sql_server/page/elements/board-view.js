// <board-view>: pinned answers side by side. Each is run when the board is opened, with the rights of whoever looks.
// `show({ name, owner })`: an own board, or one that its owner shares.

import { post } from '../lib/api.js';
import { partOfRun, parts } from '../lib/answer.js';
import { withChoices } from '../lib/choices.js';
import { announce, button, copyButton, fill, h, iconButton, spinner } from '../lib/dom.js';
import { formatTime, t } from '../lib/i18n.js';
import { boardNamed, forgetBoard, readBoards, readersOf, shareBoard, unpin } from '../lib/kept.js';
import { addressOfBoard, linkTo } from '../lib/link.js';
import { emit } from '../lib/state.js';
import './answer-part.js';
import { confirmed } from './confirm-dialog.js';
import { form } from './form-fields.js';
import { problemNote } from './problem-note.js';

class BoardView extends HTMLElement {
  #wanted = null;
  #board = null;
  #run = 0;

  show(wanted) {
    this.#wanted = wanted;
    fill(this, spinner());
    this.#do(readBoards);
    return this;
  }

  /** Shows the board as it is after `work`, or what went wrong. */
  async #do(work) {
    try {
      await work();
      if (this.isConnected) this.#render();
    } catch (problem) {
      if (this.#board) this.querySelector('.board-head').after(problemNote(problem));
      else fill(this, problemNote(problem, { retry: () => this.show(this.#wanted) }));
    }
  }

  #render() {
    // A board whose last answer was taken off is gone from the database, and stays here as an empty one.
    const found = boardNamed(this.#wanted) ?? (this.#board && { ...this.#board, answers: [] });
    if (!found) {
      fill(this, h('p', { class: 'note', t: 'board.not_there', tArgs: { name: this.#wanted.name } }));
      return;
    }
    const { name, owner, is_own: isOwn, shared_with: roles, answers } = this.#board = found;
    // Whom it is shared with finds it by its owner.
    history.replaceState(null, '', addressOfBoard(found));
    this.tiles = answers.map(answer => this.#tile(answer));
    this.place = h('div');
    fill(this,
      h('div', { class: 'board-head' },
        h('h1', {}, name),
        h('span', { class: 'muted tiny', t: 'board.rights' }),
        !isOwn && h('span', { class: 'muted tiny', t: 'board.of', tArgs: { role: owner } }),
        roles?.length > 0 && h('span', { class: 'muted tiny', t: 'board.shared_with', tArgs: { roles: roles.join(', ') } }),
        h('div', { class: 'actions' },
          button('board.refresh', () => this.#refresh(), { icon: 'redo', class: 'small' }),
          copyButton(() => `${location.origin}${addressOfBoard(found)}`, 'link.copy'),
          isOwn && answers.length > 0 && button('board.share', () => this.#share(), { icon: 'user', class: 'quiet small' }),
          button('board.print', () => print(), { icon: 'print', class: 'quiet small' }),
          isOwn ? button('board.forget', () => this.#forget(), { icon: 'trash', class: 'quiet small' })
            : answers.length > 0 && button('board.dismiss', () => this.#dismiss(), { icon: 'close', class: 'quiet small' }))),
      this.place,
      h('div', { class: 'board' }, this.tiles),
      answers.length === 0 && h('p', { class: 'muted', t: 'board.empty' }));
    this.#refresh();
  }

  #tile(pinned) {
    const { question, queries, is_asked: isAsked } = pinned;
    const tile = h('section', { class: 'card board-tile' },
      h('h2', { class: 'question' }, h('a', { href: linkTo(isAsked ? { question } : { sql: queries[0] }) }, question)),
      this.#board.is_own && iconButton('close', 'board.unpin', () => this.#unpin(pinned), { class: 'small' }),
      h('div', { class: 'answer' }),
      h('p', { class: 'muted tiny board-time' }));
    tile.pinned = pinned;
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
    const { question, queries, is_asked: isAsked } = tile.pinned;
    const body = tile.querySelector('.answer');
    try {
      const results = isAsked ? parts(await post('ask', { question, options: withChoices() })) : [];
      if (!isAsked) for (const sql of queries) results.push(partOfRun(sql, await post('run', { sql })));
      const shown = results.map(() => h('answer-part'));
      fill(body, shown);
      shown.forEach((part, at) => (isAsked ? part.show(results[at], { question, several: results.length > 1, board: true }) : part.showRows(results[at], { question })));
      tile.querySelector('.board-time').textContent = formatTime(new Date());
    } catch (problem) {
      fill(body, problemNote(problem, { retry: () => this.#answer(tile) }));
    }
  }

  async #unpin(pinned) {
    await this.#do(() => unpin(pinned));
    this.querySelector('h1').scrollIntoView({ block: 'nearest' });
  }

  async #share() {
    const { name, shared_with: shared, answers } = this.#board;
    try {
      const may = new Map((await readersOf(name)).map(({ role, answers: count }) => [role, count]));
      // With whom it is shared already, too: a right may be gone.
      const boxes = [...new Set([...shared, ...may.keys()])].map(role =>
        h('input', { type: 'checkbox', props: { value: role, checked: shared.includes(role) } }));
      fill(this.place, form({
        title: 'board.share',
        fields: [h('fieldset', { class: 'share-roles' }, h('legend', { t: 'board.share.roles' }),
          boxes.map(box => h('label', { class: 'check' }, box, h('span', {}, box.value),
            may.get(box.value) !== answers.length && h('span', { class: 'muted tiny', t: 'board.share.some', tArgs: { count: may.get(box.value) ?? 0, all: answers.length } }))),
          boxes.length === 0 && h('p', { t: 'board.share.nobody' }),
          h('p', { class: 'muted tiny', t: 'board.share.hint' }))],
        save: () => shareBoard(name, boxes.filter(box => box.checked).map(box => box.value)),
        saved: () => this.#render(),
        cancel: () => this.place.replaceChildren(),
      }));
      this.place.querySelector('input, button').focus();
    } catch (problem) {
      fill(this.place, problemNote(problem));
    }
  }

  async #forget() {
    if (!await confirmed('board.forget_it', { name: this.#board.name })) return;
    // One from which everything was taken is gone already.
    if (this.#board.answers.length > 0) await forgetBoard(this.#board.name);
    emit('conversation', { conversation: null });
  }

  /** Not to be seen again by this person. */
  async #dismiss() {
    await unpin(this.#board.answers[0]);
    emit('conversation', { conversation: null });
  }

  disconnectedCallback() {
    this.#run++;
  }
}

customElements.define('board-view', BoardView);
