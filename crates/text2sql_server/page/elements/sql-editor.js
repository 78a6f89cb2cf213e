// <sql-editor>: SQL, highlighted; editable where it says so, with a check by the guard while somebody types.
// Properties `value`, `editable`; `position` marks a fault. Events: 'sql-run' (detail: the SQL), 'sql-close'.

import { post } from '../lib/api.js';
import { button, copyButton, debounce, fill, h, icon, uniqueId } from '../lib/dom.js';
import { formatNumber, t } from '../lib/i18n.js';
import { highlight, place } from '../lib/sql.js';

class SqlEditor extends HTMLElement {
  #value = '';
  #original = '';
  #editable = false;
  #asked = 0;

  get value() {
    return this.#editable ? this.text.value : this.#value;
  }

  set value(sql) {
    this.#value = this.#original = sql;
    this.#render();
  }

  get editable() {
    return this.#editable;
  }

  set editable(editable) {
    if (this.#editable === editable) return;
    this.#value = this.value;
    this.#editable = editable;
    this.#render();
    if (editable) this.#validate();
  }

  /** Replaces the text, as an edit of the reader. */
  propose(sql) {
    this.editable = true;
    this.text.value = sql;
    this.#typed();
  }

  focus() {
    this.text?.focus();
  }

  /** Marks where the database found a fault. */
  set position(position) {
    highlight(this.code, this.value, position ?? undefined);
  }

  #render() {
    this.code = h('code');
    this.layer = h('pre', { class: 'sql-text', tabindex: this.#editable ? null : '0', 'aria-hidden': this.#editable ? 'true' : null }, this.code);
    highlight(this.code, this.#value);
    if (!this.#editable) {
      this.layer.setAttribute('role', 'region');
      this.layer.setAttribute('aria-label', 'SQL');
      fill(this, h('div', { class: 'sql-frame' }, this.layer),
        h('div', { class: 'sql-tools' },
          copyButton(() => this.value, 'sql.copy'),
          this.getAttribute('fixed') === null && button('sql.edit', () => { this.editable = true; this.focus(); }, { icon: 'edit', class: 'quiet small' })));
      return;
    }
    const verdict = uniqueId('verdict');
    this.text = h('textarea', {
      class: 'sql-input', spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off', wrap: 'soft', tLabel: 'sql.label', 'aria-describedby': verdict,
      on: {
        input: () => this.#typed(),
        keydown: event => this.#key(event),
        scroll: () => { this.layer.scrollTop = this.text.scrollTop; },
      },
    });
    this.text.value = this.#value;
    this.verdict = h('p', { id: verdict, class: 'sql-verdict', role: 'status' });
    fill(this, h('div', { class: 'sql-frame editing' }, this.layer, this.text), this.verdict,
      this.getAttribute('bare') === null && h('div', { class: 'sql-tools' },
        button('sql.run', () => this.#run(), { icon: 'play', class: 'primary small' }),
        button('sql.reset', () => this.#reset(), { icon: 'redo', class: 'quiet small' }),
        copyButton(() => this.value, 'sql.copy')));
    this.#typed(false);
  }

  #typed(check = true) {
    // The last line needs a character, or the layer below is one line shorter than the text.
    highlight(this.code, this.text.value);
    this.code.append('\n');
    if (check) this.#validate();
  }

  #key(event) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#run();
    } else if (event.key === 'Escape' && this.getAttribute('bare') === null) {
      event.stopPropagation();
      this.#reset();
    }
  }

  #run() {
    this.dispatchEvent(new CustomEvent('sql-run', { detail: this.value, bubbles: true }));
  }

  #reset() {
    this.#value = this.#original;
    this.text.value = this.#original;
    this.#editable = false;
    this.#render();
    this.dispatchEvent(new CustomEvent('sql-close', { bubbles: true }));
    this.querySelector('.sql-tools button:last-child')?.focus();
  }

  #validate = debounce(async () => {
    const sql = this.value;
    const asked = ++this.#asked;
    if (sql.trim() === '' || !this.isConnected) {
      this.verdict?.replaceChildren();
      return;
    }
    try {
      const verdict = await post('validate', { sql });
      // Only what was said about the text as it stands counts.
      if (asked !== this.#asked || !this.#editable || sql !== this.value) return;
      this.#judge(sql, Array.isArray(verdict) ? verdict[0] : verdict);
    } catch (problem) {
      if (asked === this.#asked && this.#editable) fill(this.verdict, h('span', {}, problem.title ?? ''));
    }
  }, 400);

  #judge(sql, verdict) {
    this.verdict.dataset.allowed = verdict.allowed;
    if (verdict.allowed) {
      const reads = (verdict.read_relations ?? []).join(', ');
      fill(this.verdict, icon('check'), h('span', {}, [
        t('sql.allowed'), reads && t('sql.reads', { tables: reads }),
        verdict.estimated_rows !== null && t('sql.estimate', { count: Number(verdict.estimated_rows), cost: formatNumber(Number(verdict.estimated_cost), { maximumFractionDigits: 0 }) }),
      ].filter(Boolean).join(' · ')));
      return;
    }
    const position = verdict.error_position;
    highlight(this.code, sql, position ?? undefined);
    this.code.append('\n');
    const where = position ? place(sql, Number(position)) : null;
    fill(this.verdict, icon('alert'), h('span', {}, where && `${t('sql.where', where)}: `, verdict.reason ?? t('problem.unknown'),
      verdict.offender && ` (${verdict.offender})`));
  }
}

customElements.define('sql-editor', SqlEditor);
