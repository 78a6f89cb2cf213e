// The page's own texts in the reader's language.
//
// An element that shows a text carries its key (`h('p', { t: 'login.title' })`, see dom.js), so that a change of
// language changes every text in place and nothing that was asked is lost.

import { preference, setPreference } from './state.js';

let language = 'en';
// The texts of a language, as the server makes them of the catalogue (`crates/text2sql_phrases/po`).
let catalogue = { languages: { en: 'English' }, forms: '1', texts: {} };
const listeners = new Set();
const values = new WeakMap();
// The language in which each element was written last.
const written = new WeakMap();
let observer;

const TARGETS = {
  t: (element, text) => { element.textContent = text; },
  tLabel: (element, text) => element.setAttribute('aria-label', text),
  tTitle: (element, text) => element.setAttribute('title', text),
  tPlaceholder: (element, text) => element.setAttribute('placeholder', text),
};

/** The language of the page, as its tag: 'en'. */
export const currentLanguage = () => language;

/** The languages that there are: their tags, each with its own name. */
export const languages = () => catalogue.languages;

/** Begins in the language that the reader chose, or that the browser prefers. */
export async function startLanguage() {
  await setLanguage('en', false);
  const wanted = (navigator.languages ?? [navigator.language]).map(tag => tag.slice(0, 2));
  const preferred = [preference('language', ''), ...wanted].find(tag => tag in languages()) ?? 'en';
  if (preferred !== 'en') await setLanguage(preferred, false);
}

/** Changes the language of every text on the page. */
export async function setLanguage(name, remember = true) {
  catalogue = await import(`../texts/${name}.js`);
  language = name;
  if (remember) setPreference('language', name);
  document.documentElement.lang = name;
  translate(document);
  // What was made before the change and is shown only now.
  observer ??= new MutationObserver(changes => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) translate(node);
    }
  });
  observer.observe(document, { childList: true, subtree: true });
  for (const listener of listeners) listener(name);
}

/** Writes the texts in and below `root` that are in another language. */
function translate(root) {
  for (const element of [root, ...root.querySelectorAll('[data-t]')]) {
    if (written.get(element) !== language) applyTexts(element);
  }
}

/** Calls `listener` when the language changes. Returns what ends that. */
export function onLanguage(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * The text of `key`. `{name}` is replaced by `args.name`; where the text has forms ("{count} row", "{count} rows"),
 * `args.count` says which.
 */
export function t(key, args = {}) {
  let text = catalogue.texts[key];
  if (Array.isArray(text)) text = text[formOf(args.count)] ?? text.at(-1);
  if (text === undefined) return key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = args[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? formatNumber(value) : String(value);
  });
}

/** Which form a number needs: that of its last two digits, if it has more. */
const formOf = count => Number(catalogue.forms[count < 200 ? count : 100 + (count % 100)] ?? catalogue.forms.at(-1));

/** Whether there is such a text. */
export const hasText = key => key in catalogue.texts;

/** Gives an element texts that follow the language: `{ t, tLabel }`, each a key, with the arguments `tArgs`. */
export function setTexts(element, props) {
  values.set(element, { ...values.get(element), ...props });
  element.dataset.t = '';
  applyTexts(element);
}

function applyTexts(element) {
  const props = values.get(element);
  if (!props) return;
  written.set(element, language);
  for (const [name, apply] of Object.entries(TARGETS)) {
    if (props[name]) apply(element, t(props[name], props.tArgs));
  }
}

const GERMAN = /[äöüß]|\b(der|die|das|den|dem|und|oder|wie|was|wer|welche[mnrs]?|viele?|pro|je|nach|im|von|für|gibt|hat|haben|wir|nur|zeige?|sind|ist)\b/i;

/** The language of a question, as far as its small words say it. */
export const languageOf = question => (GERMAN.test(question) ? 'de' : 'en');

/** A number of the page (not of the database) as the reader writes it. */
export const formatNumber = (number, options) => new Intl.NumberFormat(language, options).format(number);

/** Milliseconds as people read them: "61 ms", "2.4 s". */
export function formatMilliseconds(ms) {
  if (ms < 1000) return `${formatNumber(ms, { maximumFractionDigits: ms < 10 ? 1 : 0 })} ms`;
  return `${formatNumber(ms / 1000, { maximumFractionDigits: 1, minimumFractionDigits: 1 })} s`;
}

/** A moment as people read it. */
export function formatTime(moment) {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return String(moment);
  // The reader's own country, where it has the language: the order of day and month differs.
  const locale = (navigator.languages ?? []).find(tag => tag.startsWith(language)) ?? language;
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(date);
}
