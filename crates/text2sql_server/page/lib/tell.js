// Tells people what happened while they looked elsewhere: in the page's title, and by a number at "Waiting" for whoever
// decides about queries, or has one that was decided.

import { get } from './api.js';
import { t } from './i18n.js';
import { emit, may, on, session } from './state.js';

const EVERY_MS = 20_000;
const TITLE = 'text2sql';

let finished = 0;
let waiting = 0;
// Whether anything can come: nobody asks the server in vain.
let expected = false;

function showTitle() {
  const count = finished + waiting;
  document.title = count > 0 ? `(${count}) ${TITLE}` : TITLE;
}

// Own questions that waited when they were looked at last, and those that were rejected since.
let own = new Set();
let rejected = new Set();

/** What waits for this role: for approvers, what is to be decided; for others, what was decided and not looked at. */
function toTell(approvals) {
  if (may('approve')) return approvals.filter(({ status, is_own: isOwn }) => status === 'waiting' && !isOwn).length;
  for (const { id, status } of approvals) if (status === 'rejected' && own.has(id)) rejected.add(id);
  own = new Set(approvals.filter(({ status }) => status === 'waiting').map(({ id }) => id));
  return approvals.filter(({ id, status }) => status === 'approved' || rejected.has(id)).length;
}

async function look() {
  if (!session() || !may('ask')) return;
  try {
    const approvals = (await get('waiting')).approvals ?? [];
    expected = may('approve') || approvals.some(({ status }) => status === 'waiting');
    const now = toTell(approvals);
    emit('approvals', approvals);
    if (now === waiting) return;
    waiting = now;
    showTitle();
    emit('waiting-count', { count: waiting, text: t(may('approve') ? 'waiting.count.approver' : 'waiting.count', { count: waiting }) });
  } catch {
    // The panel says what is wrong with it.
  }
}

/** Begins to look; returns what ends that. */
export function tellPeople() {
  const timer = setInterval(() => expected && look(), EVERY_MS);
  const seen = () => {
    if (document.hidden) return;
    finished = 0;
    showTitle();
    if (expected) look();
  };
  const ends = [
    on('answered', ({ row }) => {
      if (document.hidden) finished++;
      showTitle();
      if (waiting > 0 || row?.status === 'waiting') look();
    }),
    on('decided', look),
    on('panel', id => { if (id === 'waiting') rejected = new Set(); }),
  ];
  document.addEventListener('visibilitychange', seen);
  look();
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', seen);
    for (const end of ends) end();
    finished = waiting = 0;
    showTitle();
  };
}
