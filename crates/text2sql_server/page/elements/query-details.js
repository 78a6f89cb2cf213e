// <query-details>: how a result was found: its SQL (which can be changed and run), the steps in words, the query built up clause
// by clause, the execution plan, and what the checks say. `show({ sql, plan, question })`; data-open: a tab, or '' (closed).

import { post } from '../lib/api.js';
import { partOfRun, sentence } from '../lib/answer.js';
import { helpingModel } from '../lib/choices.js';
import { button, fill, h, icon, spinner, uniqueId } from '../lib/dom.js';
import { currentLanguage, formatNumber, t } from '../lib/i18n.js';
import { highlight } from '../lib/sql.js';
import { session } from '../lib/state.js';
import { textOf } from '../lib/values.js';
import { forThem } from './message-list.js';
import { problemNote } from './problem-note.js';
import './sql-editor.js';

const TABS = ['words', 'sql', 'lesson', 'plan', 'checks'];

class QueryDetails extends HTMLElement {
  #tab = null;
  #filled = new Map();

  show({ sql, plan, question }) {
    this.sql = sql;
    this.plan = plan;
    this.question = question;
    const id = uniqueId('query');
    this.tabs = h('div', { class: 'query-tabs', role: 'tablist', tLabel: 'query.label', on: { keydown: event => this.#walk(event) } },
      TABS.map(tab => h('button', {
        type: 'button', role: 'tab', class: 'query-tab', id: `${id}-${tab}`, data: { tab }, 'aria-selected': 'false', 'aria-controls': `${id}-panel`, tabindex: '-1',
        t: `query.${tab}`, on: { click: () => this.#open(tab === this.#tab ? null : tab) },
      })));
    this.body = h('div', { class: 'query-body', id: `${id}-panel`, role: 'tabpanel', hidden: true });
    fill(this, this.tabs, this.body);
    this.tabs.firstElementChild.tabIndex = 0;
    this.addEventListener('sql-run', event => this.#run(event.detail));
    const open = this.dataset.open;
    if (open) this.#open(open);
  }

  /** It is looked at for the first time: in words. */
  begin() {
    if (this.#tab === null && this.#filled.size === 0) this.#open(TABS[0]);
  }

  /** Opens the editor with that SQL. */
  edit(sql) {
    this.#open('sql');
    this.editor.propose(sql);
    this.editor.scrollIntoView({ block: 'nearest' });
    this.editor.focus();
  }

  /** What is in the editor. */
  get currentSql() {
    return this.editor?.value ?? this.sql;
  }

  /** Runs what is in the editor. */
  run() {
    this.#open('sql');
    this.#run(this.currentSql);
  }

  #walk(event) {
    const tabs = [...this.tabs.children];
    const at = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = tabs[(to + tabs.length) % tabs.length];
    tab.focus();
    this.#open(tab.dataset.tab);
  }

  #open(tab) {
    const fold = this.closest('details.found');
    if (fold && tab !== null) fold.open = true;
    this.#tab = tab;
    for (const candidate of this.tabs.children) {
      const selected = candidate.dataset.tab === tab;
      candidate.setAttribute('aria-selected', String(selected));
      candidate.tabIndex = selected || (tab === null && candidate === this.tabs.firstElementChild) ? 0 : -1;
      if (selected) this.body.setAttribute('aria-labelledby', candidate.id);
    }
    this.body.hidden = tab === null;
    if (tab === null) return;
    // The words, the plan and the checks are about the SQL that is in the editor.
    const known = this.#filled.get(tab);
    if (known && known.sql === this.currentSql) {
      this.body.replaceChildren(known.place);
      return;
    }
    if (tab === 'sql' && known) {
      this.body.replaceChildren(known.place);
      return;
    }
    const place = h('div', { class: `query-${tab}` });
    const sql = this.currentSql;
    this.#filled.set(tab, { sql, place });
    this.body.replaceChildren(place);
    if (tab === 'sql') this.#fillSql(place);
    else this.#load(tab, place, sql);
  }

  #fillSql(place) {
    this.editor = h('sql-editor');
    this.editor.value = this.sql;
    this.result = h('div', { class: 'run-result', 'aria-live': 'polite' });
    // Only a model changes SQL in words.
    append(place, this.editor, helpingModel() !== null && this.#reviseForm(), this.result);
  }

  #reviseForm() {
    const request = h('input', { type: 'text', tLabel: 'revise.label', tPlaceholder: 'revise.placeholder', autocomplete: 'off' });
    const place = h('div', { class: 'revised' });
    const form = h('form', { class: 'revise', on: { submit: async event => {
      event.preventDefault();
      if (request.value.trim() === '') return;
      fill(place, spinner());
      try {
        const reply = await post('revise', { sql: this.currentSql, request: request.value.trim(), options: { model: helpingModel() } });
        this.#showRevision(place, Array.isArray(reply) ? reply[0] : reply);
      } catch (problem) {
        fill(place, problemNote(problem));
      }
    } } }, request, h('button', { type: 'submit', class: 'button small', t: 'revise.submit' }));
    return h('details', { class: 'revise-place' }, h('summary', {}, h('span', { t: 'revise.title' }), icon('chevron')), form, place);
  }

  #showRevision(place, revision) {
    if (revision.sql) this.editor.propose(revision.sql);
    fill(place,
      h('p', {}, sentence(revision.answer ?? t(`status.${revision.status}`))),
      (revision.changes ?? []).length > 0 && h('ul', {}, revision.changes.map(change => h('li', {}, sentence(change)))),
      (revision.warnings ?? []).map(warning => h('p', { class: 'muted' }, sentence(warning))),
      revision.diff && h('pre', { class: 'diff code' }, revision.diff.split('\n').map(line =>
        h('span', { class: line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : null }, `${line}\n`))));
  }

  async #run(sql) {
    fill(this.result, spinner('sql.running'));
    try {
      const reply = await post('run', { sql });
      const part = partOfRun(sql, Array.isArray(reply) ? reply[0] : reply);
      fill(this.result,
        h('p', { class: 'run-title' }, h('span', { t: 'sql.result' }), ' ', h('span', { class: 'muted', t: 'rows', tArgs: { count: part.rows.length } })),
        h('answer-part'));
      this.result.querySelector('answer-part').showRows(part, { question: this.question });
    } catch (problem) {
      this.editor.position = problem.position;
      fill(this.result, problemNote(problem));
    }
  }

  async #load(tab, place, sql, options = {}) {
    fill(place, spinner());
    try {
      if (tab === 'words') await this.#words(place, sql, options);
      else if (tab === 'lesson') await this.#lesson(place, sql);
      else if (tab === 'plan') await this.#executionPlan(place, sql, options);
      else await this.#checks(place, sql);
    } catch (problem) {
      this.#filled.delete(tab);
      fill(place, problemNote(problem, { retry: () => this.#load(tab, place, sql, options) }));
    }
  }

  async #words(place, sql, { summary = false }) {
    const steps = list(await post('explain', { sql, summary, language: t('explain.language') }));
    const own = this.plan && this.sql === sql ? this.plan.split('\n') : [];
    const summed = steps.find(step => step.clause === 'SUMMARY' || step.step === 0);
    const modelCanSum = session()?.model && session().model !== 'builtin';
    fill(place,
      summed && h('p', { class: 'words-summary' }, summed.explanation),
      h('ol', { class: 'words' }, steps.filter(step => step !== summed).map(step => h('li', {},
        h('span', { class: 'clause' }, step.clause), h('span', { class: step.clause === 'ERROR' && 'broken' }, step.explanation)))),
      own.length > 0 && steps.length === 0 && h('ul', {}, own.map(line => h('li', {}, line))),
      own.length > 0 && steps.length > 0 && this.dataset.model !== undefined && h('details', {}, h('summary', { t: 'words.plan' }), h('ul', {}, own.map(line => h('li', {}, line)))),
      modelCanSum && !summary && button('words.sum', () => this.#load('words', place, sql, { summary: true }), { class: 'small' }));
  }

  async #lesson(place, sql) {
    const steps = list(await post('lesson', { sql, language: currentLanguage() }));
    fill(place, h('ol', { class: 'lesson' }, steps.map(step => h('li', {},
      h('p', {}, h('span', { class: 'clause' }, step.clause), h('span', {}, step.in_words)),
      sqlText(step.query),
      step.note && h('p', { class: 'muted' }, sentence(step.note)),
      step.first_rows && this.#firstRows(step)))));
  }

  #firstRows(step) {
    const names = Object.keys(step.first_rows[0] ?? {});
    const count = step.row_count === null ? h('span', { t: 'lesson.first' }) : h('span', { t: 'rows', tArgs: { count: step.row_count } });
    return h('div', { class: 'lesson-rows' },
      names.length > 0 && h('div', { class: 'table-frame', tabindex: '0', role: 'region', tLabel: 'lesson.rows' }, h('table', {},
        h('thead', {}, h('tr', {}, names.map(name => h('th', { scope: 'col' }, name)))),
        h('tbody', {}, step.first_rows.map(row => h('tr', {}, names.map(name => h('td', {}, textOf(row[name])))))))),
      h('p', { class: 'muted tiny' }, count));
  }

  async #executionPlan(place, sql, { measured = false }) {
    const steps = list(await post('explain-plan', { sql, measured }));
    const isMeasured = steps.some(step => step.milliseconds !== null);
    fill(place,
      steps.filter(step => step.step === 0).map(step => h('p', { class: 'words-summary' }, step.explanation)),
      h('div', { class: 'table-frame', tabindex: '0', role: 'region', tLabel: 'query.plan' }, h('table', { class: 'plan' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col', t: 'plan.operation' }), h('th', { scope: 'col', t: 'plan.explanation' }),
          h('th', { scope: 'col', class: 'number', t: 'plan.rows' }), h('th', { scope: 'col', class: 'number', t: isMeasured ? 'plan.ms' : 'plan.cost' }))),
        h('tbody', {}, steps.filter(step => step.step !== 0).map(step => h('tr', {},
          h('th', { scope: 'row', class: `depth-${Math.min(6, Math.floor((/^ */.exec(step.operation)[0].length) / 2))}` }, step.operation.trim()),
          h('td', {}, step.explanation, step.problem && h('p', { class: 'doubt' }, icon('alert'), ' ', step.problem)),
          h('td', { class: 'number' }, number(step.actual_rows ?? step.estimated_rows)),
          h('td', { class: 'number' }, number(isMeasured ? step.milliseconds : step.cost))))))),
      h('div', { class: 'actions' },
        !isMeasured && button('plan.measure', () => this.#load('plan', place, sql, { measured: true }), { icon: 'clock', class: 'small' }),
        button('plan.faster', event => this.#faster(event.currentTarget, sql), { icon: 'question', class: 'small' })));
  }

  /** Rewrites can be tried here; what would have to be made in the database is for who administers it. */
  async #faster(control, sql) {
    const place = h('div', { class: 'faster', role: 'status' });
    control.closest('.actions').after(place);
    control.disabled = true;
    fill(place, spinner());
    try {
      const found = list(await post('optimize', { sql })).filter(({ kind }) => kind !== 'present');
      fill(place, found.length === 0 ? h('p', { t: 'plan.faster.nothing' }) : found.map(({ kind, explanation, sql: proposed, caveats }) => {
        const isRewrite = proposed && (kind === 'rewrite' || kind === 'unproved');
        return h('div', { class: 'finding' }, h('p', {}, sentence(explanation)), caveats && h('p', { class: 'muted' }, sentence(caveats)),
          isRewrite ? button('plan.faster.try', () => this.edit(proposed), { icon: 'edit', class: 'small' }) : proposed && forThem(proposed));
      }));
    } catch (problem) {
      control.disabled = false;
      fill(place, problemNote(problem));
    }
  }

  async #checks(place, sql) {
    const findings = list(await post('trust', { sql, question: this.question ?? null }));
    fill(place, findings.length === 0 && h('p', { class: 'checks-none' }, icon('check'), ' ', h('span', { t: 'checks.none' })),
      findings.map(finding => h('div', { class: `finding finding-${String(finding.severity).toLowerCase()}` },
        h('p', {}, h('span', { class: 'severity' }, finding.severity), ' ', sentence(finding.finding.replaceAll('_', ' '))),
        finding.evidence && h('p', { class: 'muted' }, sentence(finding.evidence)),
        finding.fix && h('p', {}, sentence(finding.fix)))));
  }
}

function sqlText(sql) {
  const place = h('pre', { class: 'code lesson-sql', tabindex: '0', role: 'region', tLabel: 'query.sql' });
  highlight(place, sql);
  return place;
}

const list = reply => (Array.isArray(reply) ? reply : Object.values(reply ?? {}).find(Array.isArray) ?? []);
const number = value => (value === null || value === undefined ? '' : formatNumber(Number(value), { maximumFractionDigits: Number(value) < 10 ? 2 : 0 }));
const append = (place, ...children) => place.append(...children.filter(Boolean));

customElements.define('query-details', QueryDetails);
