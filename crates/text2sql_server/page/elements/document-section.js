// Documents that questions search: add one from a file, whose beginning is shown before, and take one away.

import { get, postFile, remove } from '../lib/api.js';
import { announce, fill, h, iconButton } from '../lib/dom.js';
import { formatTime, t } from '../lib/i18n.js';
import { confirmed } from './confirm-dialog.js';
import { field, form, opener } from './form-fields.js';
import { problemNote } from './problem-note.js';

const FILES = '.md,.markdown,.txt,.html,.htm,.docx,.pdf';
const SHOWN = 600;

export function documentSection() {
  const list = h('div', { class: 'document-list' });
  const load = async () => {
    try {
      const { documents } = await get('documents');
      fill(list, documents.length === 0 ? h('p', { class: 'muted', t: 'none' })
        : h('ul', { class: 'plain' }, documents.map(document => documentEntry(document, load))));
    } catch (problem) {
      fill(list, problemNote(problem, { retry: load }));
    }
  };
  load();
  return h('section', { class: 'glossary-section', data: { section: 'documents' } },
    h('h2', { t: 'documents.title' }), h('p', { class: 'muted tiny', t: 'documents.why' }), list,
    opener('documents.add', close => addForm(close, load)));
}

function addForm(close, load) {
  const file = h('input', { type: 'file', accept: FILES, required: true });
  const beginning = h('blockquote', { class: 'muted tiny multiline', hidden: true });
  file.addEventListener('change', async () => {
    const [chosen] = file.files;
    const isText = chosen && /\.(md|markdown|txt)$/i.test(chosen.name);
    beginning.textContent = isText ? await chosen.slice(0, SHOWN).text() : '';
    beginning.hidden = !beginning.textContent;
  });
  return form({
    title: 'documents.add',
    fields: [field('imports.file', file, { hint: 'documents.file.hint' }), beginning],
    submit: 'documents.add',
    save: () => postFile(`documents?${new URLSearchParams({ file: file.files[0].name })}`, file.files[0]),
    saved: () => {
      close();
      load();
      announce(t('documents.added'));
    },
    cancel: close,
  });
}

function documentEntry({ id, title, source, characters, owner_name: who, added_at: when }, load) {
  return h('li', { class: 'entry', data: { id } },
    h('p', { class: 'entry-line' }, h('strong', {}, title),
      iconButton('trash', 'documents.delete', async () => {
        if (!await confirmed('documents.delete_it', { name: title })) return;
        await remove(`documents/${id}`);
        announce(t('glossary.dropped'));
        load();
      }, { class: 'small' })),
    h('p', { class: 'muted tiny' }, [source, t('documents.characters', { count: Number(characters) }), who, formatTime(when)].filter(Boolean).join(' · ')));
}
