// <egress-panel>: what may leave the server for a question, and what has left it for the questions of the role.

import { get, post } from '../lib/api.js';
import { button, fill, h, icon, spinner } from '../lib/dom.js';
import { formatNumber, formatTime, hasText, t } from '../lib/i18n.js';
import { chosenModel } from '../lib/choices.js';
import { may, session } from '../lib/state.js';
import { problemNote } from './problem-note.js';

class EgressPanel extends HTMLElement {
  #lines = [];

  connectedCallback() {
    if (this.hasChildNodes()) return;
    this.question = h('textarea', { id: 'preview-question', rows: '2', tPlaceholder: 'egress.question' });
    this.preview = h('div', { class: 'preview', 'aria-live': 'polite' });
    this.log = h('div', { class: 'egress-log' });
    this.append(
      this.#rules(),
      h('form', { class: 'inline-form', on: { submit: event => this.#ask(event) } },
        h('label', { for: 'preview-question', t: 'egress.preview' }),
        this.question,
        h('div', { class: 'form-tools' }, h('button', { type: 'submit', class: 'button small', disabled: !may('ask') }, h('span', { t: 'egress.show' })))),
      this.preview,
      h('h2', { t: 'egress.log' }),
      this.log);
    this.#load();
  }

  /** What the model of the questions may be sent, in words. */
  #rules() {
    const names = chosenModel() ? [chosenModel()] : (session()?.model ?? '').split(',').map(name => name.trim()).filter(Boolean);
    const known = new Map((session()?.models ?? []).map(model => [model.model, model]));
    return h('div', { class: 'note' }, icon('shield'), h('div', {},
      h('p', { class: 'note-title', t: 'egress.rules' }),
      h('ul', {}, names.map(name => {
        const egress = name === 'builtin' ? 'none' : known.get(name)?.egress ?? 'unknown';
        return h('li', {}, h('strong', {}, name), ': ', h('span', { t: `egress.level.${egress}` }));
      })),
      h('p', { class: 'muted tiny', t: 'egress.private' })));
  }

  async #ask(event) {
    event.preventDefault();
    const question = this.question.value.trim();
    if (question === '') {
      this.question.focus();
      return;
    }
    fill(this.preview, spinner());
    try {
      const model = chosenModel();
      const prompt = promptOf(await post('preview', { question, options: model ? { model } : undefined }));
      fill(this.preview, prompt
        ? [(model ?? session()?.model) === 'builtin' && h('p', { t: 'egress.nothing_builtin' }),
          h('p', { class: 'muted tiny' }, t('egress.characters', { count: prompt.length })),
          h('pre', { class: 'prompt', tabindex: '0', role: 'region', tLabel: 'egress.prompt' }, prompt)]
        : h('p', { t: 'egress.nothing' }));
    } catch (problem) {
      fill(this.preview, problemNote(problem));
    }
  }

  async #load(before) {
    if (!before) fill(this.log, spinner());
    try {
      const { egress, more } = await get(`egress?${new URLSearchParams(before ? { before } : {})}`);
      this.#lines = before ? [...this.#lines, ...egress] : egress;
      fill(this.log,
        this.#lines.length === 0 ? h('p', { t: 'egress.none' }) : h('ul', { class: 'plain' }, this.#lines.map(entry => h('li', { class: 'entry' }, this.#entry(entry)))),
        more && button('more', () => this.#load(this.#lines.at(-1).egress_id), { class: 'quiet small' }));
    } catch (problem) {
      fill(this.log, problemNote(problem, { retry: () => this.#load() }));
    }
  }

  #entry(entry) {
    const purpose = `egress.purpose.${entry.purpose}`;
    const parts = [
      entry.tables?.length > 0 && t('egress.tables', { tables: entry.tables.join(', ') }),
      entry.value_columns?.length > 0 ? t('egress.values', { columns: entry.value_columns.join(', ') }) : t('egress.no_values'),
      entry.sample_columns?.length > 0 && t('egress.samples', { columns: entry.sample_columns.join(', ') }),
      Number(entry.result_rows ?? 0) > 0 ? t('egress.rows', { count: Number(entry.result_rows) }) : t('egress.no_rows'),
    ].filter(Boolean);
    return [
      h('p', {}, entry.question ?? h('span', { class: 'muted', t: 'egress.no_question' })),
      h('p', { class: 'muted tiny' }, `${formatTime(entry.sent_at)} · ${entry.endpoint} · ${hasText(purpose) ? t(purpose) : entry.purpose} · ${t('egress.characters', { count: Number(entry.characters) })}${
        entry.cost === null ? '' : ` · ${formatNumber(Number(entry.cost), { maximumFractionDigits: 6 })} ${entry.currency ?? ''}`}`),
      h('ul', { class: 'tiny' }, parts.map(part => h('li', {}, part))),
    ];
  }
}

/** The text of a prompt, however the route wraps it. */
function promptOf(reply) {
  if (typeof reply === 'string') return reply;
  if (Array.isArray(reply)) return reply.map(promptOf).join('\n');
  return reply?.prompt ?? reply?.preview_prompt ?? (reply?.prompts ? promptOf(reply.prompts) : '');
}

customElements.define('egress-panel', EgressPanel);
