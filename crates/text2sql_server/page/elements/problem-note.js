// What went wrong, as people read it: a sentence, details, what to do, and the id that an administrator finds in the log.

import { copyButton, h, icon } from '../lib/dom.js';
import { withoutSql } from '../lib/answer.js';
import { t } from '../lib/i18n.js';
import { may } from '../lib/state.js';
import { message } from './message-list.js';

/** The sentence of a problem. Where the page knows more about it than the server, the page says it. */
export function problemSentence(problem) {
  if (problem.kind === 'network') return t('problem.away');
  if (problem.kind === 'lost') return t('problem.lost');
  if (problem.status === 401) return t('problem.logged_out');
  if (problem.status === 404 && !problem.sqlstate) return t('problem.not_there');
  if (problem.status === 429 && !problem.sqlstate) return t('problem.busy');
  if (problem.status === undefined || problem.status === 0) return problem.message || t('problem.unknown');
  return problem.title;
}

/** A note about a problem; `retry` is called by its button, if there is one. */
export function problemNote(problem, { retry } = {}) {
  const more = [problem.detail, problem.hint].filter(Boolean);
  const pastes = problem.hint && (may('administer') || withoutSql(problem.hint).who === null);
  return h('div', { class: 'note problem', role: 'alert' },
    icon('alert'),
    h('div', {},
      h('p', { class: 'note-title' }, problemSentence(problem)),
      more.map(text => (may('administer') || withoutSql(text).who === null ? h('p', {}, text) : message(text))),
      problem.retryAfter && h('p', { t: 'problem.retry_after', tArgs: { count: problem.retryAfter } }),
      pastes && copyButton(() => problem.hint, 'copy.hint'),
      retry && h('button', { type: 'button', class: 'button small', t: 'retry', on: { click: retry } }),
      problem.requestId && h('p', { class: 'muted tiny' }, h('span', { t: 'problem.request' }), ' ', h('code', {}, problem.requestId))));
}
