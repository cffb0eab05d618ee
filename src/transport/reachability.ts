import { createSocket } from 'node:dgram';
import { connect, isIP, type LookupFunction } from 'node:net';
import { type Address, addressOf } from '../kernel/address.ts';
import { createTargetAddresses, type TargetName } from './target-addresses.ts';

const ATTEMPT_INTERVAL_MS = 250;

/**
 * True as soon as the target's port takes a TCP connection, false if it does not within `withinMs`. It dials no other machines
 * than the agents do.
 */
export async function takesConnections(
  { url, ...name }: Omit<TargetName, 'host'> & { readonly url: string },
  withinMs: number,
): Promise<boolean> {
  const address = addressOf(new URL(url));
  const target = createTargetAddresses({ ...name, host: address.host });
  const lookup: LookupFunction = (_name, _options, callback) =>
    target.ask(({ addresses, problem = null }) =>
      callback(
        problem,
        addresses.map((one) => ({ address: one, family: isIP(one) })),
      ),
    );
  const deadline = performance.now() + withinMs;
  for (;;) {
    if (await attempt({ ...address, lookup }, deadline - performance.now())) return true;
    if (performance.now() + ATTEMPT_INTERVAL_MS >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, ATTEMPT_INTERVAL_MS));
  }
}

function attempt(address: Address & { lookup: LookupFunction }, timeoutMs: number): Promise<boolean> {
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

/** Why no connection can leave from an address: this machine does not have it, or no way leads from it to the target. */
export type SourceProblem = 'not_here' | 'no_way';

// Nothing is sent, so it need not be the target's own.
const ANY_PORT = 9;

/** Tries a source address with a socket that sends nothing. Without addresses of the target only the first is asked. */
export async function trySource(source: string, targets: readonly string[]): Promise<SourceProblem | undefined> {
  const reachable = targets.filter((target) => isIP(target) === isIP(source));
  const [first] = reachable;
  const socket = createSocket(isIP(source) === 6 ? 'udp6' : 'udp4');
  try {
    if (!(await succeeds((done) => socket.once('error', done).bind({ address: source, exclusive: true }, done))))
      return 'not_here';
    if (targets.length === 0) return undefined;
    const leads = first !== undefined && (await succeeds((done) => socket.connect(ANY_PORT, first, done)));
    return leads ? undefined : 'no_way';
  } finally {
    socket.close();
  }
}

function succeeds(attempt: (done: (error?: Error) => void) => void): Promise<boolean> {
  return new Promise((resolve) => attempt((error) => resolve(error === undefined || error === null)));
}
