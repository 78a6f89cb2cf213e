// How people read a result: headings, numbers and days in their language. The value as the database has it stays in
// the tip of a cell, in the order of a column and in every file.

import { languageOf, t } from './i18n.js';
import { kindOf, textOf } from './values.js';

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;
const DAY = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?([+-][\d:]+|Z)?)?$/;
// Numbers that tell things apart, and years, have no separators of thousands.
const NAMES = /^(ids?|uid|oid|nr|key|code|zip|zipcode|plz|postcode|phone|telefon|isbn|ean|sku|iban|year|years?_?no|jahr|yyyy|date_part|extract)$/;
const PERCENT = /^(percent|percentage|pct|prozent)$/;
const LONGEST_FRACTION = 4;

/** The words of a column's name, in lower case. */
const wordsOf = name => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** `unit_price` and `unitPrice` as words. */
const spaced = name => name.replace(/([a-z0-9])([A-Z])/g, (_whole, end, begin) => `${end} ${begin.toLowerCase()}`).replaceAll('_', ' ').trim();

/** Whether the numbers of a column only name things. */
export function namesThings(name) {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  return NAMES.test(last) || (words.length > 1 && /^(no|number|nummer)$/.test(last));
}

const isPercent = name => wordsOf(name).some(word => PERCENT.test(word));

/** A name of the database as a heading: `net_sales` is "Net sales". What somebody has written as words stays. */
export function headingOf(name) {
  if (!/^[a-z][A-Za-z0-9_]*$/.test(name)) return name;
  // The values have the sign.
  const text = spaced(name).replace(/(?<=.) percent(age)?$/, '').replace(/\b(id|sku|ean|isbn|iban|url|vat)\b/g, word => word.toUpperCase());
  return headingText(text);
}

/**
 * What a German question called its columns, by the parts of its meaning: the database's names are often English. Empty
 * where it is not clear which part is which column.
 */
function headingsOfParts(columns, { parts, question }) {
  const isFigure = ({ type }) => kindOf(type ?? 'text') === 'number';
  const texts = name => (parts ?? []).filter(({ part, text }) => part === name && text).map(({ text }) => text.replace(/^nach /, ''));
  const [measures, groups] = [texts('measure'), texts('by')];
  const figures = columns.filter(isFigure);
  if (languageOf(question ?? '') !== 'de' || measures.length !== figures.length || groups.length !== columns.length - figures.length) return [];
  return columns.map(column => headingText((isFigure(column) ? measures : groups).shift()));
}

/** A text with a capital letter. */
export const headingText = text => text.charAt(0).toUpperCase() + text.slice(1);

/** Headings of the columns of a result; the one amount that the sentence is about has its currency. */
export function headingsOf({ columns, parts, answer, caption }, keys) {
  const units = [...new Set([...(answer ?? '').matchAll(/\d ([A-Z]{3})(?![\p{L}\p{N}])/gu)].map(([, unit]) => unit))];
  const amounts = columns.filter(({ name, type }) => isFraction(type) && !namesThings(name) && !isPercent(name));
  const asked = headingsOfParts(columns, { parts, question: caption });
  const headings = columns.map((column, at) => {
    const heading = asked[at] ?? headingOf(keys[at]);
    return units.length === 1 && amounts.length === 1 && column === amounts[0] ? `${heading}, ${units[0]}` : heading;
  });
  return new Set(headings).size === headings.length ? headings : keys;
}

const isFraction = type => /^(numeric|decimal|real|double precision)/.test(type ?? '');

/** What writes the values of a column, of which these are some, in that language; null for what stays as it is. */
export function writerOf({ name, type }, values, language) {
  const kind = kindOf(type ?? 'text');
  if (kind === 'number' && !/^(oid|money)/.test(type)) return numbers(name, values, language);
  if (kind === 'time' && !/^time\b/.test(type)) return days(name, values, language);
  return null;
}

function numbers(name, values, language) {
  if (namesThings(name)) return null;
  const texts = values.map(value => textOf(value, 'number')).filter(text => text !== null && NUMBER.test(text) && !/e/i.test(text));
  const fractions = texts.map(text => (text.split('.')[1] ?? '').replace(/0+$/, '').length);
  // Long fractions are those of a division: nobody reads them.
  const most = Math.max(0, ...fractions);
  const large = texts.some(text => Math.abs(Number(text)) >= 1);
  const digits = most <= LONGEST_FRACTION ? most : large ? 2 : LONGEST_FRACTION;
  // Amounts have cents or none: 1.1 is 1.10 where another is 1.25.
  const written = texts.some(text => text.includes('.')) && digits <= 2 ? 2 : digits;
  const allWhole = texts.every(text => /^-?\d+(\.0+)?$/.test(text));
  const format = new Intl.NumberFormat(language, {
    useGrouping: 'always', minimumFractionDigits: allWhole ? 0 : Math.min(written, 2), maximumFractionDigits: allWhole ? 0 : Math.max(written, digits),
  });
  const sign = isPercent(name) ? ' %' : '';
  return text => (NUMBER.test(text) && !/e/i.test(text) ? format.format(text) + sign : text);
}

function days(name, values, language) {
  const all = values.filter(value => value !== null && value !== undefined).map(value => DAY.exec(String(value)));
  const known = all.length > 0 && all.every(Boolean);
  const midnight = known && all.every(([, , , , hours, minutes, seconds]) => !Number(hours ?? 0) && !Number(minutes ?? 0) && !Number(seconds ?? 0));
  const words = wordsOf(name);
  const firsts = midnight && all.every(([, , , day]) => day === '01');
  const named = pattern => words.some(word => pattern.test(word));
  const exact = known && all.some(match => Number(match[6] ?? 0));
  const style = firsts && named(/^(year|jahr)$/) && all.every(([, , month]) => month === '01') ? { year: 'numeric' }
    : firsts && named(/^(quarter|quartal)$/) ? 'quarter'
      : firsts && (named(/^(month|monat)$/) || (all.length > 2 && !named(/^(day|tag|date|datum)$/))) ? { month: 'short', year: 'numeric' }
        : midnight ? { day: 'numeric', month: 'short', year: 'numeric' }
          : { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', ...exact && { second: '2-digit' } };
  // English days are those of Europe, where the day comes first and no hour is pm; its months are three letters.
  const format = style === 'quarter' ? null : new Intl.DateTimeFormat(language === 'en' && style.day ? 'en-GB' : language, { ...style, timeZone: 'UTC' });
  return text => {
    const match = DAY.exec(text);
    // Before Christ, far years and infinity stay as the database writes them.
    if (!match) return text;
    const [, year, month, day, hours = 0, minutes = 0, seconds = 0] = match;
    if (style === 'quarter') return `Q${Math.ceil(Number(month) / 3)} ${year}`;
    return format.format(new Date(Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hours), Number(minutes), Number(seconds))));
  };
}

const NOTE_DAY = /\b\d{4}-\d\d-\d\d\b/g;

/** A text with its days as people write them. */
export function daysInWords(text, language) {
  const written = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  return text.replace(NOTE_DAY, date => (Number.isNaN(Date.parse(date)) ? date : written.format(new Date(`${date}T00:00:00Z`))));
}

/** A note about how a question was understood, for who does not know columns by their names and days by their numbers. */
export function noteInWords(text, language) {
  return daysInWords(text.replace(/\b([a-z]\w+)\.([a-z]\w+)\b/g, (_whole, table, column) => t('words.column', { column: spaced(column), table: spaced(table) })), language);
}
