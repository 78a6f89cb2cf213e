// Warnings, assumptions, and what was withheld: each with the statement that can be copied, for those who run statements.

import { copyButton, h, icon } from '../lib/dom.js';
import { sentence, splitStatement, withoutSql } from '../lib/answer.js';
import { helpers, may } from '../lib/state.js';
import { t } from '../lib/i18n.js';

/** Who can do what a right is needed for, as the subject of a sentence. */
export const helper = (what = 'administer') => helpers(what).join(` ${t('or')} `) || t('advice.somebody');

/** One message. A statement at its end is code with a copy button; who cannot run it reads who can. */
export function message(text) {
  const { text: before, statement } = splitStatement(text);
  if (!may('administer')) {
    const { words, who } = withoutSql(text);
    return h('div', { class: 'message' },
      h('p', {}, words && sentence(words), who && [words && ' ', h('span', {}, t(who, { who: helper() }))]), statement && forThem(statement));
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
