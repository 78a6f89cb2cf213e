// Language and theme.

import { h, icon, iconButton, fill } from '../lib/dom.js';
import { currentLanguage, languages, onLanguage, setLanguage, setTexts } from '../lib/i18n.js';
import { preference, setPreference } from '../lib/state.js';

/** A choice of the page's language. */
export function languageSwitch() {
  const select = h('select', { class: 'quiet-select', tLabel: 'language', on: { change: () => setLanguage(select.value) } },
    Object.entries(languages()).map(([name, label]) => h('option', { value: name, lang: name }, label)));
  select.value = currentLanguage();
  onLanguage(name => { select.value = name; });
  return select;
}

const THEMES = { system: 'system', light: 'sun', dark: 'moon' };

/** A button that goes through the themes: as the system says, light, dark. */
export function themeSwitch() {
  let theme = preference('theme', 'system');
  const names = Object.keys(THEMES);
  const show = () => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    fill(change, icon(THEMES[theme] ?? 'system'));
    setTexts(change, { tLabel: `theme.${theme}`, tTitle: `theme.${theme}` });
  };
  const change = iconButton('system', 'theme.system', () => {
    theme = names[(names.indexOf(theme) + 1) % names.length];
    setPreference('theme', theme === 'system' ? null : theme);
    show();
  });
  show();
  return change;
}
