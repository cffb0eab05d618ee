import { connect } from 'node:net';
import { hostOf } from './target-addresses.ts';

const ATTEMPT_INTERVAL_MS = 250;

/** True as soon as the target's port takes a TCP connection, false if it does not within `withinMs`. */
export async function takesConnections(baseUrl: string, withinMs: number): Promise<boolean> {
  const base = new URL(baseUrl);
  const host = hostOf(base);
  const port = Number(base.port || (base.protocol === 'https:' ? 443 : 80));
  const deadline = performance.now() + withinMs;
  for (;;) {
    if (await attempt(host, port, deadline - performance.now())) return true;
    if (performance.now() + ATTEMPT_INTERVAL_MS >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, ATTEMPT_INTERVAL_MS));
  }
}

function attempt(host: string, port: number, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: Math.max(1, timeoutMs) });
    const settle = (connected: boolean): void => {
      socket.destroy();
      resolve(connected);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}
