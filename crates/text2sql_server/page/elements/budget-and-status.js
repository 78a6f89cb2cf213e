// How much of a budget is used, and the lines of status(): in "Who am I?" and in the administration.

import { h } from '../lib/dom.js';
import { formatNumber, t } from '../lib/i18n.js';

/** How much of a budget is used; nothing where it has no limit. */
export function budgetMeter(key, used, limit, unit = '') {
  if (limit === null || limit === undefined) return null;
  const [now, most] = [Number(used ?? 0), Number(limit)];
  const text = t(key, { used: formatNumber(now), limit: `${formatNumber(most)} ${unit}`.trim() });
  const meter = h('meter', { min: 0, max: most || 1, 'aria-label': text });
  meter.high = most * 0.9;
  meter.value = Math.min(now, most);
  return h('p', { class: 'budget-line' }, h('span', {}, text), meter);
}

/** The lines of status(). */
export function statusTable(items) {
  return h('div', { class: 'table-frame', tabindex: '0', role: 'region', tLabel: 'who.state' }, h('table', { class: 'plain-table' },
    h('thead', {}, h('tr', {}, ['who.status.item', 'who.status.value', 'who.status.note'].map(key => h('th', { scope: 'col', t: key })))),
    h('tbody', {}, items.map(({ item, value, note }) => h('tr', {}, h('th', { scope: 'row' }, item), h('td', {}, value), h('td', { class: 'muted' }, note ?? ''))))));
}
