// <waiting-panel>: what waits for a person: approvals, examples from feedback, suggestions, joins. Whoever may not decide
// sees the own questions that wait.

import { get, post } from '../lib/api.js';
import { announce, button, fill, h, icon, spinner } from '../lib/dom.js';
import { formatNumber, formatTime, t } from '../lib/i18n.js';
import { emit, may } from '../lib/state.js';
import { actionButton, field, form, line, said } from './form-fields.js';
import { problemNote } from './problem-note.js';
import './result-table.js';
import { objectLine } from './teach-objects.js';
import './sql-editor.js';

class WaitingPanel extends HTMLElement {
  connectedCallback() {
    if (this.hasChildNodes()) return;
    this.body = h('div', { class: 'waiting' });
    this.append(
      h('div', { class: 'panel-lead-line' },
        h('p', { class: 'muted panel-lead', t: may('teach') ? 'waiting.lead.curator' : may('approve') ? 'waiting.lead.approver' : 'waiting.lead' }),
        button('waiting.reload', () => this.#load(), { icon: 'redo', class: 'quiet tiny' })),
      this.body);
    this.#load();
  }

  #load = async () => {
    fill(this.body, spinner());
    try {
      const waiting = await get('waiting');
      const sections = [
        this.#section('approvals', waiting.approvals, item => this.#approval(item)),
        this.#section('examples', waiting.examples, item => this.#example(item)),
        this.#section('feedback', waiting.feedback, item => this.#feedback(item)),
        this.#section('suggestions', waiting.suggestions, item => this.#suggestion(item)),
        this.#section('joins', waiting.joins, item => this.#join(item)),
      ].filter(Boolean);
      fill(this.body, sections.length > 0 ? sections : h('p', { t: 'waiting.none' }), may('teach') && this.#searches());
    } catch (problem) {
      fill(this.body, problemNote(problem, { retry: this.#load }));
    }
  };

  #section(name, items, draw) {
    if (!items || items.length === 0) return null;
    const count = name === 'approvals' ? items.filter(({ status }) => status === 'waiting').length : items.length;
    return h('section', { class: 'waiting-section', data: { section: name } },
      h('h2', {}, h('span', { t: name === 'approvals' && !may('approve') ? 'waiting.approvals.own' : `waiting.${name}` }), count > 0 && h('span', { class: 'count' }, formatNumber(count))),
      h('p', { class: 'muted tiny', t: `waiting.${name}.why` }),
      h('ul', { class: 'plain' }, items.map(item => {
        const card = h('li', { class: 'item-card', data: { id: item.id ?? item.trace_id } });
        return fill(card, draw({ ...item, card }));
      })));
  }

  /** The card says what became of it; a screen reader, too. */
  #done(card, key) {
    emit('decided');
    card.dataset.done = '';
    fill(card, h('p', { class: 'done', tabindex: '-1' }, icon('check'), h('span', { t: key })));
    announce(t(key));
    card.querySelector('.done').focus();
  }

  #decision(key, card, path, done, options = {}) {
    return actionButton(key, card, async () => {
      await post(path, {});
      this.#done(card, done);
    }, options);
  }

  #sql(sql) {
    const editor = h('sql-editor', { fixed: true });
    editor.value = sql;
    return editor;
  }

  #runButton(card, sql) {
    const place = h('div', { class: 'run-place' });
    const run = actionButton('sql.run', card, async () => {
      const { result_columns: columns, result_rows: rows, truncated } = await post('run', { sql });
      const table = h('result-table');
      table.result = { columns, rows, truncated };
      fill(place, table);
    }, { icon: 'play', class: 'small' });
    return { run, place };
  }

  #approval(approval) {
    const { card, id, status, asked_by: who, asked_at: at, question, standalone, sql, reasons, explanation, plan_rows: rows, plan_cost: cost, is_own: own } = approval;
    const mayDecide = may('approve') && status === 'waiting' && !own;
    const approved = own && status === 'approved';
    const reject = h('div', { class: 'teach-place' });
    return [
      h('p', { class: 'card-title' }, question),
      standalone && standalone !== question && h('p', { class: 'muted' }, standalone),
      h('p', { class: 'muted tiny' }, `${own ? t('waiting.own') : who} · ${formatTime(at)} · `, h('span', { class: `tag tag-${status}`, t: `waiting.status.${status}` })),
      approval.reason && h('p', {}, t('waiting.because', { who: approval.decided_by ?? '', reason: approval.reason })),
      status === 'waiting' && reasons?.length > 0 && h('ul', { class: 'tiny' }, reasons.map(reason => h('li', {}, reason))),
      this.#sql(sql),
      explanation && h('details', {}, h('summary', { t: 'waiting.explanation' }), h('p', { class: 'multiline' }, explanation)),
      this.#findings(approval.trust_report),
      mayDecide && h('p', { class: 'muted tiny' }, t('waiting.plan', { count: Number(rows ?? 0), cost: formatNumber(Number(cost ?? 0), { maximumFractionDigits: 0 }) })),
      mayDecide && h('div', { class: 'card-tools' },
        this.#decision('waiting.approve', card, `waiting/approvals/${id}/approve`, 'waiting.approved', { icon: 'check', class: 'primary small' }),
        may('teach') && actionButton('waiting.approve_example', card, async () => {
          await post(`waiting/approvals/${id}/approve`, { as_example: true });
          this.#done(card, 'waiting.approved_example');
        }),
        button('waiting.reject', () => this.#reject(reject, card, id), { class: 'quiet small' })),
      status === 'waiting' && own && may('approve') && h('p', { class: 'muted tiny', t: 'waiting.not_own' }),
      approved && h('div', { class: 'card-tools' },
        button('waiting.show_answer', () => emit('answer-approved', { question, approval: id }), { icon: 'play', class: 'primary small' })),
      reject,
    ];
  }

  #findings(report) {
    if (!report || report.length === 0) return null;
    return h('details', { open: report.some(({ severity }) => severity === 'error' || severity === 'high') },
      h('summary', { t: 'waiting.findings', tArgs: { count: report.length } }),
      h('ul', { class: 'tiny' }, report.map(finding => h('li', {}, [finding.evidence, finding.fix].filter(Boolean).join(' ')))));
  }

  #reject(place, card, id) {
    const reason = line('');
    fill(place, form({
      title: 'waiting.reject',
      fields: [field('waiting.reason', reason, { hint: 'waiting.reason.hint' })],
      submit: 'waiting.reject',
      save: () => post(`waiting/approvals/${id}/reject`, { reason: said(reason) }),
      saved: () => this.#done(card, 'waiting.rejected'),
      cancel: () => place.replaceChildren(),
    }));
    reason.focus();
  }

  #example({ card, id, question, sql, status, problem, intent, intent_reason: why, feedback, taught_by: who, taught_at: at }) {
    const { run, place } = this.#runButton(card, sql);
    const opinion = h('p', { class: 'muted tiny' });
    const say = verdict => verdict.intent && fill(opinion, t(`waiting.intent.${verdict.intent}`), verdict.reason ? ` ${verdict.reason}` : '');
    say({ intent, reason: why });
    return [
      h('p', { class: 'card-title' }, question),
      h('p', { class: 'muted tiny' }, `${who ?? ''} · ${formatTime(at)}`),
      feedback?.map(said => h('p', { class: 'quote' }, t(`waiting.said.${said.verdict}`, { who: said.given_by }), said.comment && ` “${said.comment}”`,
        said.sql && said.verdict === 'wrong' && h('details', {}, h('summary', { t: 'waiting.before' }), this.#sql(said.sql)))),
      status === 'broken' && h('p', { class: 'broken' }, t('glossary.broken', { problem })),
      this.#sql(sql),
      opinion,
      h('div', { class: 'card-tools' },
        run,
        this.#decision('waiting.verify', card, `waiting/examples/${id}/verify`, 'waiting.verified', { icon: 'check', class: 'primary small' }),
        this.#decision('waiting.drop', card, `waiting/examples/${id}/reject`, 'waiting.dropped', { class: 'quiet small' }),
        actionButton('waiting.check', card, async () => say(await post(`waiting/examples/${id}/check`, {})), { class: 'quiet small' })),
      place,
    ];
  }

  #feedback({ card, question, sql, comment, given_by: who, given_at: at }) {
    const missing = /^\? (.+)$/m.exec(comment ?? '')?.[1].split(', ')[0];
    const { run, place } = sql ? this.#runButton(card, sql) : {};
    return [
      h('p', { class: 'card-title' }, question),
      h('p', { class: 'muted tiny' }, `${t('waiting.said.wrong', { who })} · ${formatTime(at)}`),
      comment && h('p', { class: 'quote multiline' }, `“${comment}”`),
      sql && this.#sql(sql),
      h('div', { class: 'card-tools' }, run,
        button('waiting.teach_word', event => this.#teachWord(event, card, missing), { icon: 'edit', class: 'quiet small' }), button('waiting.write_sql', event => this.#correct(event, card, question, sql), { icon: 'edit', class: 'quiet small' })),
      place,
    ];
  }

  /** The curator says what a word is another word for. */
  #teachWord(event, card, missing) {
    const control = event.currentTarget;
    const word = line(missing, { required: true });
    const { input: object, list } = objectLine();
    const element = form({
      title: 'waiting.teach_word',
      fields: [field('waiting.word', word), field('waiting.word_for', object, { hint: 'waiting.word_for.hint' }), list],
      save: () => post('teach/synonyms', { object: said(object), synonyms: [said(word)] }),
      saved: () => this.#done(card, 'waiting.word_taught'),
      cancel: () => {
        element.remove();
        control.focus();
      },
    });
    card.querySelector(':scope > .inline-form')?.remove();
    card.append(element);
    (missing ? object : word).focus();
  }

  /** The curator writes what should have answered, as a verified example. */
  #correct(event, card, question, sql) {
    const control = event.currentTarget;
    const editor = h('sql-editor', { bare: true });
    const element = form({
      title: 'waiting.write_sql',
      fields: [h('div', { class: 'field' }, h('p', { class: 'label', t: 'teach.sql' }), editor)],
      submit: 'teach.save_verified',
      save: async () => {
        const { id } = await post('teach/examples', { question, sql: editor.value });
        await post(`waiting/examples/${id}/verify`, {});
      },
      saved: () => this.#done(card, 'waiting.verified'),
      cancel: () => {
        element.remove();
        control.focus();
      },
    });
    card.querySelector(':scope > .inline-form')?.remove();
    card.append(element);
    editor.value = sql ?? '';
    editor.editable = true;
    editor.focus();
  }

  #suggestion({ card, id, kind, object, term, suggestion, sql_expression: sql, model, suggested_by: who }) {
    return [
      h('p', { class: 'card-title' }, kind === 'definition' ? t('waiting.term', { term }) : object),
      h('p', {}, suggestion),
      sql && h('p', { class: 'entry-sql' }, h('code', {}, sql)),
      h('p', { class: 'muted tiny' }, kind === 'definition' ? `${object} · ` : '', `${model === 'feedback' ? who : model}`),
      h('div', { class: 'card-tools' },
        this.#decision('waiting.accept', card, `waiting/suggestions/${id}/accept`, 'waiting.accepted', { icon: 'check', class: 'primary small' }),
        this.#decision('waiting.reject', card, `waiting/suggestions/${id}/reject`, 'waiting.rejected', { class: 'quiet small' })),
    ];
  }

  #join({ card, id, column_names: columns, target_column_names: targets, certainty, evidence }) {
    return [
      h('p', { class: 'card-title code' }, `${columns.join(', ')} → ${targets.join(', ')}`),
      evidence && h('p', {}, evidence),
      certainty !== null && h('p', { class: 'muted tiny' }, t('waiting.certainty', { share: formatNumber(Number(certainty), { style: 'percent', maximumFractionDigits: 0 }) })),
      h('div', { class: 'card-tools' },
        this.#decision('waiting.accept', card, `waiting/joins/${id}/accept`, 'waiting.accepted', { icon: 'check', class: 'primary small' }),
        this.#decision('waiting.reject', card, `waiting/joins/${id}/reject`, 'waiting.rejected', { class: 'quiet small' })),
    ];
  }

  /** Looks for joins that nobody declared, and asks a model for descriptions. */
  #searches() {
    const host = h('div', { class: 'panel-foot' });
    const objects = line('', { spellcheck: 'false' });
    host.append(
      h('h2', { t: 'waiting.more' }),
      actionButton('waiting.find_joins', host, async () => {
        const { joins } = await post('teach/suggest-joins', {});
        announce(t('waiting.found', { count: joins.length }));
        await this.#load();
      }, { class: 'small' }),
      form({
        title: 'waiting.find_descriptions',
        fields: [field('waiting.find_descriptions', objects, { hint: 'waiting.find_descriptions.hint' })],
        submit: 'waiting.suggest',
        save: () => post('teach/suggest-descriptions', { objects: objects.value.split(',').map(name => name.trim()).filter(Boolean) }),
        saved: this.#load,
      }));
    return host;
  }
}

customElements.define('waiting-panel', WaitingPanel);
