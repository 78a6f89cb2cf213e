// What the reader chose for the questions of this page.

import { preference, session, setPreference } from './state.js';

const key = () => `model:${session()?.database ?? ''}:${session()?.user ?? ''}`;

/** The model that the reader chose, or null: the one that the database is set to. */
export function chosenModel() {
  const model = preference(key(), '');
  return model !== '' && models().includes(model) ? model : null;
}

/** Chooses a model; null leaves the choice to the database. */
export function chooseModel(model) {
  setPreference(key(), model);
}

/** Names of the models that the role can use. */
export function models() {
  const usable = (session()?.models ?? []).filter(({ status }) => status === 'usable').map(({ model }) => model);
  return ['builtin', ...usable];
}

/** Options of a question, with the model that the reader chose. */
export function withChoices(options) {
  const model = chosenModel();
  return model ? { model, ...options } : options;
}

/** The model that changes SQL in words and sums it up: the chosen one, that of the database, or the first; null: there is none. */
export function helpingModel() {
  const usable = models().filter(model => model !== 'builtin');
  const wanted = [chosenModel(), ...(session()?.model ?? '').split(',').map(name => name.trim())];
  return wanted.find(model => usable.includes(model)) ?? usable[0] ?? null;
}
