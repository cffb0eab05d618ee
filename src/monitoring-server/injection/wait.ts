import type { ServerResponse } from 'node:http';

/**
 * Resolves once `delayMs` have passed, and never before: a plain timer drops fractions of a millisecond and counts from
 * the start of the event loop's turn, so that it may fire early. Resolves too when the answer's connection closes.
 */
export function waitAtLeast(delayMs: number, response: Pick<ServerResponse, 'once' | 'off'>): Promise<void> {
  const dueMs = performance.now() + delayMs;
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      response.off('close', end);
      resolve();
    };
    const look = () => {
      const restMs = dueMs - performance.now();
      if (restMs <= 0) end();
      else timer = setTimeout(look, Math.ceil(restMs));
    };
    let timer = setTimeout(look, Math.ceil(delayMs));
    response.once('close', end);
  });
}
