// The question that runs in this tab, so that the page, loaded anew, can say what became of it: leaving the page stops
// the question in the database. Only the question is stored, in this tab, and never an answer.

const KEY = 'running';

// What leaving the page stops has not ended by itself.
let leaving = false;
globalThis.addEventListener?.('pagehide', () => { leaving = true; });
globalThis.addEventListener?.('pageshow', () => { leaving = false; });

/** Remembers the question that begins to run; null forgets it. */
export function noteRunning(running) {
  if (leaving) return;
  try {
    if (running) sessionStorage.setItem(KEY, JSON.stringify(running));
    else sessionStorage.removeItem(KEY);
  } catch {
    // No storage: a page that is loaded anew does not know.
  }
}

/** The question of that conversation that was stopped because the page was left, once; or null. */
export function interrupted(conversation) {
  try {
    const running = JSON.parse(sessionStorage.getItem(KEY));
    if (!running || running.conversation !== conversation) return null;
    noteRunning(null);
    return running.question;
  } catch {
    return null;
  }
}
