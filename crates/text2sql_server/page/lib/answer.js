// The row of `ask` as the page shows it.

import { identifier } from './names.js';

/** What a row answers, one object for each result, with the same names for one and for several. */
export function parts(row) {
  if (Array.isArray(row.results) && row.results.length > 0) return row.results.map(part => ({ ...part, engine: part.engine ?? row.engine }));
  return [{
    ...row,
    columns: row.result_columns,
    rows: row.result_rows,
    readings: row.clarification?.readings ?? [],
    asks: row.clarification?.question,
    followUps: row.clarification?.follow_ups ?? [],
    missing: row.clarification?.missing ?? [],
    understood: row.clarification?.understood ?? [],
    meaning: row.clarification?.meaning,
    meaningParts: row.clarification?.parts ?? [],
  }];
}

/** The same for a reply of `run`. */
export const partOfRun = (sql, reply) => ({ status: 'ok', sql, columns: reply.result_columns, rows: reply.result_rows, truncated: reply.truncated });

/** A fragment of a message as a sentence: a capital letter and a full stop. */
export function sentence(text) {
  const trimmed = (text ?? '').trim();
  if (trimmed === '') return '';
  const first = [...trimmed][0];
  const whole = first.toUpperCase() + trimmed.slice(first.length);
  return /[.!?:;…]$/.test(whole) ? whole : `${whole}.`;
}

/** A message and the statement at its end that can be pasted: "Ask the owner to run: GRANT …;". */
export function splitStatement(text) {
  const match = /^(.*?)[:,]?\s*\b((?:GRANT|SELECT|SET|ALTER|CALL|RESET|CREATE)\s[\s\S]*;)\s*$/.exec(text);
  if (!match) return { text, statement: null };
  return { text: match[1], statement: match[2] };
}

const STATEMENT = /\b(?:GRANT|REVOKE|SET|ALTER|CALL|RESET|CREATE|DROP|SELECT|UPDATE|DELETE|INSERT)\s+(?!(?:of|on)\b)[\w*("']|\btext2sql\.\w+/;

/**
 * A message for somebody who runs no SQL: `words` without the parts that are SQL or a setting, and `who` can do it: a key
 * of texts, or null where nothing was left out.
 */
export function withoutSql(text) {
  const plain = words => words.replace(/\bSELECT on /g, '');
  if (!STATEMENT.test(text ?? '')) return { words: plain(text ?? ''), who: null };
  const who = /\bGRANT\s/.test(text) ? 'advice.rights' : /\btext2sql\.(?:model\b|add_model)/.test(text) ? 'advice.model' : 'advice.administrator';
  const parts = text.split(/(?<=[.!?;:])\s+/).filter(part => !STATEMENT.test(part));
  // "Ask the owner to run:" says nothing without its statement; "requires SELECT on x" requires x.
  const words = plain(parts.filter(part => !/:$/.test(part)).join(' ').replace(/[;,]$/, ''));
  return { words, who };
}

/** How a word is defined, without the SQL of it: that is for those who define words. */
export const withoutExpression = text => text.replace(/: (?=[\w.]+\s*\()[\s\S]*$/, '.').replace(/\.\.$/, '.');

/**
 * The question without the one thing that may not be read, whose column a refusal names: `{ question, what }`, or null
 * where it is not just one of several things that are asked for.
 */
export function questionWithout(question, refusal) {
  const columns = [...new Set([...refusal.matchAll(/\b\w+\.\w+\.(\w+)/g)].map(([, column]) => column.replaceAll('_', ' ')))];
  if (columns.length !== 1) return null;
  const words = columns[0].split(' ').map(word => word.replace(/[^\p{L}\p{N}]/gu, '')).join("[\\s-]+");
  const item = `(?:(?:the|their|its|his|her|our|die|den|das|deren|ihre[mnr]?) )?(${words}s?)`;
  for (const [pattern, rest] of [
    [`,\\s*${item}(?=,|\\s+(?:and|und|or|oder)\\b)`, ''],
    [`,?\\s+(?:and|und|with|mit)\\s+${item}(?=\\s*(?:[.?!]|$|\\s(?:of|per|by|for|in|von|pro|je|für)\\b))`, ''],
    [`,\\s*(?:with|mit)\\s+${item}`, ''],
    [`\\b${item}(?:,|\\s+and|\\s+und)\\s+`, ''],
  ]) {
    const match = new RegExp(pattern, 'iu').exec(question);
    if (match) return { question: question.slice(0, match.index) + rest + question.slice(match.index + match[0].length), what: match[1] };
  }
  return null;
}

/** The tables and columns that a meaning is made of, as teaching names them: `['table public.orders', 'column public.orders.revenue']`. */
export function objectsOf(meaning) {
  if (!meaning?.subject) return [];
  const full = ({ schema, name }) => [schema, name].filter(Boolean).map(identifier).join('.');
  const found = new Set([`table ${full(meaning.subject)}`]);
  const walk = value => {
    if (Array.isArray(value)) value.forEach(walk);
    else if (value && typeof value === 'object') {
      if (typeof value.column === 'string') {
        const table = value.path?.at(-1)?.to ?? meaning.subject;
        found.add(`table ${full(table)}`).add(`column ${full(table)}.${identifier(value.column)}`);
      } else Object.values(value).forEach(walk);
    }
  };
  walk([meaning.answer, meaning.conditions]);
  return [...found];
}

/** The id of the query that waits for approval. */
export function approvalOf(row) {
  const text = [row.answer, ...(row.warnings ?? [])].join('\n');
  const match = /text2sql\.answer\((\d+)/.exec(text) ?? /\(id (\d+)\)/.exec(text);
  return match ? match[1] : null;
}

/** What `to_sql` raises where `ask` has a status. */
export const STATUS_OF_SQLSTATE = {
  T2001: 'ambiguous', T2002: 'unanswerable', T2003: 'not_permitted', T2004: 'blocked', T2005: 'failed', T2006: 'waiting',
};

/** The row that `ask` would have for the problem that another function raised for a question, or null. */
export function rowOfProblem(problem) {
  const status = STATUS_OF_SQLSTATE[problem.sqlstate];
  if (!status) return null;
  const lines = (problem.detail ?? '').split('\n');
  const readings = lines.filter(line => line.startsWith('reading: ')).map(line => line.slice(9));
  return {
    status,
    answer: problem.title,
    sqlstate: problem.sqlstate,
    warnings: [...lines.filter(line => !/^(reading|status): /.test(line) && line !== ''), problem.hint].filter(Boolean),
    withheld: [],
    clarification: readings.length ? { question: '', readings } : null,
  };
}

/** Whether a result says nothing: no row, or one row of NULLs only. */
export function isEmpty(part) {
  if (!part.rows || !part.columns) return false;
  if (part.rows.length === 0) return true;
  return part.rows.length === 1 && Object.values(part.rows[0]).every(value => value === null);
}

/** `score` as a list of `{ name, score, reason }`. */
export function dimensions(score) {
  const all = score?.dimensions ?? [];
  const list = Array.isArray(all) ? all : Object.entries(all).map(([name, value]) =>
    (value !== null && typeof value === 'object' && 'score' in value ? { name, ...value } : { name, score: value }));
  return list.map(({ name, dimension, score: value, reason }) => ({ name: name ?? dimension, score: value, reason }));
}
