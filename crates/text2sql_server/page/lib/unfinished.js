// The questions that run in this tab, so that the page, loaded anew or come back to, finds them: they run on for a minute
// when it is left. Only the question and its name are stored, in this tab, and never an answer.

const KEY = 'running';

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

function store(running) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(running));
  } catch {
    // No storage: a page that is loaded anew does not know.
  }
}

/** Remembers the question `{ question, run }` that runs in a conversation; null forgets it. */
export function noteRunning(conversation, running) {
  const { [conversation]: _, ...others } = stored();
  store(running ? { ...others, [conversation]: running } : others);
}

/** The question of that conversation that ran when it was left, or null. */
export const leftRunning = conversation => stored()[conversation] ?? null;
