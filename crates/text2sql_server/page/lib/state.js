// What the parts of the page share: events, and who is logged in.
//
//   on('session', session => …)       logged in, or null: logged out
//   emit('logout')                    somebody leaves, before the session is null: nothing that they saw may stay
//   emit('ask', { question })         asks in the thread (chips, readings, a conversation that is continued)
//   emit('explain', { sql })          explains SQL in the thread
//   emit('answer-approved', { question, approval })     runs a query that somebody has approved
//   on('answered', { conversation, question, row })     an answer has come
//   emit('conversation', { conversation })              shows an earlier one; null begins a new one
//   on('opened', { conversation })                      it is shown, by its name or by its address
//   emit('board', { name, owner })    shows a board (lib/kept.js)
//   on('boards')                      the boards were read anew
//   emit('insert', { text })         puts a name into the question
//   emit('loaded', { table })         a file has become a table
//   emit('decided')                   something that waited was decided here
//   on('approvals', approvals)        what waits for approval, and what became of it, as it was looked at just now
//   emit('panel', 'schema')           opens a tab of the panel at the right; null closes it

const target = new EventTarget();

/** Calls `listener` with the detail of each event of that name. Returns what ends that. */
export function on(name, listener) {
  const handler = event => listener(event.detail);
  target.addEventListener(name, handler);
  return () => target.removeEventListener(name, handler);
}

/** Tells everybody who listens. */
export function emit(name, detail) {
  target.dispatchEvent(new CustomEvent(name, { detail }));
}

let current = null;
on('session', session => { current = session; });

/** The session as GET /session says it, or null. */
export const session = () => current;

/** Whether the role may do that: 'ask', 'teach', 'evaluate', 'approve', 'administer', 'create_view', 'load'. */
export const may = what => current?.may?.[what] === true;

/** Names of people who can do that: 'teach', 'approve', 'administer'. */
export const helpers = what => current?.helpers?.[what] ?? [];

/** A preference that outlives the page, where the browser stores any. */
export function preference(name, fallback) {
  try {
    return localStorage.getItem(name) ?? fallback;
  } catch {
    return fallback;
  }
}

/** Stores a preference; null forgets it. */
export function setPreference(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // No storage: it holds until the page is left.
  }
}
