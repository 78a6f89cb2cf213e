// What somebody keeps in this browser: boards of pinned answers, names and pins of conversations, questions that curators were
// told about. It has questions and SQL, and never a row; another person who logs in here does not see it.

import { emit, preference, session, setPreference } from './state.js';

const key = name => `${name}:${session()?.database ?? ''}:${session()?.user ?? ''}`;

function read(name, fallback) {
  try {
    return JSON.parse(preference(key(name), '')) ?? fallback;
  } catch {
    return fallback;
  }
}

const write = (name, value) => setPreference(key(name), JSON.stringify(value));

/** The boards: `[{ id, name, items: [{ question, sql }] }]`, the newest last. SQL only where the question alone would not do. */
export const boards = () => read('boards', []);

/** Keeps a board, in place of the one with its id. */
export function keepBoard(board) {
  const all = boards();
  const at = all.findIndex(({ id }) => id === board.id);
  write('boards', at < 0 ? [...all, board] : all.with(at, board));
  emit('boards');
}

export function forgetBoard(id) {
  write('boards', boards().filter(board => board.id !== id));
  emit('boards');
}

/** What was said of conversations: `{ name: { title, pinned } }`. */
export const labels = () => read('conversations', {});

const MOST_TOLD = 5;

/** Questions without an answer that a curator was told about, the latest first. */
export const told = () => read('told', []);

export const tell = question => write('told', [question, ...told().filter(other => other !== question)].slice(0, MOST_TOLD));

export const forgetTold = question => write('told', told().filter(other => other !== question));

/** Changes what is said of a conversation; null forgets it. */
export function label(conversation, change) {
  const { [conversation]: before, ...others } = labels();
  const now = change && { ...before, ...change };
  write('conversations', now && (now.title || now.pinned) ? { ...others, [conversation]: now } : others);
}
