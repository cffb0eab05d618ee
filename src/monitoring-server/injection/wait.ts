import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Freeze } from './freeze.ts';
import type { RequestPlan } from './request-plan.ts';

/**
 * Waits until an answer may go out as its plan has it: for the planned delay, for the answers to earlier requests of its
 * connection, and for a frozen server. Never ends if the connection closes before its turn.
 */
export async function awaitTurn(plan: RequestPlan, response: ServerResponse, freeze: Freeze): Promise<void> {
  if (plan.delayMs > 0) await waitAtLeast(plan.delayMs, response);
  // An answer gets its connection when those before it have left.
  if (response.socket === null) await once(response, 'socket');
  if (freeze.holds()) await freeze.over();
}

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
