// Glossaries and examples from files: import one, see what became of its lines, take one back.

import { get, post, postFile, remove } from '../lib/api.js';
import { announce, append, fill, h } from '../lib/dom.js';
import { formatTime, t } from '../lib/i18n.js';
import { confirmed } from './confirm-dialog.js';
import { actionButton, choice, field, form, line, opener, said } from './form-fields.js';
import { problemNote } from './problem-note.js';

const KINDS = ['glossary', 'examples'];
const FILES = '.csv,.tsv,.txt,.json,.jsonl,.ndjson,.xlsx,.ods';

/** The section; `changed` is called when something was imported or taken back. */
export function importSection(changed) {
  const list = h('div', { class: 'import-list' });
  const outcome = h('div', { class: 'import-outcome', role: 'status' });
  const load = async () => {
    try {
      const { imports } = await get('imports');
      fill(list, imports.length === 0 ? h('p', { class: 'muted', t: 'none' })
        : h('ul', { class: 'plain' }, imports.map(entry => importEntry(entry, outcome, again))));
    } catch (problem) {
      fill(list, problemNote(problem, { retry: load }));
    }
  };
  const again = async () => {
    await load();
    changed();
  };
  load();
  return h('section', { class: 'glossary-section', data: { section: 'imports' } },
    h('h2', { t: 'imports.title' }), h('p', { class: 'muted tiny', t: 'imports.why' }), list,
    opener('imports.add', close => importForm(close, outcome, again)), outcome);
}

function importForm(close, outcome, again) {
  const file = h('input', { type: 'file', accept: FILES, required: true });
  const kind = choice(KINDS.map(name => [name, t(`imports.kind.${name}`)]), 'glossary');
  const source = line('', { spellcheck: 'false' });
  const skips = h('input', { type: 'checkbox' });
  file.addEventListener('change', () => { source.placeholder = file.files[0]?.name ?? ''; });
  return form({
    title: 'imports.add',
    fields: [
      field('imports.file', file, { hint: 'imports.file.hint' }), field('imports.kind', kind),
      field('imports.source', source, { hint: 'imports.source.hint' }),
      h('label', { class: 'check' }, skips, h('span', { t: 'imports.skip' })),
    ],
    submit: 'imports.import',
    save: async () => {
      const [chosen] = file.files;
      const parameters = { file: chosen.name, kind: kind.value, on_error: skips.checked ? 'skip' : 'abort' };
      if (said(source)) parameters.source = said(source);
      const reply = await postFile(`imports?${new URLSearchParams(parameters)}`, chosen);
      fill(outcome, outcomeOf(reply));
      close();
    },
    saved: again,
    cancel: close,
  });
}

function outcomeOf({ source, taken, known, refused, dropped, lines, notes = [] }) {
  const told = lines.filter(({ outcome, reason }) => reason || outcome !== 'known');
  return [
    h('p', { t: 'imports.outcome', tArgs: { source, taken, known, refused, dropped } }),
    notes.map(note => h('p', { class: 'muted tiny' }, note)),
    told.length > 0 && h('ul', { class: 'plain tiny' }, told.map(entry => h('li', { data: { outcome: entry.outcome } },
      [entry.line && t('imports.line', { line: entry.line }), entry.subject, t(`imports.${entry.outcome}`), entry.reason].filter(Boolean).join(' · ')))),
  ];
}

function importEntry(entry, outcome, again) {
  const { source, kind, imported_by: who, imported_at: when, taken, known, refused, problems } = entry;
  const item = h('li', { class: 'entry' });
  const query = new URLSearchParams({ source });
  const tools = h('div', { class: 'card-tools' });
  if (kind === 'examples') {
    tools.append(actionButton('imports.verify', tools, async () => {
      const reply = await post('imports/verify', { source });
      fill(outcome, h('p', { t: 'imports.verified', tArgs: { verified: reply.verified, left: reply.left.length } }),
        reply.left.length > 0 && h('ul', { class: 'plain tiny' }, reply.left.map(({ question, reason }) => h('li', {}, `${question} · ${reason}`))));
      await again();
    }, { class: 'quiet small' }));
  }
  const back = actionButton('imports.take_back', tools, async () => {
    if (!await confirmed('imports.take_back_it', { name: source })) return;
    const reply = await remove(`imports?${query}`);
    fill(outcome, h('p', { t: 'imports.taken_back', tArgs: { source, dropped: reply.dropped, left: reply.left.length } }),
      reply.left.length > 0 && h('ul', { class: 'plain tiny' }, reply.left.map(({ subject, reason }) => h('li', {}, `${subject} · ${reason}`))));
    announce(t('glossary.dropped'));
    await again();
  }, { icon: 'trash', class: 'quiet small' });
  back.setAttribute('aria-label', `${t('imports.take_back')}: ${source}`);
  tools.append(back);
  return append(item,
    h('p', { class: 'entry-line' }, h('strong', {}, source), ' ', h('span', { class: 'muted tiny', t: `imports.kind.${kind}` })),
    h('p', { class: 'muted tiny' }, [formatTime(when), who].join(' · ')),
    h('p', { class: 'tiny', t: 'imports.counts', tArgs: { taken, known, refused } }),
    problems?.length > 0 && h('details', {}, h('summary', { class: 'tiny', t: 'imports.problems' }),
      h('ul', { class: 'plain tiny' }, problems.map(problem => h('li', {}, problem)))),
    tools);
}
