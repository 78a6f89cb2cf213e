// <who-am-i>: a button with the role's name, and a dialog: who am I, what may I do, which model, how much is left.

import { get, post, remove } from '../lib/api.js';
import { announce, button, fill, h, icon, spinner } from '../lib/dom.js';
import { chooseModel, chosenModel, models } from '../lib/choices.js';
import { hasText, t } from '../lib/i18n.js';
import { emit, session } from '../lib/state.js';
import { budgetMeter, statusTable } from './budget-and-status.js';
import { choice, field } from './form-fields.js';
import { forThem } from './message-list.js';
import { problemNote } from './problem-note.js';

const RIGHTS = ['ask', 'teach', 'approve', 'evaluate', 'create_view', 'load', 'administer'];

class WhoAmI extends HTMLElement {
  connectedCallback() {
    if (this.hasChildNodes()) return;
    this.append(h('button', { type: 'button', class: 'button quiet small who', 'aria-haspopup': 'dialog', on: { click: () => this.#open() } },
      icon('user'), h('span', {}, session()?.role ?? ''),
      session()?.warnings?.length > 0 && h('span', { class: 'count warn', 'aria-hidden': 'true' }, '!'),
      h('span', { class: 'visually-hidden', t: 'who.open' })));
  }

  async #open() {
    const body = h('div', { class: 'dialog-body' });
    const dialog = h('dialog', { class: 'dialog who-dialog', 'aria-labelledby': 'who-title', on: { close: () => dialog.remove() } },
      h('h2', { id: 'who-title', t: 'who.title' }),
      body,
      h('div', { class: 'dialog-foot' },
        session()?.may?.ask && button('who.administration', () => {
          dialog.close();
          openAdministration();
        }, { class: 'quiet' }),
        button('logout', logOut, {}),
        button('close', () => dialog.close(), { class: 'primary' })));
    fill(body, spinner());
    document.body.append(dialog);
    dialog.showModal();
    try {
      // Budgets and rights change while the page is open.
      const [who, { databases }] = await Promise.all([get('session'), get('databases')]);
      fill(body, contents(who, databases.filter(({ is_this: isThis }) => !isThis)));
    } catch (problem) {
      fill(body, problemNote(problem), session() && contents(session()));
    }
  }
}

async function openAdministration() {
  const { openAdmin } = await import('./admin-dialog.js');
  openAdmin();
}

// Cleared before the session ends: a request under way would get 401, and a session that ends by itself keeps the answers.
async function logOut() {
  emit('logout');
  await remove('session').catch(() => {});
  emit('session', null);
}

function contents(who, others = []) {
  const rights = RIGHTS.filter(right => who.may?.[right]);
  return [
    warningNotes(who),
    h('dl', { class: 'facts' },
      fact('who.role', who.role), who.user !== who.role && fact('who.user', who.user),
      fact('who.database', who.database),
      others.length > 0 && fact('who.other_databases', h('ul', { class: 'plain' }, others.map(({ name, path }) => h('li', {}, h('a', { href: path }, name))))),
      fact('who.versions', t('who.versions.text', { postgresql: who.version, extension: who.extension_version ?? '–' })),
      h('dt', { t: 'who.may' }), h('dd', {}, rights.length > 0 ? rights.map(right => t(`who.may.${right}`)).join(', ') : t('who.may.nothing'))),
    who.may?.ask && modelChoice(who),
    who.may?.ask && budgets(who.budget ?? []),
    who.may?.ask && settings(who.settings ?? {}),
    who.may?.ask && status(),
  ].filter(Boolean);
}

const fact = (key, value) => [h('dt', { t: key }), h('dd', {}, value)];

/** What the session warns of, in the language of the reader. */
export function warningNotes(who) {
  return (who?.warnings ?? []).map(({ code, text, hint }) => h('div', { class: 'note warning' }, icon('alert'), h('div', {},
    h('p', {}, hasText(`warning.${code}`) ? t(`warning.${code}`, { role: who.role, database: who.database }) : text),
    hint && h('p', { class: 'muted tiny', t: 'warning.to_administrator' }),
    hint && forThem(hint))));
}

function modelChoice(who) {
  const names = models();
  const select = choice([['', t('who.model.default', { model: who.model ?? 'builtin' })], ...names.map(name => [name, name])], chosenModel() ?? '');
  select.addEventListener('change', () => {
    chooseModel(select.value || null);
    announce(t('who.model.chosen'));
  });
  const refused = (who.models ?? []).filter(({ status: state }) => state !== 'usable');
  return h('section', {}, h('h3', { t: 'who.model' }),
    field('who.model.of_page', select, { hint: 'who.model.hint' }),
    refused.length > 0 && h('ul', { class: 'muted tiny' }, refused.map(({ model, status: state, problem }) => h('li', {}, `${model}: ${problem ?? state}`))));
}

function budgets(list) {
  return h('section', {}, h('h3', { t: 'who.budget' }),
    list.length === 0 ? h('p', { class: 'muted', t: 'who.budget.none' }) : list.map(budget => h('div', { class: 'budget' },
      h('p', { class: 'muted tiny' }, t('who.budget.of', { role: budget.role_name })),
      budgetMeter('who.budget.questions', budget.questions_today, budget.questions_per_day),
      budgetMeter('who.budget.tokens', budget.tokens_today, budget.tokens_per_day),
      budgetMeter('who.budget.cost', budget.cost_today, budget.cost_per_day, budget.currency))));
}

function settings(values) {
  const kept = values.keep_answers !== undefined && values.keep_answers !== 'off' && values.keep_answers !== '0';
  const lines = [
    values.max_result_rows && t('who.setting.rows', { rows: Number(values.max_result_rows), size: values.max_result_size }),
    values.query_timeout && t('who.setting.timeout', { timeout: values.query_timeout }),
    values.enable_history !== 'off' ? t('who.setting.history', { retention: values.history_retention }) : t('who.setting.no_history'),
    values.enable_history === 'prompts' && t('who.setting.prompts'),
    values.allowed_schemas && t('who.setting.schemas', { schemas: values.allowed_schemas }),
  ].filter(Boolean);
  return h('section', {}, h('h3', { t: 'who.settings' }), h('ul', {}, lines.map(text => h('li', {}, text))),
    values.keep_answers !== undefined && keepAnswers(kept));
}

/** Answers are kept for their reader alone; whoever does not want that switches it off. */
function keepAnswers(kept) {
  const box = h('input', { type: 'checkbox', on: { change: async () => {
    box.disabled = true;
    try {
      await post('session/keep-answers', { keep: box.checked });
      announce(t(box.checked ? 'who.keep.on' : 'who.keep.off'));
    } catch (problem) {
      box.checked = !box.checked;
      place.append(problemNote(problem));
    } finally {
      box.disabled = false;
    }
  } } });
  box.checked = kept;
  const place = h('div', { class: 'keep-answers' },
    h('label', { class: 'check' }, box, h('span', { t: 'who.keep' })),
    h('p', { class: 'hint muted tiny', t: 'who.keep.hint' }));
  return place;
}

function status() {
  const place = h('div');
  const ask = button('who.status', async () => {
    fill(place, spinner());
    try {
      fill(place, statusTable((await get('admin/status')).items));
    } catch (problem) {
      fill(place, problemNote(problem));
    }
  }, { class: 'small' });
  return h('section', {}, h('h3', { t: 'who.state' }), h('p', { class: 'muted tiny', t: 'who.status.why' }), ask, place);
}

customElements.define('who-am-i', WhoAmI);
