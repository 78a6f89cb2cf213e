// A file that is sent. XMLHttpRequest, because fetch does not say how much of a body has gone.

import { away, problemFrom } from './api.js';
import { parseJson } from './numbers.js';
import { emit } from './state.js';

/**
 * Sends a file below /api/v1 and returns what the JSON of the reply says. `onProgress(share)` is called while the file
 * is on its way, from 0 to 1. Raises a `Problem`, or an AbortError where `signal` aborts.
 */
export function upload(path, file, { onProgress, signal } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `api/v1/${path}`);
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 1));
    request.upload.addEventListener('load', () => onProgress?.(1));
    request.addEventListener('error', () => reject(away()));
    request.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) {
        try {
          resolve(parseJson(request.responseText));
        } catch {
          reject(away());
        }
        return;
      }
      if (request.status === 401) emit('session', null);
      reject(problemFrom(request.status, request.responseText, name => request.getResponseHeader(name)));
    });
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
