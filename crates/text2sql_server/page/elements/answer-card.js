// <answer-card>: a question, what happens while it runs, and its answer.
// ask({ question, conversation, options, sqlFirst, approval }), plan({ question, conversation }), explain(sql),
// restore(turn of a conversation), interrupted({ question, conversation }).

import { ask, post } from '../lib/api.js';
import { approvalOf, parts, rowOfProblem } from '../lib/answer.js';
import { withChoices } from '../lib/choices.js';
import { announce, button, copyButton, fill, h, icon } from '../lib/dom.js';
import { formatTime, setTexts, t } from '../lib/i18n.js';
import { linkTo } from '../lib/link.js';
import { emit, may, on } from '../lib/state.js';
import { noteRunning } from '../lib/unfinished.js';
import './answer-part.js';
import './feedback-form.js';
import { problemNote } from './problem-note.js';
import './question-steps.js';
import { openViewDialog } from './view-dialog.js';

class AnswerCard extends HTMLElement {
  #controller = null;
  #detail = null;
  #ends = [];

  connectedCallback() {
    if (this.hasChildNodes()) return;
    this.heading = h('h2', { class: 'question', tabindex: '-1' });
    this.steps = h('question-steps');
    this.body = h('div', { class: 'answer' });
    this.append(h('article', { class: 'card' }, this.heading, this.steps, this.body));
  }

  disconnectedCallback() {
    this.#controller?.abort();
    for (const end of this.#ends) end();
  }

  /** Asks and shows the answer. */
  ask(detail) {
    this.#detail = detail;
    const { question, conversation, approval } = detail;
    const options = withChoices(detail.options);
    this.heading.textContent = question;
    if (detail.sqlFirst) return this.#writeSql();
    return this.#run(callbacks => (approval
      ? ask('answer', { id: Number(approval), options }, callbacks)
      : ask('ask', { question, conversation, options }, callbacks)), row => this.#show(row));
  }

  /** Shows in which steps a question would be answered. Nothing runs. */
  plan(detail) {
    this.#detail = detail;
    const { question, conversation } = detail;
    this.heading.textContent = question;
    return this.#run(({ signal }) => post('plan', { question, conversation }, { signal }), reply => {
      const steps = reply?.plan ?? reply ?? [];
      const sql = steps.findLast(step => step.sql)?.sql;
      fill(this.body,
        h('p', { class: 'lead-line', t: 'plan.lead' }),
        h('ol', { class: 'words' }, steps.map(step => h('li', {}, h('span', {}, step.what),
          step.tables?.length > 0 && h('span', { class: 'muted' }, ` (${step.tables.join(', ')})`)))),
        h('div', { class: 'actions' }, button('plan.answer', () => emit('ask', { question }), { icon: 'play', class: 'primary small' })),
        sql && this.#details({ sql, question }, ''));
      announce(t('plan.lead'));
    });
  }

  /** Explains SQL that somebody brought. */
  explain(sql) {
    this.classList.add('explained');
    setTexts(this.heading, { t: 'explain.heading' });
    fill(this.body, this.#details({ sql }, 'words'),
      h('div', { class: 'actions' },
        button('sql.run', () => this.querySelector('query-details').run(), { icon: 'play', class: 'small' }),
        copyButton(() => linkTo({ sql }), 'link.copy')));
    this.#fillDetails({ sql });
  }

  /** Shows a turn of an earlier conversation: its answer, where the role keeps answers, else its SQL. */
  restore(turn) {
    const { question, conversation, status, asked_at: askedAt } = turn;
    this.#detail = { question, conversation };
    this.heading.textContent = question;
    const kept = turn.kept ?? turn;
    const row = { readings: [], warnings: [], withheld: [], ...turn, ...kept };
    const rows = row.result_rows ?? row.first_rows ?? row.rows ?? null;
    const columns = row.result_columns ?? row.columns ?? null;
    const part = h('answer-part');
    fill(this.body,
      h('p', { class: 'earlier muted' }, icon('clock'), h('span', {}, formatTime(askedAt)),
        turn.standalone && turn.standalone !== question && h('span', {}, ` · ${turn.standalone}`)),
      part,
      this.#actions({ trace_id: turn.trace_id, sql: turn.sql, status }));
    part.show({
      status, answer: row.answer ?? (status === 'ok' ? t('earlier.not_kept') : null), sql: turn.sql, columns, rows: columns ? rows : null,
      truncated: row.truncated ?? false, readings: row.readings ?? [], warnings: row.warnings, withheld: row.withheld,
      confidence: row.confidence ?? null, verified_by: row.verified_by ?? null,
    }, { question, conversation });
    if (status === 'ok' && !row.answer) {
      part.querySelector('.sentence')?.classList.add('not-kept');
      if (turn.sql && !columns) {
        part.querySelector('.sentence')?.after(h('div', {}, button('earlier.show', event => {
          event.currentTarget.closest('div').remove();
          part.querySelector('query-details').run();
        }, { icon: 'play', class: 'small' })));
      }
    }
  }

  /** A question that was stopped because the page was left while it ran. */
  interrupted(detail) {
    this.#detail = detail;
    this.heading.textContent = detail.question;
    this.#showEnd('interrupted.title');
  }

  // One question at a time: the box shows "Stop" meanwhile.
  async #run(work, done) {
    const controller = this.#controller = new AbortController();
    const cancel = () => controller.abort();
    this.body.replaceChildren();
    this.setAttribute('aria-busy', 'true');
    emit('running', { cancel });
    this.steps.begin(cancel);
    try {
      const reply = await work({
        signal: controller.signal,
        onStep: step => this.steps.step(step),
        onSign: () => this.steps.alive(),
      });
      this.steps.end(reply?.status && reply.status !== 'ok' ? 'ended' : 'answered');
      done(reply);
    } catch (problem) {
      if (problem.name === 'AbortError') {
        this.steps.end('cancelled');
        this.#showEnd('cancelled.title');
      } else {
        this.steps.end('failed');
        this.#showProblem(problem);
      }
    } finally {
      this.removeAttribute('aria-busy');
      this.#controller = null;
      noteRunning(null);
      emit('running', null);
    }
  }

  #writeSql() {
    const { question, conversation } = this.#detail;
    const options = withChoices(this.#detail.options);
    return this.#run(({ signal }) => post('to-sql', { question, conversation, options }, { signal }), ({ sql }) => {
      fill(this.body,
        h('p', { class: 'lead-line', t: 'sql_first.lead' }),
        this.#details({ sql, question }, 'sql'),
        h('div', { class: 'actions' },
          button('sql_first.run', () => this.querySelector('query-details').run(), { icon: 'play', class: 'primary' }),
          button('sql_first.ask', () => emit('ask', { question }), { class: 'quiet small' })));
      this.#fillDetails({ sql, question });
      announce(t('sql_first.lead'));
    });
  }

  #details(part, open) {
    const details = h('query-details', { data: { open } });
    queueMicrotask(() => { if (!details.hasChildNodes()) details.show(part); });
    return details;
  }

  #fillDetails(part) {
    const details = this.querySelector('query-details');
    if (details && !details.hasChildNodes()) details.show(part);
  }

  #show(row) {
    const results = parts(row);
    const several = results.length > 1;
    const shown = results.map(() => h('answer-part'));
    fill(this.body,
      // The sentence about all is often those of the parts in a row, which stand below.
      several && row.answer && row.answer !== results.map(part => part.answer).join(' ') && h('p', { class: 'sentence' }, row.answer),
      shown,
      row.status === 'waiting' && this.#waiting(row),
      this.#actions(row));
    shown.forEach((part, at) => part.show(results[at], { ...this.#detail, several }));
    announce(t('answer.announced', { answer: row.answer ?? t(`status.${row.status}`) }));
    emit('answered', { conversation: this.#detail.conversation, question: this.#detail.question, row });
  }

  #waiting(row) {
    const id = approvalOf(row);
    return id && h('div', { class: 'actions' },
      button('waiting.again', () => this.ask({ ...this.#detail, approval: id, sqlFirst: false }), { icon: 'redo', class: 'primary small' }));
  }

  #actions({ trace_id: traceId, sql, status }) {
    const { question, conversation } = this.#detail;
    const feedback = traceId ? h('feedback-form') : null;
    feedback?.about({ traceId, sql: sql ?? '', answered: status === 'ok' });
    return h('div', { class: 'actions' },
      feedback,
      h('span', { class: 'space' }),
      button('again', () => emit('ask', { question }), { icon: 'redo', class: 'quiet small' }),
      copyButton(() => linkTo({ question }), 'link.copy'),
      status === 'ok' && may('create_view') && button('view.open', () => openViewDialog({ question, conversation }), { icon: 'view', class: 'quiet small' }));
  }

  #showEnd(key) {
    fill(this.body, h('p', { class: 'lead-line muted', t: key }),
      h('div', { class: 'actions' }, button('again', () => emit('ask', this.#detail), { icon: 'redo', class: 'small' })));
    announce(t(key));
  }

  #showProblem(problem) {
    if (problem.status === 401) {
      // Nothing ran: the same person, logged in again, gets the answer.
      fill(this.body, h('p', { class: 'lead-line muted', t: 'problem.logged_out' }));
      this.#ends.push(on('session', session => {
        if (!session || !this.isConnected) return;
        const detail = this.#detail;
        this.remove();
        emit('ask', detail);
      }));
      return;
    }
    const row = rowOfProblem(problem);
    if (row) this.#show(row);
    else fill(this.body, problemNote(problem, { retry: () => emit('ask', this.#detail) }));
  }
}

customElements.define('answer-card', AnswerCard);
