// <answer-card>: a question, what happens while it runs, and its answer.
// ask({ question, conversation, options, sqlFirst, approval }), plan({ question, conversation }), explain(sql),
// restore(turn of a conversation), resume({ question, conversation, run }).

import { ask, find, post } from '../lib/api.js';
import { approvalOf, partOfRun, parts, rowOfProblem } from '../lib/answer.js';
import { withChoices } from '../lib/choices.js';
import { announce, button, copyButton, fill, h, icon } from '../lib/dom.js';
import { formatTime, setTexts, t } from '../lib/i18n.js';
import { linkTo } from '../lib/link.js';
import { emit, helpers, may, on } from '../lib/state.js';
import { noteRunning } from '../lib/unfinished.js';
import './answer-part.js';
import './feedback-form.js';
import { helper } from './message-list.js';
import { problemNote } from './problem-note.js';
import './question-steps.js';
import { openViewDialog } from './view-dialog.js';

let readingAgain = Promise.resolve();

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
    // It runs on for a minute: whoever comes back finds it.
    this.#controller?.abort('left');
    for (const end of this.#ends) end();
  }

  /** Asks and shows the answer. */
  ask(detail) {
    this.#detail = detail;
    const { question, conversation, approval, run } = detail;
    const options = withChoices(detail.options);
    this.heading.textContent = question;
    if (detail.sqlFirst) return this.#writeSql();
    return this.#run(callbacks => (approval
      ? ask('answer', { id: Number(approval), options }, callbacks)
      : ask('ask', { question, conversation, options }, { ...callbacks, run })), row => this.#show(row));
  }

  /** Finds a question that ran when this page was left. */
  resume(detail) {
    this.#detail = { ...detail, resumed: true };
    this.heading.textContent = detail.question;
    return this.#run(callbacks => find(detail.run, callbacks), row => this.#show(row));
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

  /** Shows a turn of an earlier conversation: its answer, where the role keeps answers; else its rows are read again. */
  restore(turn) {
    const { question, conversation, status, asked_at: askedAt } = turn;
    this.#detail = { question, conversation };
    this.heading.textContent = question;
    const row = { readings: [], warnings: [], withheld: [], ...turn, ...turn.kept };
    const columns = row.result_columns ?? row.columns ?? null;
    const rows = row.result_rows ?? row.first_rows ?? row.rows ?? null;
    const part = h('answer-part');
    const isAway = status === 'ok' && !row.answer && !columns && Boolean(turn.sql);
    const kept = Array.isArray(row.results) && row.results.length > 1 ? parts(row) : null;
    const several = kept?.map(() => h('answer-part'));
    fill(this.body,
      h('p', { class: 'earlier muted' }, icon('clock'), h('span', {}, formatTime(askedAt)),
        turn.standalone && turn.standalone !== question && h('span', {}, ` · ${turn.standalone}`)),
      several ?? part,
      this.#actions({ trace_id: turn.trace_id, sql: turn.sql, status }));
    several?.forEach((one, at) => one.show(kept[at], { question, conversation, several: true }));
    if (several) return;
    const show = fields => part.show({ ...parts(row)[0], readings: row.readings, columns, rows: columns ? rows : null, truncated: row.truncated ?? false, ...fields }, { question, conversation });
    show(isAway ? { answer: t('earlier.reading') } : {});
    if (isAway) this.#readAgain(part, turn.sql, show);
  }

  /** Reads the rows of an earlier answer, with the rights of today, as soon as it is seen. */
  #readAgain(part, sql, show) {
    const read = async () => {
      if (!this.isConnected) return;
      try {
        const reply = await post('run', { sql });
        const { columns, rows, truncated } = partOfRun(sql, Array.isArray(reply) ? reply[0] : reply);
        show({ answer: t('earlier.read_again'), columns, rows, truncated });
      } catch (problem) {
        show({ answer: t('earlier.not_read') });
        part.querySelector('.sentence')?.after(problemNote(problem, { retry: read }));
      }
      part.querySelector('.sentence')?.classList.add('not-kept');
    };
    part.querySelector('.sentence')?.classList.add('not-kept');
    const observer = new IntersectionObserver(entries => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      // One after the other: the database has other things to do.
      readingAgain = readingAgain.then(read);
    });
    observer.observe(this);
    this.#ends.push(() => observer.disconnect());
  }

  // One question at a time: the box shows "Stop" meanwhile.
  async #run(work, done) {
    const controller = this.#controller = new AbortController();
    const cancel = reason => controller.abort(reason === 'left' ? reason : undefined);
    let isLeft = false;
    this.body.replaceChildren();
    this.setAttribute('aria-busy', 'true');
    emit('running', { cancel });
    this.steps.begin(cancel);
    try {
      const reply = await work({
        signal: controller.signal,
        onStep: step => this.steps.step(step),
        onNews: (name, news) => this.steps[name](news),
        onSign: () => this.steps.alive(),
        onRestart: () => this.steps.restart(),
      });
      this.steps.end(reply?.status && reply.status !== 'ok' ? 'ended' : 'answered');
      done(reply);
      this.#foldSteps();
    } catch (problem) {
      isLeft = controller.signal.reason === 'left';
      if (isLeft) return;
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
      if (!isLeft && this.#detail.run) noteRunning(this.#detail.conversation, null);
      emit('running', null);
    }
  }

  /** One line of machinery: the steps, too, are behind "How was this found?". */
  #foldSteps() {
    let fold = this.querySelector('details.found');
    if (!fold) {
      fold = h('details', { class: 'found' }, h('summary', {}, h('span', { t: 'found.tried' }), icon('chevron')));
      this.body.insertBefore(fold, this.body.querySelector(':scope > .actions:last-child'));
    }
    fold.append(this.steps);
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
    if (!id) return null;
    const said = h('p', { class: 'approval-state', role: 'status' }, helpers('approve').length > 0 && t('waiting.who', { who: helper('approve') }));
    // The answer, or why it was rejected, as soon as somebody has decided.
    const end = on('approvals', approvals => {
      const { status } = approvals.find(approval => String(approval.id) === id) ?? {};
      if (status !== 'approved' && status !== 'rejected') return;
      end();
      setTexts(said, { t: `waiting.is_${status}` });
      announce(t(`waiting.is_${status}`));
    });
    this.#ends.push(end);
    return [said, h('div', { class: 'actions' },
      button('waiting.again', () => this.ask({ ...this.#detail, approval: id, sqlFirst: false }), { icon: 'redo', class: 'primary small' }))];
  }

  #actions(row) {
    const { trace_id: traceId, sql, status, clarification } = row;
    const { question, conversation } = this.#detail;
    const feedback = traceId ? h('feedback-form') : null;
    feedback?.about({ question, traceId, sql: sql ?? '', answered: status === 'ok', missing: clarification?.missing, understood: clarification?.understood });
    return h('div', { class: 'actions' },
      feedback,
      h('span', { class: 'space' }),
      button('again', () => emit('ask', { question }), { icon: 'redo', class: 'quiet small' }),
      copyButton(() => linkTo({ question }), 'link.copy'),
      status === 'ok' && button('board.pin', () => this.#pin(row), { icon: 'pin', class: 'quiet small' }),
      status === 'ok' && may('create_view') && button('view.open', () => openViewDialog({ question, conversation }), { icon: 'view', class: 'quiet small' }));
  }

  /** A question that stands alone is asked anew on a board; of one that goes on from others its queries are run. */
  async #pin(row) {
    const { question, options } = this.#detail;
    const queries = parts(row).map(({ sql }) => sql).filter(Boolean);
    const standsAlone = this.previousElementSibling === null && !options?.meaning;
    const { openPinDialog } = await import('./pin-dialog.js');
    openPinDialog({ question, queries, is_asked: standsAlone || queries.length === 0 });
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
    if (problem.kind === 'lost' && this.#detail.resumed) {
      this.isLost = true;
      this.#showEnd('interrupted.title');
      return;
    }
    const row = rowOfProblem(problem);
    if (row) this.#show(row);
    else fill(this.body, problemNote(problem, { retry: () => emit('ask', this.#detail) }));
  }
}

customElements.define('answer-card', AnswerCard);
