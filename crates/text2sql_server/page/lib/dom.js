// Elements without markup in strings: what comes from the database is only ever text.

import { icons } from './icons.js';
import { setTexts, t } from './i18n.js';

/**
 * An element. Properties:
 * - `t`, `tLabel`, `tTitle`, `tPlaceholder` (with `tArgs`): keys of texts, which follow the language (i18n.js)
 * - `on: { click: … }` listeners, `data: { … }` data attributes, `props: { … }` properties of the object
 * - everything else is an attribute; false, null and undefined leave it out, true writes it without a value.
 * Children are nodes, strings and numbers; null, undefined and false are left out; arrays are unfolded.
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  const texts = {};
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 't' || name === 'tLabel' || name === 'tTitle' || name === 'tPlaceholder' || name === 'tArgs') {
      texts[name] = value;
    } else if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === 'data') Object.assign(element.dataset, value);
    else if (name === 'props') Object.assign(element, value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  if (Object.keys(texts).some(name => name !== 'tArgs')) setTexts(element, texts);
  append(element, children);
  return element;
}

/** Appends children as `h` does. */
export function append(parent, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
  return parent;
}

/** Replaces everything in `parent`. */
export function fill(parent, ...children) {
  parent.replaceChildren();
  return append(parent, children);
}

/** An icon of icons.js, which a screen reader does not read. */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', icons[name] ?? '');
  svg.append(path);
  return svg;
}

/** A button with a text; `options`: icon, class, on, and everything that `h` takes. */
export function button(key, onClick, { icon: iconName, class: classes = '', tArgs, ...rest } = {}) {
  return h('button', { type: 'button', class: `button ${classes}`, on: { click: onClick }, ...rest },
    iconName && icon(iconName), h('span', { t: key, tArgs }));
}

/** A button that shows an icon only; its text is read aloud and shown as a tip. */
export function iconButton(iconName, key, onClick, { class: classes = '', ...rest } = {}) {
  return h('button', { type: 'button', class: `icon-button ${classes}`, tLabel: key, tTitle: key, on: { click: onClick }, ...rest },
    icon(iconName));
}

/** A button that copies what `text()` returns, and says so for two seconds. */
export function copyButton(text, key = 'copy') {
  const label = h('span', { t: key });
  const copy = h('button', { type: 'button', class: 'button quiet small' }, icon('copy'), label);
  copy.addEventListener('click', async () => {
    const copied = await copyText(text());
    setTexts(label, { t: copied ? 'copied' : 'copy.failed' });
    announce(t(copied ? 'copied' : 'copy.failed'));
    setTimeout(() => setTexts(label, { t: key }), 2000);
  });
  return copy;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // There is no clipboard API without https, so the browser copies a selection instead.
    const area = h('textarea', { class: 'visually-hidden', props: { value: text } });
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}

/** Something that is on its way. */
export function spinner(key = 'loading') {
  return h('p', { class: 'loading', role: 'status' }, h('span', { class: 'spinner', 'aria-hidden': 'true' }), h('span', { t: key }));
}

/** Says `text` to a screen reader, when it has finished what it is saying. */
export function announce(text) {
  const region = document.getElementById('announcements');
  if (region) region.textContent = text;
}

let counter = 0;

/** An id that nothing else on the page has. */
export const uniqueId = prefix => `${prefix}-${++counter}`;

/** `work` at most once in `ms` of silence. */
export function debounce(work, ms) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), ms);
  };
}
