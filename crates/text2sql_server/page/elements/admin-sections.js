// The sections of the administration. `may` says whether the role's rights reach that far; `draw(again)` returns what
// is shown, and `again` draws it anew.

import { get, post, remove } from '../lib/api.js';
import { announce, append, button, fill, h, icon } from '../lib/dom.js';
import { formatMilliseconds, formatNumber, formatTime, hasText, t } from '../lib/i18n.js';
import { may } from '../lib/state.js';
import { budgetMeter, statusTable } from './budget-and-status.js';
import { confirmed } from './confirm-dialog.js';
import { actionButton, field, form, line, opener, said } from './form-fields.js';
import { modelForm } from './model-form.js';

export const sections = [
  { id: 'models', may: can => can('ask'), draw: models },
  { id: 'index', may: can => can('ask'), draw: index },
  { id: 'budgets', may: can => can('ask'), draw: budgets },
  { id: 'roles', may: can => can('administer') || can('grant'), draw: roles },
  { id: 'evaluations', may: can => can('evaluate'), draw: evaluations },
  { id: 'history', may: can => can('see_everybody'), draw: everybody },
];

/** A table: headings are keys of texts, cells are nodes or texts; a cell `[content, class]` has a class. */
function table(label, headings, rows) {
  return h('div', { class: 'table-frame', tabindex: '0', role: 'region', tLabel: label }, h('table', { class: 'plain-table' },
    h('thead', {}, h('tr', {}, headings.map((key, at) => (key ? h('th', { scope: 'col', class: classOf(rows[0]?.[at]), t: key }) : h('td', {}))))),
    h('tbody', {}, rows.map(cells => h('tr', {}, cells.map(cell => (Array.isArray(cell) ? h('td', { class: cell[1] }, cell[0]) : h('td', {}, cell))))))));
}

const classOf = cell => (Array.isArray(cell) ? cell[1] : null);

const number = (value, options) => (value === null || value === undefined ? '–' : formatNumber(Number(value), options));
const percent = value => number(value, { style: 'percent', maximumFractionDigits: 1 });
const money = (value, currency) => (value === null || value === undefined ? '–' : `${formatNumber(Number(value), { maximumFractionDigits: 4 })} ${currency ?? ''}`);

async function models(again) {
  const { models: list } = await get('admin/models');
  const add = may('add_model') && opener('admin.models.add', close => modelForm(null, close, again));
  if (list.length === 0) return [h('p', { t: 'admin.models.none' }), add];
  return [h('ul', { class: 'plain cards-list' }, list.map(model => {
    const result = h('p', { class: 'test-result', role: 'status' });
    const card = h('li', { class: 'item-card' });
    return append(card,
      h('p', { class: 'card-title' }, model.model, ' ', h('span', { class: `tag tag-${model.status.replaceAll(' ', '-')}` }, textOr(`admin.models.status.${model.status.replaceAll(' ', '_')}`, model.status))),
      h('p', { class: 'muted tiny' }, [model.protocol, model.model_name, model.base_url].filter(Boolean).join(' · ')),
      h('p', { class: 'tiny' }, t('admin.models.egress', { what: t(`egress.level.${model.egress}`) })),
      model.price_input !== null && h('p', { class: 'muted tiny' }, t('admin.models.price', { input: number(model.price_input), output: number(model.price_output), currency: model.currency ?? '' })),
      model.problem && h('p', { class: 'broken' }, model.problem),
      model.may_change && model.users.length > 0 && h('p', { class: 'tiny' }, t('admin.models.used_by', { roles: model.users.join(', ') })),
      may('test_model') && model.status === 'usable' && h('div', { class: 'card-tools' }, actionButton('admin.models.test', card, async () => {
        fill(result, t('admin.models.testing'));
        try {
          const tested = await post(`admin/models/${encodeURIComponent(model.model)}/test`, {});
          fill(result, icon(tested.works ? 'check' : 'alert'), h('span', {}, tested.works
            ? t('admin.models.works', { time: formatMilliseconds(Number(tested.milliseconds ?? 0)) })
            : [tested.problem, tested.hint].filter(Boolean).join(' ')));
          result.dataset.works = String(tested.works);
        } catch (problem) {
          result.replaceChildren();
          throw problem;
        }
      })),
      result,
      may('add_model') && model.may_change && h('div', { class: 'card-tools' },
        opener('admin.models.change', close => modelForm(model, close, again), { icon: 'edit' }),
        actionButton('admin.models.remove', card, async () => {
          if (!await confirmed('admin.models.remove_it', { name: model.model })) return;
          await remove(`admin/models/${encodeURIComponent(model.model)}`);
          announce(t('admin.models.removed', { name: model.model }));
          await again();
        }, { class: 'quiet small' })));
  })), add];
}

const textOr = (key, text) => (hasText(key) ? t(key) : text);

async function index(again) {
  const { items } = await get('admin/status');
  const host = h('div', {}, statusTable(items));
  if (may('refresh')) {
    host.append(h('div', { class: 'card-tools' }, actionButton('admin.index.refresh', host, async () => {
      await post('admin/refresh', {});
      announce(t('admin.index.refreshed'));
      await again();
    }, { icon: 'redo' })), h('p', { class: 'muted tiny', t: 'admin.index.refresh.why' }));
  } else host.append(h('p', { class: 'muted tiny', t: 'admin.index.no_refresh' }));
  return host;
}

async function budgets(again) {
  const [{ budgets: list }, { usage, days }] = await Promise.all([get('admin/budgets'), get('admin/usage?days=30')]);
  return [
    list.length === 0 ? h('p', { t: 'admin.budgets.none' }) : h('ul', { class: 'plain cards-list' }, list.map(budget => h('li', { class: 'item-card' },
      h('p', { class: 'card-title' }, budget.role_name, budget.status !== 'available' && h('span', { class: 'tag tag-rejected', t: 'admin.budgets.used_up' })),
      budgetMeter('who.budget.questions', budget.questions_today, budget.questions_per_day),
      budgetMeter('who.budget.tokens', budget.tokens_today, budget.tokens_per_day),
      budgetMeter('who.budget.cost', budget.cost_today, budget.cost_per_day, budget.currency)))),
    may('set_budget') ? opener('admin.budgets.set', close => budgetForm(close, again)) : null,
    h('h4', { t: 'admin.usage', tArgs: { count: days } }),
    !may('see_everybody') && h('p', { class: 'muted tiny', t: 'admin.usage.own' }),
    usage.length === 0 ? h('p', { t: 'admin.usage.none' }) : table('admin.usage.label',
      ['admin.role', 'admin.model', 'admin.questions', 'admin.answered', 'admin.tokens', 'admin.cost', 'admin.time'],
      usage.map(row => [row.asked_by, row.model ?? '–', [number(row.questions), 'number'], [number(row.answered), 'number'],
        [number(Number(row.input_tokens ?? 0) + Number(row.output_tokens ?? 0)), 'number'], [money(row.cost, row.currency), 'number'],
        [formatMilliseconds(Number(row.milliseconds ?? 0)), 'number']])),
  ];
}

function budgetForm(close, again) {
  const role = line('', { required: true, spellcheck: 'false' });
  const questions = line('', { inputmode: 'numeric', pattern: '[0-9]*' });
  const tokens = line('', { inputmode: 'numeric', pattern: '[0-9]*' });
  const cost = line('', { inputmode: 'decimal', pattern: '[0-9]*([.][0-9]+)?' });
  const currency = line('USD', { maxlength: '3', spellcheck: 'false' });
  return form({
    title: 'admin.budgets.set',
    fields: [field('admin.role', role), field('admin.budgets.questions', questions, { hint: 'admin.budgets.hint' }), field('admin.budgets.tokens', tokens),
      field('admin.budgets.cost', cost), field('admin.budgets.currency', currency)],
    save: () => post('admin/budgets', {
      role_name: said(role), questions_per_day: said(questions) && Number(said(questions)), tokens_per_day: said(tokens) && Number(said(tokens)),
      cost_per_day: said(cost), currency: said(currency),
    }),
    saved: again,
    cancel: close,
  });
}

const RIGHTS = [['ask', 'usage'], ['teach', 'curator'], ['approve', 'approver'], ['evaluate', 'evaluation']];

async function roles(again) {
  const { roles: list } = await get('admin/roles');
  const host = h('div');
  return append(host, table('admin.roles', ['admin.role', ...RIGHTS.map(([right]) => `admin.roles.${right}`), 'admin.roles.models', 'admin.roles.budgets', 'admin.roles.groups'],
    list.map(role => [h('strong', {}, role.role_name), ...RIGHTS.map(([right, name]) => rightCell(role, right, name, host, again)),
      role.models?.join(', ') ?? '–', role.budgets?.join('; ') ?? '–',
      [role.is_superuser ? t('admin.roles.superuser') : role.member_of.join(', '), 'muted']])));
}

function rightCell(role, right, name, host, again) {
  const has = role[right];
  const own = role.direct?.includes(right) === true;
  const mark = h('span', {}, h('span', { 'aria-hidden': 'true' }, has ? '✓' : '–'), h('span', { class: 'visually-hidden', t: has ? 'yes' : 'no' }),
    has && !own && !role.is_superuser && h('span', { class: 'muted tiny' }, ' ', t('admin.roles.by_group')));
  if (!may('grant') || role.is_superuser || (has && !own)) return mark;
  const key = has ? 'admin.roles.take' : 'admin.roles.give';
  const change = actionButton(key, host, async () => {
    if (!await confirmed(`${key}_it`, { role: role.role_name, right: t(`admin.roles.${right}`) })) return;
    if (has) await remove(`admin/roles/${name}?${new URLSearchParams({ role_name: role.role_name })}`);
    else await post(`admin/roles/${name}`, { role_name: role.role_name });
    await again();
  }, { class: 'quiet tiny' });
  change.setAttribute('aria-label', t(`${key}.label`, { role: role.role_name, right: t(`admin.roles.${right}`) }));
  return h('span', { class: 'right-cell' }, mark, change);
}

async function evaluations() {
  const { evaluations: list } = await get('admin/evaluations');
  if (list.length === 0) return h('p', { t: 'admin.evaluations.none' });
  return table('admin.evaluations', ['admin.evaluations.suite', 'admin.evaluations.state', 'admin.evaluations.started', 'admin.evaluations.cases', 'admin.evaluations.accuracy', 'admin.cost', 'admin.time', ''],
    list.map(run => {
      const path = `api/v1/admin/evaluations/${run.evaluation_id}/report`;
      return [
        h('span', {}, h('strong', {}, run.suite), run.name && h('span', { class: 'muted' }, ` ${run.name}`), h('span', { class: 'muted tiny' }, ` #${run.evaluation_id}, ${run.evaluated_by}`)),
        run.state, formatTime(run.started_at), [number(run.cases), 'number'],
        [h('span', {}, percent(run.accuracy), run.low !== null && h('span', { class: 'muted tiny' }, ` (${percent(run.low)}–${percent(run.high)})`)), 'number'],
        [money(run.cost, run.currency), 'number'],
        [run.mean_milliseconds === null ? '–' : formatMilliseconds(Number(run.mean_milliseconds)), 'number'],
        h('span', { class: 'card-tools' },
          h('a', { href: path, target: '_blank', rel: 'noopener noreferrer', class: 'button quiet small' }, h('span', { t: 'admin.evaluations.report' })),
          h('a', { href: `${path}?download=true`, download: true, class: 'button quiet small' }, icon('download'), h('span', { t: 'admin.evaluations.save' }))),
      ];
    }));
}

async function everybody() {
  const host = h('div');
  let questions = [];
  const load = async before => {
    const reply = await get(`history?${new URLSearchParams({ everybody: 'true', ...(before ? { before } : {}) })}`);
    questions = [...questions, ...reply.questions];
    fill(host, questions.length === 0 ? h('p', { t: 'admin.history.none' }) : table('admin.history',
      ['admin.history.when', 'admin.role', 'admin.history.question', 'admin.history.status', 'admin.model', 'admin.time'],
      questions.map(row => [formatTime(row.asked_at), row.asked_by, h('details', { class: 'sql-details' }, h('summary', {}, row.question ?? '–'), row.sql && h('pre', {}, row.sql)),
        textOr(`status.short.${row.status}`, row.status), row.model ?? '–', [row.milliseconds === null ? '–' : formatMilliseconds(Number(row.milliseconds)), 'number']])),
      reply.more && button('more', () => load(questions.at(-1).asked_at), { class: 'quiet small' }));
  };
  await load();
  return host;
}
