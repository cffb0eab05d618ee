import { constants } from 'node:crypto';
import { connect as connectTcp, type OnReadOpts, type Socket } from 'node:net';
import { type Address, addressOf } from '../../base/kernel/address.ts';
import { CBC_SUITES, GCM_SUITES, SIGNATURES, TLS_1_3_SUITES } from '../../base/protocol/go.ts';
import { nodeTls } from '../../base/runtime/builtins.ts';
import { type AgentProxy, type ProxyMode, proxyMode } from '../agent/proxy.ts';
import { beginDial, countFailedDial, type DialGoal, type DialPorts, retryDial, type Tally } from './dial.ts';
import { dialOrder } from './dial-order.ts';
import type { DialBudget } from './outlasting-dials.ts';
import { certificateProblem } from './server-certificate.ts';
import { createSourcePorts, type Source, type SourcePorts, type Sources } from './source-addresses.ts';
import type { TargetAddresses } from './target-addresses.ts';
import { createTunnel, type OnTunnelOpened } from './tunnel.ts';

/** How TLS servers are verified; `ca`, certificates in PEM, replaces the system's roots. */
export type TlsTrust = { readonly verify: boolean; readonly ca: string | undefined };

/** Dials the target, or the proxy in front of it, from one address of this machine. */
export type Dialer = ReturnType<typeof dialerFrom>;

/** A connection, by its number in the shard, with the number of dials it has started. */
type Dialing = { readonly number: number; dials: number };

export type DialSettings = {
  readonly tls: TlsTrust;
  readonly sources: Sources;
  /** `seed` and the run-wide number of a connection determine the order of addresses. */
  readonly seed: number;
  readonly inFleet: (connection: number) => number;
};

type DialTarget = DialSettings & {
  readonly base: URL;
  /** The host of `base` as written, without brackets; sent to proxies. */
  readonly name: string;
  /** The proxy in front of the target; `undefined` if there is none. */
  readonly proxy: AgentProxy | undefined;
  /** Addresses of the proxy, if there is one. */
  readonly addresses: TargetAddresses;
  /** `undefined` if addresses are not counted, such as those of a proxy. */
  readonly tallyOf?: ((address: string) => Tally) | undefined;
  readonly budget: DialBudget;
  /** Protocols that ALPN offers if certificates are verified. */
  readonly protocols: readonly string[];
};

/** How sockets deliver what they read, and the size of a write that makes them report the flush. Defaults to Node's behavior. */
type SocketOptions = {
  readonly onread?: OnReadOpts;
  readonly highWaterMark?: number;
  /** Receives tunnels that a proxy has opened; omitted if there is no proxy. */
  readonly opened?: OnTunnelOpened;
};

// Interval of the TCP keep-alive probes of the agent's client.
const PROBE_MS = 15_000;

/**
 * The agent's TLS offer (docs/developers/wire.md, "TLS of the push client"), each list in its order: cipher suites of
 * TLS 1.3 and 1.2, groups with key shares for the first two, and signature algorithms. At any security level but 0,
 * OpenSSL would leave out SHA-1 and reject RSA keys of 1,024 bits.
 */
const OFFER = {
  minVersion: 'TLSv1.2',
  ciphers: [...TLS_1_3_SUITES, ...GCM_SUITES, ...CBC_SUITES, '@SECLEVEL=0'].join(':'),
  ecdhCurve: '*X25519MLKEM768:*X25519:P-256:P-384:P-521',
  sigalgs: [...SIGNATURES, 'rsa_pkcs1_sha1', 'ecdsa_sha1'].join(':'),
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_ENCRYPT_THEN_MAC,
  // In Go, any trusted certificate ends a chain.
  allowPartialTrustChain: true,
} as const;

/** Whether requests use TLS, either to the target or to a forward proxy. */
export function isEncrypted({ protocol }: URL, mode: ProxyMode): boolean {
  return mode.kind === 'forward' ? mode.proxy.isSecure : protocol === 'https:';
}

/**
 * Creates dialers that behave like the agent's Go client: no TLS session resumption, TCP_NODELAY, keep-alive probes, and no
 * ALPN unless certificates are verified. They have no timeout, because the engine's deadline covers dialing. All connections
 * share one TLS context and the resolver's last answer. The returned function takes the number of a connection in the shard.
 */
export function createDialers(target: DialTarget, socketOptions: SocketOptions): (connection: number) => Dialer {
  const route = routeTo(target, socketOptions);
  return perSource(target.sources, (ports) => dialerFrom(target, route, ports));
}

type Route = {
  readonly mode: ProxyMode;
  /** The host that is dialed: the server's or the proxy's. */
  readonly host: string;
  readonly serverHost: string;
  readonly overTls: boolean;
  readonly tunnel: ReturnType<typeof createTunnel> | undefined;
  readonly connect: (destination: DialGoal, source: Source | undefined) => Socket;
};

function routeTo(
  { base, name, tls, proxy, protocols }: DialTarget,
  { opened = () => {}, ...socketOptions }: SocketOptions,
): Route {
  const mode = proxyMode(base, proxy);
  const overTls = isEncrypted(base, mode);
  const server = addressOf(base);
  const { host, port }: Address = mode.kind === 'direct' ? server : mode.proxy;
  const dialsTls = mode.kind === 'tunnel' ? mode.proxy.isSecure : overTls;
  const encryption = (dialsTls || overTls) && encryptionOf(tls, protocols);
  const tunnel =
    mode.kind === 'tunnel'
      ? createTunnel(mode.proxy, {
          opened,
          server: { host: name, port: server.port },
          distrust: (socket) => trustProblem(socket, host, tls),
          through: (socket) =>
            overTls ? nodeTls.connect({ socket, ...serverName(server.host), ...encryption, ...socketOptions }) : socket,
        })
      : undefined;
  // The dial decides which address is tried and for how long, so Node tries only one.
  const options = { port, autoSelectFamily: false, ...(tunnel === undefined && socketOptions) };
  const tlsOptions = dialsTls && { ...options, ...serverName(host), ...encryption };
  return {
    mode,
    host,
    serverHost: server.host,
    overTls,
    tunnel,
    connect: (destination, source) => {
      const to = { ...destination, ...source };
      const socket = tlsOptions ? nodeTls.connect({ ...tlsOptions, ...to }) : connectTcp({ ...options, ...to });
      tunnel?.dialed(socket);
      socket.setNoDelay(true);
      return socket.setKeepAlive(true, PROBE_MS, PROBE_MS);
    },
  };
}

/** @param ports those of the source address; `undefined`: the system chooses. */
function dialerFrom(target: DialTarget, route: Route, ports: SourcePorts | undefined) {
  const { mode, tunnel, overTls } = route;
  return {
    /** The event that a socket emits when it is ready for a request. */
    readyEvent: overTls ? ('secureConnect' as const) : ('connect' as const),
    /** Whether a proxy must open a tunnel first. `opened` of the socket options then reports the ready socket. */
    isTunneled: tunnel !== undefined,
    /** @param overtaken called when another socket of the dial connects before its current one, which is then no longer needed. */
    dial: (connection: Dialing, overtaken: DialPorts['overtaken']): Socket =>
      beginDial(dialPorts(target, route, { ports, connection, overtaken })),
    /** Handles the failure of a socket that is not ready: returns its replacement, or the reason why the whole dial failed. */
    retry: (socket: Socket, error: Error): Socket | Error =>
      tunnel?.isOpening(socket) === false ? error : retryDial(socket, error, ports?.dialFailed(error) === true),
    /** Whether a socket that is not ready has reached only a proxy so far. */
    isAtProxy: tunnel?.isOpening ?? ((_: Socket) => mode.kind === 'forward'),
    /** Why the server of a ready socket is not trusted; `undefined` if it is. */
    distrust: (socket: Socket): string | undefined => distrust(socket, route, target.tls),
  };
}

type DialStart = {
  readonly ports: SourcePorts | undefined;
  readonly connection: Dialing;
  readonly overtaken: DialPorts['overtaken'];
};

function dialPorts(
  { addresses, seed, inFleet, tallyOf, budget }: DialTarget,
  { host, connect }: Route,
  { ports, connection, overtaken }: DialStart,
): DialPorts {
  const number = { seed, connection: inFleet(connection.number), dial: connection.dials++ };
  return {
    host,
    overtaken,
    ask: addresses.ask,
    connect: (goal) => {
      const socket = connect(goal, ports?.next());
      return ports === undefined ? socket : socket.once('connect', ports.dialConnected);
    },
    orderOf: (known) => {
      for (const address of known.addresses) tallyOf?.(address);
      return dialOrder(known, number);
    },
    tallyOf,
    budget,
  };
}

/** Why the server of a ready socket, or the proxy that requests are sent to, is not trusted; `undefined` if it is. */
function distrust(socket: Socket, { mode, host, serverHost }: Route, tls: TlsTrust): string | undefined {
  if (mode.kind === 'forward') return trustProblem(socket, host, tls) ?? unusableProtocol(socket);
  const problem = trustProblem(socket, serverHost, tls);
  if (problem !== undefined && mode.kind === 'direct') countFailedDial(socket);
  return problem;
}

function trustProblem(socket: Socket, host: string, { verify }: TlsTrust): string | undefined {
  return socket instanceof nodeTls.TLSSocket ? certificateProblem(socket, host, verify) : undefined;
}

/** One dialer per source address, created on demand. */
function perSource(
  sources: Sources,
  dialerFrom: (ports: SourcePorts | undefined) => Dialer,
): (connection: number) => Dialer {
  const dialers: Dialer[] = [];
  const count = Math.max(1, sources.addresses.length);
  return (connection) => {
    const index = connection % count;
    const known = dialers[index];
    if (known !== undefined) return known;
    const address = sources.addresses[index];
    const dialer = dialerFrom(address === undefined ? undefined : createSourcePorts(address, sources));
    dialers[index] = dialer;
    return dialer;
  };
}

function encryptionOf({ ca, verify }: TlsTrust, protocols: readonly string[]) {
  return {
    secureContext: nodeTls.createSecureContext({ ...OFFER, ...(ca !== undefined && { ca }) }),
    ...(verify && { ALPNProtocols: [...protocols] }),
    requestOCSP: true,
    // `distrust` judges the certificate, because a destroyed socket no longer has one.
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  };
}

/** The agent's client offers HTTP/2 to a forward proxy but cannot use it there, so a proxy that chooses it is useless. */
function unusableProtocol(socket: Socket): string | undefined {
  const speaksHttp2 = socket instanceof nodeTls.TLSSocket && socket.alpnProtocol === 'h2';
  return speaksHttp2
    ? 'the proxy chose HTTP/2, which agents offer but do not support for servers without TLS'
    : undefined;
}

// As in Go, an IP address and the final dot of a name are not sent (RFC 6066, section 3).
export function serverName(host: string): { servername: string } | Record<string, never> {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host.replace(/\.+$/, '') };
}
