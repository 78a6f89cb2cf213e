// Names of tables, as SQL writes them.

import { t } from './i18n.js';

const MAX_BYTES = 63;

/** A name as SQL writes it. */
export const identifier = name => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);

/** A name in quotes, which is right for reserved words, too. */
export const quoted = name => `"${name.replaceAll('"', '""')}"`;

/** The start of a text of at most so many bytes in UTF-8. */
function cut(text, bytes) {
  let end = '';
  for (const character of text) {
    if (new TextEncoder().encode(end + character).length > bytes) break;
    end += character;
  }
  return end;
}

/** What people write as the name of a table, or the name of a file without its end: small letters, digits and `_`. */
export function tableName(text) {
  const name = text.normalize('NFC').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_+|_+$/g, '');
  const begins = /^\p{N}/u.test(name) ? `c_${name}` : name;
  return cut(begins, MAX_BYTES).replace(/_+$/, '') || 'loaded';
}

/** The name of the table of the lines that did not fit. */
export const rejectedName = name => `${cut(name, MAX_BYTES - '_rejected'.length)}_rejected`;

/** The name of a file without its end. */
export const stem = file => file.replace(/\.[^.]*$/, '');

/** Words that many databases have, in the language of the page: "Bestellungen" of orders. */
function commonly(words) {
  const pairs = t('names.common').split(/,\s*/).map(pair => pair.split('='));
  const known = pairs.find(([english]) => english === words || `${english}s` === words || english === `${words}s`);
  return known?.[1];
}

/** The name of a column in words. */
export const figure = name => commonly(name.replaceAll('_', ' ')) ?? name.replaceAll('_', ' ');

/** Rows of the table in words, as a question counts them: "films" of film. */
export function things(name, language) {
  const words = name.replaceAll('_', ' ');
  const common = commonly(words);
  if (common) return common;
  if (language !== 'en' || /[^a-z]$/i.test(words) || /(s|data|staff|people|information)$/i.test(words) && !/(ss|us)$/i.test(words)) return words;
  if (/(s|x|ch|sh)$/i.test(words)) return `${words}es`;
  return /[^aeiou]y$/i.test(words) ? `${words.slice(0, -1)}ies` : `${words}s`;
}
