// Values of a result: what a cell shows, and how a column is sorted.

import { compareDecimalKeys, decimalKey, Exact, toJson } from './numbers.js';

const NUMERIC = /^(smallint|integer|bigint|numeric|decimal|real|double precision|oid|money)(\(.*\))?$/;
const TEMPORAL = /^(date|timestamp|time)\b/;

/** What kind of column a type makes: number, boolean, time, interval, array, json or text. */
export function kindOf(type) {
  if (type.endsWith('[]')) return 'array';
  if (NUMERIC.test(type)) return 'number';
  if (type === 'boolean') return 'boolean';
  if (TEMPORAL.test(type)) return 'time';
  if (type.startsWith('interval')) return 'interval';
  if (type === 'json' || type === 'jsonb') return 'json';
  return 'text';
}

/** The keys of the rows in column order: a repeated name has a suffix there (`name_2`). */
export function keysOf(columns, rows) {
  const taken = new Set();
  const names = new Set(columns.map(column => column.name));
  const keys = columns.map(({ name }) => {
    let key = name;
    for (let number = 2; taken.has(key) || (key !== name && names.has(key)); number++) key = `${name}_${number}`;
    taken.add(key);
    return key;
  });
  // The suffixes are the database's: where these are others, the order of the keys decides.
  const own = rows.length > 0 ? Object.keys(rows[0]) : keys;
  return own.length === keys.length && !keys.every(key => Object.hasOwn(rows[0] ?? {}, key)) && rows.length > 0 ? own : keys;
}

/** The text of a value as PostgreSQL writes it, for a cell or the clipboard; null for NULL. */
export function textOf(value, kind) {
  if (value === null || value === undefined) return null;
  if (value instanceof Exact) return value.text;
  if (typeof value === 'object') return toJson(value);
  if (kind === 'json' && typeof value === 'string') return JSON.stringify(value);
  if (kind === 'time') return String(value).replace(/^(-?\d{4,}-\d\d-\d\d)T/, '$1 ');
  return String(value);
}

function timeKey(text) {
  if (text === 'infinity') return [Infinity, 0];
  if (text === '-infinity') return [-Infinity, 0];
  const match = /^(?:(\d{4,})-(\d\d)-(\d\d))?[T ]?(?:(\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?\s*(?:([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?)?\s*(BC)?$/.exec(text);
  if (!match) return [NaN, 0];
  const [, year, month, day, hours, minutes, seconds, fraction, sign, zoneHours, zoneMinutes, zoneSeconds, bc] = match;
  const number = text => Number(text ?? 0);
  const fullYear = year === undefined ? 1970 : bc ? 1 - Number(year) : Number(year);
  // Days since 1970 by the civil calendar; Date would refuse years beyond 275,760.
  const shifted = number(month ?? 1) <= 2 ? fullYear - 1 : fullYear;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((number(month ?? 1) + 9) % 12) + 2) / 5) + number(day ?? 1) - 1;
  const days = era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  const zone = (number(zoneHours) * 3600 + number(zoneMinutes) * 60 + number(zoneSeconds)) * (sign === '-' ? -1 : 1);
  return [days * 86_400 + number(hours) * 3600 + number(minutes) * 60 + number(seconds) - zone, Number(`0.${fraction ?? 0}`)];
}

const SECONDS = { year: 31_104_000, mon: 2_592_000, day: 86_400 };

// As PostgreSQL compares intervals: a month has 30 days.
function intervalKey(text) {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([+-]?\d+) (year|mon|day)s?/g)) total += Number(amount) * SECONDS[unit];
  const clock = /([+-]?)(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text);
  if (clock) total += (clock[1] === '-' ? -1 : 1) * (Number(clock[2]) * 3600 + Number(clock[3]) * 60 + Number(clock[4]));
  return [total, 0];
}

const comparePairs = (a, b) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1);

/** How values of that kind are compared: a key for each value, and the order of two keys. NULL has no key. */
export function comparison(kind, language) {
  const text = value => textOf(value, kind);
  switch (kind) {
    case 'number':
      return {
        key: value => decimalKey(text(value)) ?? decimalKey(text(value).replace(/[^\d.-]/g, '')) ?? { sign: 0, power: 0, digits: '' },
        compare: compareDecimalKeys,
      };
    case 'boolean': return { key: Number, compare: (a, b) => a - b };
    case 'time': return { key: value => timeKey(String(value)), compare: comparePairs };
    case 'interval': return { key: value => intervalKey(String(value)), compare: comparePairs };
    default: {
      const collator = new Intl.Collator(language, { numeric: true });
      return { key: text, compare: (a, b) => collator.compare(a, b) };
    }
  }
}

/** The order of row numbers by the column of `values`; NULL is last. Equal rows keep their order. */
export function sortedOrder(values, kind, descending, language) {
  const { key, compare } = comparison(kind, language);
  const keyed = values.map((value, at) => ({ at, key: value === null || value === undefined ? null : key(value) }));
  const sign = descending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.at - b.at;
    return sign * compare(a.key, b.key) || a.at - b.at;
  });
  return keyed.map(entry => entry.at);
}
