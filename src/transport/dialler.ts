import { constants } from 'node:crypto';
import { connect as connectTcp, type OnReadOpts, type Socket } from 'node:net';
import { type AgentProxy, type Way, wayTo } from '../agent/proxy.ts';
import { type Address, addressOf } from '../kernel/address.ts';
import { nodeTls } from '../runtime/builtins.ts';
import type { Tally } from './address-tallies.ts';
import { certificateProblem } from './certificates.ts';
import { beginDial, countFailedDial, type DialGoal, goOn, tallyOf } from './dial.ts';
import { dialOrder } from './dial-order.ts';
import type { DialRoom } from './outlasting-dials.ts';
import { createSourcePorts, type Source, type SourcePorts, type Sources } from './source-addresses.ts';
import type { TargetAddresses } from './target-addresses.ts';
import { createTunnel, type Opened } from './tunnel.ts';

/** How TLS servers are judged; `ca`, certificates in PEM, replaces the system's roots. */
export type TlsTrust = { readonly verify: boolean; readonly ca: string | undefined };

/** Dials the target, or the proxy on the way to it, from one address of this machine. */
export type Dialler = {
  /** The event of a socket that is ready for a request. */
  readonly readyEvent: 'connect' | 'secureConnect';
  /** Whether a proxy has to open the way first: then `opened` of the socket options reports the ready socket. */
  readonly isTunnelled: boolean;
  /** `overtaken`: another socket of the dial has connected before its present one, which is not needed any more. */
  dial(whose: Dialling, overtaken: (loser: Socket, winner: Socket) => void): Socket;
  /** The dial of a socket that is not ready has failed: what goes on in its place, or why the whole dial has failed. */
  goOn(socket: Socket, error: Error): Socket | Error;
  /** Counts for the address of the socket; undefined: not counted. */
  readonly tallyOf: (socket: Socket) => Tally | undefined;
  /** The request of a socket that is not ready was given up. */
  readonly countFailed: (socket: Socket) => void;
  /** Whether a socket that is not ready has come no farther than a proxy. */
  isAtProxy(socket: Socket): boolean;
  /** Why the server behind a socket that is ready is not to be trusted; undefined: it is. */
  distrust(socket: Socket): string | undefined;
};

/** A connection, by its number in the shard, and how many dials it has begun. */
type Dialling = { readonly number: number; dials: number };

/** How a shard dials, whatever for. */
export type DialSettings = {
  readonly tls: TlsTrust;
  readonly sources: Sources;
  /** From it, and the number of one of the shard's connections in the whole run, the order of addresses is drawn. */
  readonly seed: number;
  readonly inFleet: (connection: number) => number;
};

type DialTarget = DialSettings & {
  readonly base: URL;
  /** The host of `base` as it is written, without brackets, as for a proxy. */
  readonly name: string;
  /** On the way to it; undefined: none. */
  readonly proxy: AgentProxy | undefined;
  /** Of the proxy, if there is one. */
  readonly addresses: TargetAddresses;
  /** Undefined: not counted, as for a proxy. */
  readonly tallyOf?: ((address: string) => Tally) | undefined;
  readonly room: DialRoom;
  /** What ALPN names where certificates are verified. */
  readonly protocols: readonly string[];
};

/** How sockets give what they read, and how much of a write makes them tell that it is flushed; left out: as Node has it. */
type SocketOptions = {
  readonly onread?: OnReadOpts;
  readonly highWaterMark?: number;
  /** Hears of the way through a proxy; left out where there is none. */
  readonly opened?: Opened;
};

// The agent's client asks an idle peer for a sign of life this often.
const PROBE_MS = 15_000;

/**
 * What the agent's client offers: suites of TLS 1.3 and 1.2, groups with a share of the key for the first two, and signatures,
 * each in its order (docs/reference/wire.md, "TLS of the push client"). OpenSSL would leave out SHA-1 and refuse RSA keys of
 * 1,024 bits at any level but 0.
 */
const OFFER = {
  minVersion: 'TLSv1.2',
  ciphers: [
    ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
    ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
    ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
    ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
    ...['ECDHE-ECDSA-AES128-SHA', 'ECDHE-RSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA', 'ECDHE-RSA-AES256-SHA'],
    '@SECLEVEL=0',
  ].join(':'),
  ecdhCurve: '*X25519MLKEM768:*X25519:P-256:P-384:P-521',
  sigalgs: [
    ...['rsa_pss_rsae_sha256', 'ecdsa_secp256r1_sha256', 'ed25519', 'rsa_pss_rsae_sha384', 'rsa_pss_rsae_sha512'],
    ...['rsa_pkcs1_sha256', 'rsa_pkcs1_sha384', 'rsa_pkcs1_sha512', 'ecdsa_secp384r1_sha384', 'ecdsa_secp521r1_sha512'],
    ...['rsa_pkcs1_sha1', 'ecdsa_sha1'],
  ].join(':'),
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_ENCRYPT_THEN_MAC,
  // For Go, any trusted certificate ends a chain.
  allowPartialTrustChain: true,
} as const;

/** Whether requests go over TLS, be it that of the target or of a proxy that they are sent to. */
export function isEncrypted({ protocol }: URL, way: Way): boolean {
  return way.kind === 'forward' ? way.proxy.isSecure : protocol === 'https:';
}

/**
 * Dials like the agent's Go client: no TLS session resumption, TCP_NODELAY and keep-alive probes, no time limit
 * of its own (the engine's deadline covers dialling), no ALPN where certificates are not verified. All connections share
 * one TLS context, and what the resolver said last. Returns the dialler of a connection, by its number in the shard.
 */
export function createDiallers(
  { base, name, tls, proxy, addresses, sources, seed, inFleet, tallyOf: tallyOfAddress, room, protocols }: DialTarget,
  { opened, ...socketOptions }: SocketOptions,
): (connection: number) => Dialler {
  const way = wayTo(base, proxy);
  const overTls = isEncrypted(base, way);
  const server = addressOf(base);
  const { host, port }: Address = way.kind === 'direct' ? server : way.proxy;
  // One address is tried at a time: which, and for how long, is the dial's to say.
  const options = { port, autoSelectFamily: false, ...(way.kind !== 'tunnel' && socketOptions) };
  const dialsTls = way.kind === 'tunnel' ? way.proxy.isSecure : overTls;
  const encryption = (dialsTls || overTls) && {
    secureContext: nodeTls.createSecureContext({ ...OFFER, ...(tls.ca !== undefined && { ca: tls.ca }) }),
    ...(tls.verify && { ALPNProtocols: [...protocols] }),
    requestOCSP: true,
    // Judged in `distrust`: a destroyed socket no longer has its certificate.
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  };
  const tlsOptions = dialsTls && { ...options, ...serverName(host), ...encryption };
  const judge = (socket: Socket, of: string): string | undefined =>
    socket instanceof nodeTls.TLSSocket ? certificateProblem(socket, { host: of, verify: tls.verify }) : undefined;
  const tunnel =
    way.kind === 'tunnel'
      ? createTunnel(way.proxy, {
          opened: opened ?? (() => {}),
          server: { host: name, port: server.port },
          distrust: (socket) => judge(socket, host),
          through: (socket) =>
            overTls ? nodeTls.connect({ socket, ...serverName(server.host), ...encryption, ...socketOptions }) : socket,
        })
      : undefined;
  const connect = (destination: DialGoal, source?: Source): Socket => {
    const to = { ...destination, ...source };
    const socket = tlsOptions ? nodeTls.connect({ ...tlsOptions, ...to }) : connectTcp({ ...options, ...to });
    tunnel?.dialed(socket);
    socket.setNoDelay(true);
    return socket.setKeepAlive(true, PROBE_MS, PROBE_MS);
  };
  const connectFrom = (ports: SourcePorts) => (destination: DialGoal) =>
    connect(destination, ports.next()).once('connect', ports.found);
  const diallerFrom = (ports: SourcePorts | undefined): Dialler => ({
    readyEvent: overTls ? 'secureConnect' : 'connect',
    isTunnelled: tunnel !== undefined,
    dial: (whose, overtaken) => {
      const number = { seed, connection: inFleet(whose.number), dial: whose.dials++ };
      return beginDial({
        ...{ host, overtaken, ask: addresses.ask, connect: ports === undefined ? connect : connectFrom(ports) },
        orderOf: (known) => {
          for (const address of known) tallyOfAddress?.(address);
          return dialOrder(known, number);
        },
        ...{ tallyOf: tallyOfAddress, room },
      });
    },
    goOn: (socket, error) =>
      tunnel?.isOpening(socket) === false ? error : goOn(socket, error, ports?.isTaken(error) === true),
    tallyOf: tallyOfAddress === undefined ? () => undefined : tallyOf,
    countFailed: tallyOfAddress === undefined ? () => {} : countFailedDial,
    isAtProxy: tunnel?.isOpening ?? (() => way.kind === 'forward'),
    distrust: (socket) => {
      if (way.kind === 'forward') return judge(socket, host) ?? strangeProtocol(socket);
      const problem = judge(socket, server.host);
      if (problem !== undefined && way.kind === 'direct') countFailedDial(socket);
      return problem;
    },
  });
  // One per source address, created on demand.
  const diallers: Dialler[] = [];
  const count = Math.max(1, sources.addresses.length);
  return (connection) => {
    const index = connection % count;
    const known = diallers[index];
    if (known !== undefined) return known;
    const address = sources.addresses[index];
    const dialler = diallerFrom(address === undefined ? undefined : createSourcePorts(address, sources));
    diallers[index] = dialler;
    return dialler;
  };
}

/** A proxy that chooses HTTP/2 is of no use to the agent's client: it offers it, and cannot speak it there. */
function strangeProtocol(socket: Socket): string | undefined {
  const speaksHttp2 = socket instanceof nodeTls.TLSSocket && socket.alpnProtocol === 'h2';
  return speaksHttp2
    ? 'the proxy chose HTTP/2, which agents offer but do not support for servers without TLS'
    : undefined;
}

// An IP address must not be sent as a server name (RFC 6066, section 3).
export function serverName(host: string): { servername: string } | Record<string, never> {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}
