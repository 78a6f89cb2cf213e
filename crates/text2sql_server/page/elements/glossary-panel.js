// <glossary-panel>: what people call things: terms, other words, instructions, joins, examples. A curator adds to it here.

import { download, get, post, remove } from '../lib/api.js';
import { announce, button, fill, h, iconButton, spinner } from '../lib/dom.js';
import { t } from '../lib/i18n.js';
import { emit, may } from '../lib/state.js';
import { confirmed } from './confirm-dialog.js';
import { actionButton, area, field, form, line, opener, said, words } from './form-fields.js';
import { documentSection } from './document-section.js';
import { importSection } from './import-section.js';
import { problemNote } from './problem-note.js';
import './sql-editor.js';

class GlossaryPanel extends HTMLElement {
  #glossary = null;
  #examples = [];

  connectedCallback() {
    if (this.hasChildNodes()) return;
    this.search = h('input', { type: 'search', class: 'panel-search', tLabel: 'glossary.search', tPlaceholder: 'glossary.search', on: { input: () => this.#show() } });
    this.body = h('div', { class: 'glossary' });
    // It stays while the rest is drawn anew: what became of a file's lines is read there.
    this.imports = may('teach') ? [importSection(() => this.#load()), documentSection()] : null;
    this.append(h('p', { class: 'muted panel-lead', t: may('teach') ? 'glossary.lead.curator' : 'glossary.lead' }), this.search, this.body);
    fill(this.body, spinner());
    this.#load();
  }

  #load = async () => {
    try {
      const [glossary, { examples }] = await Promise.all([get('glossary'), get('examples?limit=200')]);
      this.#glossary = glossary;
      this.#examples = examples.filter(({ origin }) => origin === 'verified');
      this.#show();
    } catch (problem) {
      fill(this.body, problemNote(problem, { retry: this.#load }));
    }
  };

  #show() {
    if (!this.#glossary) return;
    const wanted = this.search.value.trim().toLowerCase();
    const found = list => list.filter(item => !wanted || JSON.stringify(Object.values(item)).toLowerCase().includes(wanted));
    const { definitions, synonyms, instructions, joins } = this.#glossary;
    fill(this.body,
      this.#section('definitions', found(definitions), definition => this.#definition(definition), close => this.#define(close)),
      this.#section('synonyms', found(synonyms), entry => this.#synonyms(entry)),
      this.#section('examples', found(this.#examples), example => this.#example(example), close => this.#addExample(close)),
      this.#section('instructions', found(instructions), instruction => this.#instruction(instruction), close => this.#instruct(close)),
      this.#section('joins', found(joins), join => this.#join(join), close => this.#addJoin(close)),
      this.imports,
      may('teach') && h('div', { class: 'panel-foot' }, this.#saveButton()));
  }

  #section(name, items, draw, add) {
    const mayAdd = may('teach') && add;
    if (items.length === 0 && !mayAdd) return name === 'definitions' ? h('p', { class: 'muted', t: 'glossary.none' }) : null;
    return h('section', { class: 'glossary-section', data: { section: name } },
      h('h2', { t: `glossary.${name}` }),
      h('p', { class: 'muted tiny', t: `glossary.${name}.why` }),
      items.length > 0 ? h('ul', { class: 'plain' }, items.map(item => h('li', { class: 'entry' }, draw(item)))) : h('p', { class: 'muted', t: 'none' }),
      mayAdd && opener(`glossary.${name}.add`, add));
  }

  #definition(definition) {
    const { term, meaning, sql_expression: sql, applies_to: table, synonyms, period, problem } = definition;
    const place = h('div', { class: 'teach-place' });
    return [
      h('div', { class: 'entry-line' },
        h('button', { type: 'button', class: 'entry-name', title: t('schema.insert', { name: term }), on: { click: () => emit('insert', { text: term }) } }, term),
        may('teach') && iconButton('edit', 'glossary.change', () => {
          fill(place, this.#define(() => place.replaceChildren(), definition));
          place.querySelector('input, textarea')?.focus();
        }, { class: 'tiny' }),
        this.#dropButton(term, () => remove(`teach/define?${new URLSearchParams(table ? { term, applies_to: table } : { term })}`))),
      meaning && h('p', {}, meaning),
      period && period !== meaning && h('p', { class: 'muted' }, period),
      synonyms.length > 0 && h('p', { class: 'muted tiny' }, t('schema.also_called', { words: synonyms.join(', ') })),
      sql && h('p', { class: 'entry-sql' }, h('code', {}, sql), table && h('span', { class: 'muted tiny' }, ` (${table})`)),
      problem && h('p', { class: 'broken' }, t('glossary.broken', { problem })),
      place,
    ];
  }

  #synonyms({ object, synonyms }) {
    return [
      h('p', { class: 'entry-line' }, h('code', {}, object)),
      h('p', { class: 'chips' }, synonyms.map(synonym => h('span', { class: 'chip-word' },
        h('button', { type: 'button', class: 'chip small', on: { click: () => emit('insert', { text: synonym }) } }, synonym)))),
    ];
  }

  #example({ id, question, sql, verified_by: who }) {
    return [
      h('div', { class: 'entry-line' },
        h('button', { type: 'button', class: 'entry-name', title: t('glossary.ask'), on: { click: () => emit('prefill', { question }) } }, question),
        this.#dropButton(question, () => remove(`teach/examples/${id}`))),
      h('p', { class: 'entry-sql' }, h('code', {}, sql)),
      who && h('p', { class: 'muted tiny', t: 'badge.verified', tArgs: { who } }),
    ];
  }

  #instruction({ id, instruction, applies_to: table, role_name: role, problem }) {
    return [
      h('div', { class: 'entry-line' }, h('p', {}, instruction), this.#dropButton(instruction, () => remove(`teach/instructions/${id}`))),
      h('p', { class: 'muted tiny' }, [table ? t('glossary.about', { table }) : t('glossary.everywhere'), role && t('glossary.for_role', { role })].filter(Boolean).join(' · ')),
      problem && h('p', { class: 'broken' }, t('glossary.broken', { problem })),
    ];
  }

  #join({ id, column_names: columns, target_column_names: targets, evidence }) {
    return [
      h('div', { class: 'entry-line' }, h('p', {}, h('code', {}, columns.join(', ')), ' → ', h('code', {}, targets.join(', '))),
        this.#dropButton(columns.join(', '), () => remove(`teach/joins/${id}`))),
      evidence && h('p', { class: 'muted tiny' }, evidence),
    ];
  }

  #dropButton(name, work) {
    if (!may('teach')) return null;
    const control = iconButton('trash', 'glossary.drop', async () => {
      if (!await confirmed('glossary.drop_it', { name })) return;
      const item = control.closest('li');
      item.querySelector('.action-problem')?.remove();
      try {
        await work();
        announce(t('glossary.dropped'));
        await this.#load();
        this.search.focus();
      } catch (problem) {
        item.append(h('div', { class: 'action-problem' }, problemNote(problem)));
      }
    }, { class: 'tiny' });
    control.setAttribute('aria-label', `${t('glossary.drop')}: ${name}`);
    return control;
  }

  #define(close, definition = {}) {
    const term = line(definition.term, { required: true, readonly: definition.term !== undefined });
    const meaning = area(definition.meaning);
    const sql = area(definition.sql_expression, { class: 'code', spellcheck: 'false' });
    const table = line(definition.applies_to, { spellcheck: 'false' });
    const period = line(definition.period);
    const synonyms = line((definition.synonyms ?? []).join(', '));
    return form({
      title: 'glossary.definitions.add',
      fields: [
        field('teach.term', term), field('teach.meaning', meaning),
        field('teach.synonyms', synonyms, { hint: 'teach.synonyms.hint' }),
        field('teach.expression', sql, { hint: 'teach.expression.hint' }), field('teach.applies_to', table),
        field('teach.period', period, { hint: 'teach.period.hint' }),
      ],
      save: () => post('teach/define', {
        term: said(term), meaning: said(meaning), sql_expression: said(sql), applies_to: said(table), period: said(period),
        synonyms: words(synonyms),
      }),
      saved: this.#load,
      cancel: close,
    });
  }

  #addExample(close) {
    const question = line('', { required: true });
    const sql = h('sql-editor', { bare: true });
    sql.value = '';
    sql.editable = true;
    return form({
      title: 'glossary.examples.add',
      fields: [field('teach.question', question), h('div', { class: 'field' }, h('p', { class: 'label', t: 'teach.sql' }), sql)],
      submit: 'teach.save_verified',
      save: async () => {
        const { id } = await post('teach/examples', { question: said(question), sql: sql.value });
        await post(`waiting/examples/${id}/verify`, {});
      },
      saved: this.#load,
      cancel: close,
    });
  }

  #instruct(close) {
    const instruction = area('', { required: true, maxlength: '500' });
    const table = line('', { spellcheck: 'false' });
    const role = line('', { spellcheck: 'false' });
    return form({
      title: 'glossary.instructions.add',
      fields: [field('teach.instruction', instruction), field('teach.scope', table, { hint: 'teach.scope.hint' }), field('teach.role', role, { hint: 'teach.role.hint' })],
      save: () => post('teach/instructions', { instruction: said(instruction), applies_to: said(table), role_name: said(role) }),
      saved: this.#load,
      cancel: close,
    });
  }

  #addJoin(close) {
    const from = line('', { required: true, spellcheck: 'false', placeholder: 'web.sessions.source' });
    const to = line('', { required: true, spellcheck: 'false', placeholder: 'campaigns.name' });
    const evidence = line('');
    return form({
      title: 'glossary.joins.add',
      fields: [field('teach.join.from', from, { hint: 'teach.join.hint' }), field('teach.join.to', to), field('teach.join.evidence', evidence)],
      save: () => post('teach/joins', { column_names: words(from), target_column_names: words(to), evidence: said(evidence) }),
      saved: this.#load,
      cancel: close,
    });
  }

  #saveButton() {
    const foot = h('div');
    foot.append(actionButton('glossary.save_all', foot, () => download('teach/export', undefined, 'knowledge.jsonl'), { icon: 'download', class: 'quiet small' }));
    return foot;
  }
}

customElements.define('glossary-panel', GlossaryPanel);
