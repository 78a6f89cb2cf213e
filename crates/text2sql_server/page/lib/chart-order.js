// In which order rows and bars stand: as the reader sorted the table, as the question or the query orders them, else by size.

import { namesThings } from './shown.js';
import { keysOf, kindOf, sortedOrder } from './values.js';

const ASKED = /\b(alphabet\w*|a ?[-–] ?z|sort\w*|order(ed)? by|by name|geordnet|nach namen?)\b/i;
const SIZES = /^(x*s|m|x*l|\d+xl)$/i;

const calendar = new Set(['en', 'de'].flatMap(language => ['long', 'short'].flatMap(style => [
  ...Array.from({ length: 12 }, (_, month) => new Intl.DateTimeFormat(language, { month: style, timeZone: 'UTC' }).format(Date.UTC(2024, month, 15))),
  ...Array.from({ length: 7 }, (_, day) => new Intl.DateTimeFormat(language, { weekday: style, timeZone: 'UTC' }).format(Date.UTC(2024, 0, day + 1))),
])).map(text => text.toLowerCase()));

// Steps of a scale have an order of their own.
const isScale = texts => texts.every(text => /^[<>≤≥]? ?\d/.test(text)) || texts.every(text => SIZES.test(text)) ||
  texts.every(text => calendar.has(text.toLowerCase()));

/** The first thing that the whole query orders by, or null. */
export function orderedBy(sql) {
  let depth = 0;
  let found = null;
  for (const { 0: token, index } of (sql ?? '').matchAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|[()]|\border\s+by\b/gi)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (depth === 0 && /^order/i.test(token)) found = sql.slice(index + token.length);
  }
  return found === null ? null : /^\s*((?:"[^"]*"|[^,\s"])+)/.exec(found)?.[1].replace(/;$/, '') ?? '';
}

/** The order by size, `{ order, column }`: numbers of rows, and the column whose size it is. Null: as the query has them. */
export function orderBySize({ columns, rows, sql, caption }) {
  const kinds = columns.map(({ type }) => kindOf(type ?? 'text'));
  const name = kinds.indexOf('text');
  const column = columns.findIndex(({ name: heading }, at) => kinds[at] === 'number' && !namesThings(heading));
  if (name < 0 || kinds.lastIndexOf('text') !== name || column < 0 || kinds.includes('time') || ASKED.test(caption ?? '')) return null;
  const keys = keysOf(columns, rows);
  if (isScale(rows.map(row => row[keys[name]]).filter(value => value !== null).map(String))) return null;
  const by = orderedBy(sql);
  if (by !== null) {
    const first = /^\d+$/.test(by) ? columns[Number(by) - 1]?.name : by.split('.').at(-1).replace(/^"|"$/g, '');
    // A query that orders by names is one that had to have some order.
    if (first !== columns[name].name) return null;
  }
  return { order: sortedOrder(rows.map(row => row[keys[column]]), 'number', true, 'en'), column };
}

/** The rows as a chart shows them. */
export const rowsForChart = result => orderBySize(result)?.order.map(at => result.rows[at]) ?? result.rows;
