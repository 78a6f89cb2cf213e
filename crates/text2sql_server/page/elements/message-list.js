// Warnings, assumptions, and what was withheld: each with the statement that can be copied, for those who run statements.

import { copyButton, h, icon } from '../lib/dom.js';
import { sentence, splitStatement, withoutSql } from '../lib/answer.js';
import { may } from '../lib/state.js';

/** One message. A statement at its end is code with a copy button; who cannot run it reads who can. */
export function message(text) {
  const { text: before, statement } = splitStatement(text);
  if (!may('administer')) {
    const { words, who } = withoutSql(text);
    return [h('p', {}, words && sentence(words), who && [words && ' ', h('span', { t: who })]), statement && forThem(statement)];
  }
  if (!statement) return h('p', {}, sentence(before));
  return h('div', { class: 'message' },
    before && h('p', {}, `${sentence(before).replace(/[.]$/, '')}:`),
    forThem(statement));
}

/** A statement, for those who run statements; others copy it for them. */
export const forThem = statement => (may('administer')
  ? h('div', { class: 'statement' }, h('code', {}, statement), copyButton(() => statement))
  : copyButton(() => statement, 'advice.copy'));

/** A list of messages under a heading, or nothing. */
export function messageList(key, texts, { icon: name = 'info', class: classes = '' } = {}) {
  if (!texts || texts.length === 0) return null;
  return h('div', { class: `note ${classes}` }, icon(name),
    h('div', {}, h('p', { class: 'note-title', t: key }), h('ul', {}, texts.map(text => h('li', {}, message(text))))));
}
