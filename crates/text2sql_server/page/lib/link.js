// A link to an answer holds the question, or SQL, and no row: who opens it asks with rights of their own. It is in the
// fragment, which browsers do not send to a server and servers do not log.

/** The address that asks `question` again, or explains `sql`. */
export function linkTo({ question, sql }) {
  const fragment = sql === undefined ? `q=${encodeURIComponent(question)}` : `sql=${encodeURIComponent(sql)}`;
  return `${location.origin}${location.pathname}#${fragment}`;
}

/** The address of a conversation on this page, or of a new one. */
export const addressOf = conversation => `${location.pathname}${location.search}${conversation ? `#c=${encodeURIComponent(conversation)}` : ''}`;

/** The conversation that a fragment names, or null. */
export const conversationOfLink = fragment => new URLSearchParams(fragment.replace(/^#/, '')).get('c')?.trim() || null;

/** What a fragment asks: `{ question }`, `{ sql }` or null. */
export function questionOfLink(fragment) {
  const params = new URLSearchParams(fragment.replace(/^#/, '').replaceAll('+', '%2B'));
  const question = params.get('q')?.trim();
  if (question) return { question };
  const sql = params.get('sql')?.trim();
  return sql ? { sql } : null;
}

/** The address of a board: whoever opens it reads the answers with rights of their own, if its owner shares it with them. */
export const addressOfBoard = ({ name, owner }) => `${location.pathname}${location.search}#board=${encodeURIComponent(name)}${owner ? `&by=${encodeURIComponent(owner)}` : ''}`;

/** The board that a fragment names, `{ name, owner }`, or null. */
export function boardOfLink(fragment) {
  const params = new URLSearchParams(fragment.replace(/^#/, '').replaceAll('+', '%2B'));
  const name = params.get('board');
  return name ? { name, owner: params.get('by') } : null;
}
