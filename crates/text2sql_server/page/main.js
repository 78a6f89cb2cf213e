// Starts the page: language, then who is logged in, then the log-in form or the shell.

import { get } from './lib/api.js';
import { fill, h } from './lib/dom.js';
import { startLanguage } from './lib/i18n.js';
import { emit, on, session as currentSession } from './lib/state.js';
import './elements/log-in.js';

const shellPlace = h('div', { id: 'page' });
const loginPlace = h('div', { id: 'login' });
// Two regions by turns would say more, one says enough: steps and answers, politely.
const announcements = h('div', { id: 'announcements', class: 'visually-hidden', 'aria-live': 'polite' });

let user = null;

// A shared computer: nothing of the answers stays, neither in the document nor in the address.
on('logout', () => {
  user = null;
  shellPlace.replaceChildren();
  for (const dialog of document.querySelectorAll('dialog')) dialog.remove();
  history.replaceState(null, '', location.pathname + location.search);
});

// The shell stays in the document while somebody logs in again, so that nothing that was asked is lost; another
// user starts with an empty one.
on('session', async session => {
  document.body.dataset.state = session ? 'in' : 'out';
  shellPlace.hidden = !session;
  announcements.replaceChildren();
  if (!session) {
    if (loginPlace.hasChildNodes()) return;
    fill(loginPlace, h('log-in'));
    // The session has ended by itself: the name is known, and what was asked is kept.
    if (user) loginPlace.firstElementChild.ended(user);
    return;
  }
  loginPlace.replaceChildren();
  if (user !== session.user || !shellPlace.hasChildNodes()) {
    user = session.user;
    shellPlace.replaceChildren();
    try {
      // Loaded only after login, because nothing of it is needed before.
      await import('./elements/app-shell.js');
    } catch {
      emit('session', null);
      document.querySelector('log-in').say({ kind: 'network' });
      return;
    }
    if (currentSession() === session) fill(shellPlace, h('app-shell'));
  }
});

await startLanguage();
document.body.append(shellPlace, loginPlace, announcements);
shellPlace.hidden = true;
try {
  emit('session', await get('session'));
} catch (problem) {
  emit('session', null);
  if (problem.status !== 401) document.querySelector('log-in')?.say(problem);
}
