// SQL for the eye: which part of a query is what. It judges nothing; the guard in the database does.

const KEYWORDS = new Set(`all and any array as asc at between both by case cast collate cross current_date
current_time current_timestamp date desc distinct else end except exists extract false fetch filter first following for
from full grouping group having ilike in inner intersect interval is isnull join last lateral left like limit localtime
localtimestamp natural next not notnull null nulls of offset on only or order ordinality outer over overlaps partition
position preceding range recursive right rollup row rows select sets similar some substring symmetric table tablesample
then time timestamp to trailing trim true unbounded union unnest using values when where window with within without
zone delete insert update create drop alter grant set into explain analyze returning`.split(/\s+/));

const TOKEN = new RegExp([
  String.raw`(?<comment>--[^\n]*|/\*[\s\S]*?(?:\*/|$))`,
  String.raw`(?<string>[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|(?:[bBxXnN]|[uU]&)?'(?:[^']|'')*(?:'|$)|\$(?<tag>[A-Za-z_]\w*)?\$[\s\S]*?(?:\$\k<tag>\$|$))`,
  String.raw`(?<quoted>"(?:[^"]|"")*(?:"|$))`,
  String.raw`(?<number>\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b|\.\d+)`,
  String.raw`(?<word>[\p{L}_][\p{L}\p{N}_$]*)`,
  String.raw`(?<space>\s+)`,
  String.raw`(?<other>[\s\S])`,
].join('|'), 'gu');

/** The parts of `sql` in order, `{ kind, text }`, which together are the whole text. */
export function tokens(sql) {
  const found = [];
  for (const match of sql.matchAll(TOKEN)) {
    const text = match[0];
    const { groups } = match;
    let kind = 'plain';
    if (groups.comment !== undefined) kind = 'comment';
    else if (groups.string !== undefined) kind = 'string';
    else if (groups.quoted !== undefined) kind = 'name';
    else if (groups.number !== undefined) kind = 'number';
    else if (groups.word !== undefined) {
      if (KEYWORDS.has(text.toLowerCase())) kind = 'keyword';
      else if (/^\s*\(/.test(sql.slice(match.index + text.length, match.index + text.length + 8))) kind = 'function';
    }
    const last = found.at(-1);
    if (last && last.kind === kind && kind === 'plain') last.text += text;
    else found.push({ kind, text });
  }
  return found;
}

/** Where the character at `position` (from 1, counted as PostgreSQL counts) is: its place in a string, line, column. */
export function place(sql, position) {
  const before = [...sql].slice(0, Math.max(0, position - 1)).join('');
  const lines = before.split('\n');
  return { index: before.length, line: lines.length, column: [...lines.at(-1)].length + 1 };
}

/** Writes `sql` into `element`, highlighted; the word at `position`, if there is one, is marked as faulty. */
export function highlight(element, sql, position) {
  element.replaceChildren();
  const fault = position ? place(sql, position).index : -1;
  let at = 0;
  for (const { kind, text } of tokens(sql)) {
    const end = at + text.length;
    if (fault >= at && fault < end) {
      const from = fault - at;
      const word = /^[\p{L}\p{N}_$."]+|^[\s\S]/u.exec(text.slice(from))?.[0].length ?? 1;
      appendToken(element, kind, text.slice(0, from));
      appendToken(element, `${kind} fault`, text.slice(from, from + word));
      appendToken(element, kind, text.slice(from + word));
    } else {
      appendToken(element, kind, text);
    }
    at = end;
  }
  // The fault is at the end: something is missing there.
  if (fault >= at && fault >= 0) appendToken(element, 'fault', ' ');
}

function appendToken(element, kind, text) {
  if (text === '') return;
  if (kind === 'plain') {
    element.append(text);
    return;
  }
  const span = document.createElement('span');
  span.className = kind.split(' ').map(name => `sql-${name}`).join(' ');
  span.textContent = text;
  element.append(span);
}
