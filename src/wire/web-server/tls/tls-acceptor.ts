import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { SecureContext, SecureContextOptions, Server, TLSSocket } from 'node:tls';
import { CBC_SUITES, GCM_SUITES, SIGNATURES, TLS_1_3_SUITES } from '../../../base/protocol/go.ts';
import type { TlsLevel } from '../../../base/protocol/pull.ts';
import type { Refusal } from '../../../base/protocol/refusals.ts';
import { nodeTls } from '../../../base/runtime/builtins.ts';
import { type Alert, alertRecord } from './alert-record.ts';
import { detectProtocol, offersTls13 } from './client-hello.ts';

/** One of these is called once, unless a client leaves without sending anything. */
export type HandshakeEnds = {
  /** The client was admitted; `stream` is the decrypted stream. */
  readonly admitted: (stream: Socket) => void;
  readonly refused: (reason: Refusal) => void;
  /** The connection ended, or was ended, during the handshake. */
  readonly brokenOff: () => void;
};

export type HandshakeLimits = {
  /** From accepting a socket to the end of its handshake. */
  readonly handshakeMs: number;
  /** Number of agents whose TLS state is cached, least recently used evicted first; up to 55 KB each. */
  readonly keptAgents: number;
};

export const HANDSHAKE_LIMITS: HandshakeLimits = { handshakeMs: 30_000, keptAgents: 2000 };

const ANSWER_TO_PLAIN_HTTP = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

type Handshake = {
  readonly socket: Socket;
  readonly accepted: (stream: Socket) => void;
  readonly refused: (reason: Refusal) => void;
};

type AgentTls = { readonly setup: TlsSetup; readonly servers: Map<Refuser, Server> };

/** Admits clients with the credentials that an agent in TLS mode requires (docs/reference/agent-web-server.md, "TLS levels"). */
export type TlsAcceptor = ReturnType<typeof createTlsAcceptor>;

export function createTlsAcceptor({ handshakeMs, keptAgents }: HandshakeLimits = HANDSHAKE_LIMITS) {
  const handshakes: Handshakes = new Map();
  const { serverOf, forget } = createAgentServers(keptAgents, handshakes);
  return {
    /** Accepts an unread socket. */
    accept: (socket: Socket, agent: number, setup: TlsSetup, ends: HandshakeEnds) => {
      let isOpen = true;
      const settle = (notify: () => void) => {
        if (isOpen) notify();
        isOpen = false;
      };
      const refused = (reason: Refusal) => settle(() => ends.refused(reason));
      const deadline = setTimeout(() => {
        refused('handshake_timeout');
        socket.destroy();
      }, handshakeMs);
      const accepted = (stream: Socket) => {
        clearTimeout(deadline);
        handshakes.delete(connectionOf(socket));
        // Inside TLS, a client may end its side and wait for answers.
        stream.allowHalfOpen = true;
        settle(() => ends.admitted(stream));
      };
      socket.on('error', () => {}).once('close', () => clearTimeout(deadline));
      detectProtocol(socket, (protocol, bytes) => {
        if (protocol === 'http') {
          refused('plain_http');
          socket.end(ANSWER_TO_PLAIN_HTTP).resume();
        } else if (protocol === 'other') {
          refused('not_tls');
          socket.destroy();
        } else {
          // Node reports the result after the close.
          socket.once('close', () => setImmediate(settle, ends.brokenOff));
          shakeHands(handshakes, { socket, accepted, refused }, serverOf(agent, setup, refuserFor(bytes)));
        }
      });
    },
    /** Drops the cached state of an agent. */
    forget,
  };
}

/** By connection. */
type Handshakes = Map<string, Handshake>;

function shakeHands(handshakes: Handshakes, handshake: Handshake, server: Server): void {
  const connection = connectionOf(handshake.socket);
  handshakes.set(connection, handshake);
  handshake.socket.once('close', () => {
    if (handshakes.get(connection) === handshake) handshakes.delete(connection);
  });
  // A client that ends its side during the handshake has left. The TLS stream inherits this setting from the socket.
  handshake.socket.allowHalfOpen = false;
  server.emit('connection', handshake.socket);
}

/** The TLS state of agents, of which the `keptAgents` used last are kept. */
function createAgentServers(keptAgents: number, handshakes: Handshakes) {
  const kept = new Map<number, AgentTls>();
  const forget = (agent: number): void => {
    for (const server of kept.get(agent)?.servers.values() ?? []) release(server);
    kept.delete(agent);
  };
  return {
    serverOf: (agent: number, setup: TlsSetup, refuser: Refuser): Server => {
      const known = kept.get(agent);
      const tls: AgentTls = known?.setup === setup ? known : { setup, servers: new Map() };
      // A Map keeps insertion order, so the first entry is the least recently used.
      if (tls === known) kept.delete(agent);
      else forget(agent);
      kept.set(agent, tls);
      const [oldest] = kept.keys();
      if (kept.size > keptAgents && oldest !== undefined) forget(oldest);
      const server = tls.servers.get(refuser) ?? followed(createAgentServer(setup, refuser), setup, handshakes);
      tls.servers.set(refuser, server);
      return server;
    },
    forget,
  };
}

/** Reports how the handshakes of a server end. */
function followed(server: Server, { clientCa }: TlsSetup, handshakes: Handshakes): Server {
  const refuse = refusalsOf(server);
  server.on('secureConnection', (stream) => {
    const handshake = handshakes.get(connectionOf(stream));
    if (handshake === undefined) stream.destroy();
    else if (clientCa !== undefined && !stream.authorized && !isForSigningOnly(stream, clientCa)) {
      handshake.refused(alertFor(stream));
      refuse(stream, handshake.socket);
    } else handshake.accepted(stream);
  });
  // A stream that Node has closed no longer reports its addresses.
  const begun = new WeakMap<TLSSocket, Handshake>();
  server.on('keylog', (_, stream) => {
    const handshake = handshakes.get(connectionOf(stream));
    if (handshake !== undefined && !begun.has(stream)) begun.set(stream, handshake);
  });
  server.on('tlsClientError', (error: NodeJS.ErrnoException, stream) => {
    const reason = refusalFor(error, stream);
    if (reason !== undefined) (begun.get(stream) ?? handshakes.get(connectionOf(stream)))?.refused(reason);
  });
  return server;
}

/** With TLS 1.2, only Node can refuse a client: it has an alert for a missing certificate, but none for a wrong one. */
function refuserFor(hello: Buffer): Refuser {
  return offersTls13(hello) ? 'listener' : 'node';
}

/** `undefined` if the client has left. */
function refusalFor({ code = '' }: NodeJS.ErrnoException, stream: TLSSocket): Refusal | undefined {
  if (code === 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE') return 'certificate_required';
  if (stream.authorizationError) return alertOf(stream.authorizationError);
  if (!code.startsWith('ERR_SSL_')) return undefined;
  return code.includes('_ALERT_') ? 'refused_by_client' : 'handshake_failed';
}

/**
 * Whether OpenSSL rejects the client's certificate only because its key is for signing certificates, as those of some
 * authorities are: Go checks only the extended key usage. OpenSSL reports this error instead of an unknown issuer,
 * which it finds earlier, but not instead of wrong dates, which it finds later.
 */
function isForSigningOnly(stream: TLSSocket, clientCa: string): boolean {
  const certificate = stream.getPeerX509Certificate();
  if (certificate === undefined || String(stream.authorizationError) !== 'INVALID_PURPOSE') return false;
  const authorities = clientCa.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  // Node's `keyUsage` is the extended key usage.
  return (
    certificate.keyUsage === undefined &&
    authorities.some((pem) => certificate.verify(new X509Certificate(pem).publicKey))
  );
}

/** Both addresses: common to the socket and its TLS stream, and unique among open connections. */
function connectionOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

/** TLS setup of an agent's web server; texts in PEM. */
export type TlsSetup = {
  /** Starts with the agent's own certificate. */
  readonly certificateChain: string;
  readonly key: string;
  /** If set, a client needs a certificate issued by this authority, or the authority's own. */
  readonly clientCa: string | undefined;
  readonly level: TlsLevel;
};

/** Which side refuses a client without a valid certificate: Node, or the listener of `secureConnection`. */
type Refuser = 'node' | 'listener';

/**
 * Creates TLS for sockets that are passed to it as `connection` events; never listens itself. Checks the dates in
 * client certificates, but not the names. Throws if OpenSSL rejects the setup. Costs 0.4 ms and up to 55 KB.
 */
function createAgentServer(setup: TlsSetup, refuser: Refuser): Server {
  const { certificateChain, key, clientCa, level } = setup;
  return nodeTls.createServer({
    ...LEVELS[level],
    cert: certificateChain,
    key,
    ALPNProtocols: ['http/1.1'],
    // An authority that the agent was given ends a chain even if it is not self-signed.
    ...(clientCa !== undefined && {
      ca: clientCa,
      requestCert: true,
      rejectUnauthorized: refuser === 'node',
      allowPartialTrustChain: true,
    }),
  });
}

/**
 * Frees OpenSSL's state for new connections; existing ones keep it. Node would free it when it collects the object, which appears
 * to be a thousand bytes in size. With 2,000 cached agents and many others used in turn, 330 MB were waiting to be freed.
 */
function release(server: Server): void {
  const { _sharedCreds: own } = server as Server & { readonly _sharedCreds?: SecureContext };
  own?.context.close?.();
}

/** Refuses a client after its handshake, on the socket below TLS. */
type RefuseClient = (stream: TLSSocket, socket: Socket) => void;

/** The real agent's alerts for Node's error codes; all others are `bad_certificate`. */
const ALERT_OF: { readonly [code: string]: Alert } = {
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'unknown_ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown_ca',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown_ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown_ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown_ca',
  CERT_SIGNATURE_FAILURE: 'unknown_ca',
};

/**
 * Sends the alert that the real agent sends with TLS 1.3. Node exports the secrets of a connection for analysis, which
 * suffice to encrypt one record. On its own, Node silently closes the connection of a client with a wrong or expired
 * certificate. Then curl, and therefore the monitoring server's log, reports `Empty reply from server` instead of
 * `alert unknown ca` or `alert certificate expired` (docs/reference/web-server.md, "Troubleshooting").
 */
function refusalsOf(server: Server): RefuseClient {
  const secrets = new WeakMap<TLSSocket, Buffer>();
  server.on('keylog', (line, stream) => {
    const [label, , secret = ''] = line.toString('latin1').trim().split(' ');
    if (label === 'SERVER_TRAFFIC_SECRET_0') secrets.set(stream, Buffer.from(secret, 'hex'));
  });
  return (stream, socket) => {
    const secret = secrets.get(stream);
    // The sequence number is 0, because Node reports the end of the handshake before it sends session tickets.
    const record = secret && alertRecord(alertFor(stream), { secret, suite: stream.getCipher().name, sequence: 0 });
    if (record === undefined) {
      stream.destroy();
      return;
    }
    // Reads until the client leaves: closing with unread bytes would discard the alert.
    stream
      .on('error', () => {})
      .on('end', () => stream.destroy())
      .resume();
    socket.end(record);
  };
}

/** The reason for refusing a client after its handshake. */
function alertFor(stream: TLSSocket): Alert {
  if (stream.getPeerX509Certificate() === undefined) return 'certificate_required';
  return alertOf(stream.authorizationError);
}

/** The problem with a client's certificate, from Node's error code. */
function alertOf(authorizationError: Error | null): Alert {
  return ALERT_OF[String(authorizationError)] ?? 'bad_certificate';
}

type LevelOptions = Required<Pick<SecureContextOptions, 'minVersion' | 'ciphers' | 'ecdhCurve' | 'sigalgs'>>;

const INTERMEDIATE: LevelOptions = {
  minVersion: 'TLSv1.2',
  ciphers: suites(GCM_SUITES),
  ecdhCurve: 'X25519:P-256:P-384',
  sigalgs: SIGNATURES.join(':'),
};

/** Versions, suites, curves and signatures of each level; the newest version is always TLS 1.3. */
export const LEVELS: { readonly [level in TlsLevel]: LevelOptions } = {
  lax: {
    ...INTERMEDIATE,
    ciphers: suites([...GCM_SUITES, ...CBC_SUITES]),
    ecdhCurve: `X25519MLKEM768:${INTERMEDIATE.ecdhCurve}:P-521`,
  },
  intermediate: INTERMEDIATE,
  // OpenSSL does not accept a security level alone; with this minimum version, the older suites have no effect.
  modern: { ...INTERMEDIATE, minVersion: 'TLSv1.3' },
};

/** Go accepts RSA keys of 1,024 bits, which OpenSSL's own level 2 rejects; level 1 rejects SHA-1, as Go does. */
function suites(older: readonly string[]): string {
  return [...TLS_1_3_SUITES, ...older, '@SECLEVEL=1'].join(':');
}
