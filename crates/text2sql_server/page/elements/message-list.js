// Warnings, assumptions, and what was withheld: each with the statement that can be copied, if there is one.

import { copyButton, h, icon } from '../lib/dom.js';
import { sentence, splitStatement } from '../lib/answer.js';

/** One message; a statement at its end is code with a copy button. */
export function message(text) {
  const { text: words, statement } = splitStatement(text);
  if (!statement) return h('p', {}, sentence(words));
  return h('div', { class: 'message' },
    words && h('p', {}, `${sentence(words).replace(/[.]$/, '')}:`),
    h('div', { class: 'statement' }, h('code', {}, statement), copyButton(() => statement)));
}

/** A list of messages under a heading, or nothing. */
export function messageList(key, texts, { icon: name = 'info', class: classes = '' } = {}) {
  if (!texts || texts.length === 0) return null;
  return h('div', { class: `note ${classes}` }, icon(name),
    h('div', {}, h('p', { class: 'note-title', t: key }), h('ul', {}, texts.map(text => h('li', {}, message(text))))));
}
