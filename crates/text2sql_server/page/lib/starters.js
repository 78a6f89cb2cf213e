// Questions with an answer: those of curators, in the reader's language first, then plain ones about the tables. For an empty
// page; and for a question that has no answer, after the built-in engine has compiled them.

import { get, post } from './api.js';
import { currentLanguage, languageOf, t } from './i18n.js';
import { told } from './kept.js';
import { figure, things } from './names.js';
import { session } from './state.js';

const MOST_TRIED = 8;
const DATED = /^(date$|timestamp)/;
// What people want to know of a business, the most wanted first.
const AMOUNTS = [/(^|_)(revenue|sales|turnover|umsatz)(_|$)/, /(^|_)(amount|total|cost|price|betrag|summe|kosten|preis)(_|$)/];

const rows = name => things(name, currentLanguage());
// "Total total" says nobody.
const summed = name => /total/.test(name) ? 'starter.sum' : 'starter.total';

/** Plain questions about tables, those that show a development first. */
export function plainQuestions(tables) {
  const known = tables.filter(({ kind }) => kind === 'table').sort((a, b) => b.columns.length - a.columns.length);
  // With several days it is not clear which one is meant.
  const dated = known.filter(({ columns }) => columns.filter(({ type }) => DATED.test(type)).length === 1);
  const amounts = AMOUNTS.flatMap(wanted => dated.flatMap(table => table.columns
    .filter(({ name, type }) => /^numeric/.test(type) && wanted.test(name)).slice(0, 1).map(column => ({ table, column }))));
  return [
    ...amounts.slice(0, 1).map(({ table, column }) => t(summed(column.name), { column: figure(column.name), table: rows(table.name) })),
    ...[...amounts.slice(0, 1).map(({ table }) => table), ...dated].slice(0, 2).map(({ name }) => t('starter.by_month', { table: rows(name) })),
    ...known.map(({ name }) => t('schema.question', { table: rows(name) })),
  ];
}

/** Each question that is tried counts as one: who has only so many a day tries none. */
const mayTry = () => !session()?.budget?.some(({ questions_per_day: most }) => most);

/** Whether the built-in engine answers it, or a question that a curator has verified. */
async function runs(question) {
  try {
    await post('to-sql', { question, options: { model: 'builtin' } });
    return true;
  } catch {
    return false;
  }
}

async function thatRun(questions, count) {
  const different = [...new Set(questions)];
  if (!mayTry()) return different.slice(0, count);
  const found = [];
  for (const question of different.slice(0, MOST_TRIED)) {
    if (found.length >= count) break;
    if (await runs(question)) found.push(question);
  }
  return found;
}

/** Those of the questions without an answer that a curator was told about which have one by now. */
export async function taughtMeanwhile() {
  return mayTry() ? thatRun(told(), told().length) : [];
}

async function ofCurators(query = '') {
  const { examples } = await get(`examples${query}`);
  const mine = ({ question }) => languageOf(question) === currentLanguage();
  return [...examples.filter(mine), ...examples.filter(example => !mine(example))].map(({ question }) => question);
}

/** Questions to begin with. */
export async function starters(count) {
  const curators = await ofCurators();
  if (curators.length > 0) return curators.slice(0, count);
  // What is tried is recorded as a question: nobody has asked one yet.
  return [...new Set(plainQuestions((await get('schema')).tables))].slice(0, count);
}

/** The beginnings of the words that say something. */
const stems = text => new Set((text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).map(word => word.slice(0, 5)));

/** The questions that share most words with this one, in their order where they share as many. */
export function nearest(question, questions) {
  const wanted = stems(question);
  const shared = text => [...stems(text)].filter(stem => wanted.has(stem)).length;
  return questions.map((text, at) => ({ text, at, shared: shared(text) }))
    .sort((a, b) => b.shared - a.shared || a.at - b.at).map(({ text }) => text);
}

/** Questions with an answer in place of one that has none, the nearest first; without those that are offered already. */
export async function inPlaceOf(question, count, offered) {
  const [curators, { tables }] = await Promise.all([ofCurators('?limit=200'), get('schema')]);
  const others = text => text !== question && !offered.includes(text);
  return thatRun(nearest(question, [...curators, ...plainQuestions(tables)].filter(others)), count);
}
