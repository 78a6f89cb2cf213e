// What somebody keeps: boards of pinned answers, in the database, where every browser of the same person finds them; and in this
// browser the questions that curators were told about, which another person who logs in here does not see.

import { get, post, remove } from './api.js';
import { emit, on, preference, session, setPreference } from './state.js';

let known = [];
on('session', who => { if (!who) known = []; });

/** The boards as they were read last: `[{ name, owner, is_own, shared_with, answers: [{ id, question, queries, is_asked }] }]`. */
export const boards = () => known;

/** The board of that name and owner; of nobody's name it is an own one. */
export const boardNamed = ({ name, owner }) => known.find(board => board.name === name && (owner ? board.owner === owner : board.is_own));

/** Reads the boards anew. */
export async function readBoards() {
  const who = session();
  const { boards: read } = await get('boards');
  // Somebody else may have logged in meanwhile.
  if (who !== session()) return;
  known = read;
  emit('boards');
}

const path = name => `boards/${encodeURIComponent(name)}`;

/** Changes boards, and reads them anew. */
export const pin = (board, answer) => post(path(board), answer).then(readBoards);
export const unpin = ({ id }) => remove(`pins/${id}`).then(readBoards);
export const shareBoard = (board, roles) => post(`${path(board)}/share`, { shared_with: roles }).then(readBoards);
/** The roles with whom it may be shared: `[{ role, answers }]`, how many of its answers each may read. */
export const readersOf = board => get(`${path(board)}/readers`).then(({ roles }) => roles);
export const forgetBoard = board => remove(path(board)).then(readBoards);

const key = () => `told:${session()?.database ?? ''}:${session()?.user ?? ''}`;
const MOST_TOLD = 5;

/** Questions without an answer that a curator was told about, the latest first. */
export function told() {
  try {
    return JSON.parse(preference(key(), '[]'));
  } catch {
    return [];
  }
}

const keepTold = questions => setPreference(key(), JSON.stringify(questions));

export const tell = question => keepTold([question, ...told().filter(other => other !== question)].slice(0, MOST_TOLD));

export const forgetTold = question => keepTold(told().filter(other => other !== question));
