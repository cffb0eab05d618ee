import { createSocket } from 'node:dgram';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { type Address, addressOf } from '../../ground/kernel/address.ts';
import { nodeTls } from '../../ground/runtime/builtins.ts';
import { realTimer } from '../../ground/runtime/event-loop.ts';
import { type AgentProxy, wayTo } from '../agent/proxy.ts';
import { serverName } from './dialer.ts';
import { createTargetAddresses, type TargetName } from './target-addresses.ts';
import { createTunnel, type Tunnel } from './tunnel.ts';

const ATTEMPT_INTERVAL_MS = 250;

/** The location of a target; `addresses` are those of the proxy, if there is one. */
type Probed = Omit<TargetName, 'host'> & { readonly url: string; readonly proxy: AgentProxy | undefined };

/**
 * Resolves to true as soon as the target's port accepts a TCP connection, or to false if it does not within `withinMs`. Dials
 * only machines that the agents also dial. A forward proxy is checked instead of the target; other proxies must open a tunnel.
 */
export async function takesConnections({ url, proxy, ...name }: Probed, withinMs: number): Promise<boolean> {
  const base = new URL(url);
  const { host, port }: Address = proxy ?? addressOf(base);
  const target = createTargetAddresses({ ...name, host });
  const lookup: LookupFunction = (_name, _options, callback) =>
    target.ask(({ addresses, problem = null }) =>
      callback(
        problem,
        addresses.map((one) => ({ address: one, family: isIP(one) })),
      ),
    );
  const way = wayTo(base, proxy);
  const deadline = performance.now() + withinMs;
  for (;;) {
    const toTls = way.kind === 'tunnel' && way.proxy.isSecure;
    const socket = toTls ? dialTls({ host, port, lookup }) : connect({ host, port, lookup });
    const { reached, outcome } = watched(socket, deadline - performance.now());
    if (way.kind === 'tunnel') tunnelTo(base, way.proxy, reached).dialed(socket);
    else socket.once('connect', reached);
    if (await outcome) return true;
    if (performance.now() + ATTEMPT_INTERVAL_MS >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, ATTEMPT_INTERVAL_MS));
  }
}

// Trust is checked later, by the clients that send requests.
function dialTls(dialed: Address & { lookup: LookupFunction }): Socket {
  return nodeTls.connect({ ...dialed, ...serverName(dialed.host), rejectUnauthorized: false });
}

function tunnelTo(base: URL, proxy: AgentProxy, opened: () => void): Tunnel {
  return createTunnel(proxy, {
    ...{ opened, server: addressOf(base) },
    distrust: () => undefined,
    through: (socket) => socket,
  });
}

/** Resolves to whether `reached` is called before the socket fails or the timeout passes. */
function watched(
  socket: Socket,
  timeoutMs: number,
): { readonly reached: () => void; readonly outcome: Promise<boolean> } {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const settle = (isReached: boolean): void => {
    cancelTimer();
    socket.destroy();
    resolve(isReached);
  };
  const cancelTimer = realTimer(Math.max(1, timeoutMs), () => settle(false));
  socket.once('error', () => settle(false));
  return { reached: () => settle(true), outcome: promise };
}

/** Why no connection can use a source address: this machine does not have it, or it has no route to the target. */
export type SourceProblem = 'not_here' | 'no_way';

// Nothing is sent, so any port will do.
const ANY_PORT = 9;

/** Tests a source address with a socket that sends nothing. Without target addresses, only tests whether this machine has the address. */
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
