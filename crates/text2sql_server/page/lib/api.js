// The server's HTTP: one function for a request, one for a question that runs.

import { emit } from './state.js';
import { parseJson, toJson } from './numbers.js';
import { events } from './sse.js';

/** What the server, or the way to it, says instead of an answer (RFC 9457). `kind` is 'problem' or 'network'. */
export class Problem extends Error {
  constructor(fields, kind = 'problem') {
    super(fields.title ?? '');
    this.kind = kind;
    this.status = fields.status ?? 0;
    this.title = fields.title ?? '';
    this.detail = fields.detail ?? null;
    this.hint = fields.hint ?? null;
    this.sqlstate = fields.sqlstate ?? null;
    this.position = fields.position ?? null;
    this.retryAfter = fields.retry_after ?? null;
    this.requestId = fields.request_id ?? null;
  }
}

/** The server does not answer. */
export const away = () => new Problem({ title: 'the server cannot be reached' }, 'network');

const lost = () => new Problem({ title: 'the connection was lost' }, 'lost');

/** What a reply that is an error says: its status, its body and what reads its headers. */
export function problemFrom(status, text, header) {
  let fields = {};
  try {
    fields = JSON.parse(text);
  } catch {
    // A proxy answered: its page says nothing to the reader.
  }
  if (!fields || typeof fields !== 'object') fields = {};
  fields.status = status;
  fields.title ??= `HTTP ${status}`;
  fields.retry_after ??= Number(header('retry-after')) || undefined;
  fields.request_id ??= header('x-request-id') ?? undefined;
  return new Problem(fields);
}

async function problemOf(response) {
  const text = await response.text().catch(() => '');
  return problemFrom(response.status, text, name => response.headers.get(name));
}

/** Sends a request below /api/v1 and returns the response. Raises a `Problem` for every error. */
export async function send(path, { method, body, file, signal, accept = 'application/json' } = {}) {
  const headers = { Accept: accept };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (file) headers['Content-Type'] = 'application/octet-stream';
  let response;
  try {
    response = await fetch(`api/v1/${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      body: file ?? (body === undefined ? undefined : toJson(body)),
      signal,
      credentials: 'same-origin',
      cache: 'no-store',
    });
  } catch (error) {
    if (error.name === 'AbortError' || error === 'left') throw error;
    throw away();
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (response.status === 401 && path !== 'session') emit('session', null);
  throw problem;
}

/** Sends a request and returns what its JSON says, with the digits of its numbers; undefined where there is none. */
export async function request(path, options) {
  const response = await send(path, options);
  try {
    const text = await response.text();
    return text === '' ? undefined : parseJson(text);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw away();
  }
}

export const get = (path, options) => request(path, { ...options, method: 'GET' });
export const post = (path, body, options) => request(path, { ...options, method: 'POST', body });
/** Sends a file as it is. */
export const postFile = (path, file, options) => request(path, { ...options, method: 'POST', file });
export const remove = (path, options) => request(path, { ...options, method: 'DELETE' });

/** How long to wait before a lost question is looked for again, in milliseconds. */
const RETURNS = [300, 1000, 2000, 4000];

/**
 * Asks ('ask' or 'answer') and returns the row. `onStep` gets each step, `onNews` what the query that runs does ('plan') and its
 * first rows ('rows'), `onSign` is called at every sign of life,
 * `onRestart` before all steps are sent again. With the name `run` the question is found again (`find`) where the
 * connection is lost, or the page is loaded anew.
 * A `signal` that aborts cancels the question in the database; one that aborts with the reason 'left' leaves it there.
 */
export function ask(path, body, { run, ...options } = {}) {
  const begin = query => () => send(`${path}${query}`, { body, signal: options.signal, accept: 'text/event-stream' });
  if (!run) return follow(begin(''), options);
  return stoppable(run, options.signal, () => follow(begin(`?run=${run}`), options).catch(problem => {
    if (problem.kind !== 'lost') throw problem;
    return again(run, options);
  }));
}

/** The row of a question that runs under that name. Raises a problem of the kind 'lost' where there is none any more. */
export const find = (run, options = {}) => stoppable(run, options.signal, () => again(run, options));

async function stoppable(run, signal, work) {
  const stop = () => {
    // Also while the page is being left.
    if (signal.reason !== 'left') fetch(`api/v1/running/${run}`, { method: 'DELETE', keepalive: true }).catch(() => {});
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await work();
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

async function again(run, options) {
  for (const wait of RETURNS) {
    // The server sends it from its beginning.
    options.onRestart?.();
    try {
      return await follow(() => send(`running/${run}`, { signal: options.signal, accept: 'text/event-stream' }), options);
    } catch (problem) {
      if (problem.status === 404) break;
      if (!['lost', 'network'].includes(problem.kind)) throw problem;
      await new Promise(resolve => { setTimeout(resolve, wait); });
    }
  }
  throw lost();
}

async function follow(begin, { onStep, onNews, onSign }) {
  const response = await begin();
  onSign?.();
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    return parseJson(await response.text());
  }
  try {
    for await (const { name, data } of events(response)) {
      onSign?.();
      if (name === 'step') onStep?.(parseJson(data));
      else if (name === 'plan' || name === 'rows') onNews?.(name, parseJson(data));
      else if (name === 'answer') return parseJson(data);
      else if (name === 'error') {
        const problem = new Problem(JSON.parse(data));
        if (problem.status === 401) emit('session', null);
        throw problem;
      }
    }
  } catch (error) {
    if (error instanceof Problem || error.name === 'AbortError' || error === 'left') throw error;
    throw lost();
  }
  throw lost();
}

/** The rows of an export as a file that the browser saves. Returns whether the file lacks rows. */
export async function download(path, body, name) {
  const response = await send(path, { body, accept: '*/*' });
  const link = document.createElement('a');
  const url = URL.createObjectURL(await response.blob());
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return response.headers.get('x-text2sql-truncated') !== null;
}
