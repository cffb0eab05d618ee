import { connect } from 'node:net';
import { type Address, addressOf } from '../kernel/address.ts';

const ATTEMPT_INTERVAL_MS = 250;

/** True as soon as the target's port takes a TCP connection, false if it does not within `withinMs`. */
export async function takesConnections(baseUrl: string, withinMs: number): Promise<boolean> {
  const address = addressOf(new URL(baseUrl));
  const deadline = performance.now() + withinMs;
  for (;;) {
    if (await attempt(address, deadline - performance.now())) return true;
    if (performance.now() + ATTEMPT_INTERVAL_MS >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, ATTEMPT_INTERVAL_MS));
  }
}

function attempt(address: Address, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, timeout: Math.max(1, timeoutMs) });
    const settle = (connected: boolean): void => {
      socket.destroy();
      resolve(connected);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}
