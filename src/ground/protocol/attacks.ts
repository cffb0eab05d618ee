import type { DialectName } from './push.ts';

/**
 * How an attack ended:
 * - `accepted`: all awaited answers were successes.
 * - `refused`: an answer had another status.
 * - `closed`: the server closed the connection without an answer.
 * - `unanswered`: neither happened while the agent stayed.
 * - `failed`: no connection could be opened, or what arrived was not an answer.
 * - `skipped`: the attack never started, because `ATTACK_BOUNDS` left no room for it.
 */
export type AttackEnding =
  | { readonly kind: 'accepted' | 'refused'; readonly status: number }
  | { readonly kind: 'closed' | 'unanswered' | 'failed' | 'skipped' };

/** In ascending severity: an attack has the worst ending of its connections and answers. */
export const ATTACK_ENDINGS = ['accepted', 'refused', 'closed', 'unanswered', 'failed', 'skipped'] as const;

/** Limits for the attacks from one machine, divided among its workers. */
export const ATTACK_BOUNDS = {
  /** Sockets of all attacks in progress. */
  sockets: 1000,
  perSecond: 100,
  /** Bytes of attacks started per second. */
  bytesPerSecond: 64 << 20,
  /** Time limit for an attack, after which it is aborted. */
  longestMs: 120_000,
} as const;

/** Connections of one `hoarded-connections` attack. */
export const HOARDED_CONNECTIONS = 50;

/** Sockets and body bytes that an attack costs its machine and the embedded server. */
export function attackSize(how: AttackName): { readonly sockets: number; readonly bytes: number } {
  switch (how) {
    case 'hoarded-connections':
      return { sockets: HOARDED_CONNECTIONS, bytes: 0 };
    case 'double-registration':
      return { sockets: 2, bytes: 0 };
    case 'size-below-limit':
    case 'size-at-limit':
    case 'size-above-limit':
      return { sockets: 1, bytes: SERVER_LIMITS.bodyBytes };
    case 'document-above-limit':
      return { sockets: 1, bytes: SERVER_LIMITS.documentBytes };
    case 'gzip-bomb':
      return { sockets: 1, bytes: ATTACK_BOUNDS.bytesPerSecond };
    default:
      return { sockets: 1, bytes: 0 };
  }
}

/** Limits of a default installation (released server). */
export const SERVER_LIMITS = {
  /** For a body: larger documents exhaust the memory of PHP. */
  bodyBytes: 50 << 20,
  /** For the announced length of a body: nginx's `client_max_body_size`. */
  announcedBytes: 256 << 20,
  /** For check data: the size of the database column. */
  documentBytes: 16_777_215,
  /** For a head: nginx uses four buffers of 8 KB, and each line must fit into one. */
  headBytes: 32 << 10,
} as const;

/** The embedded server's answer: a status, or how the attack ends without one. */
export type AttackAnswer = number | 'closed' | 'unanswered';

/** An attack. docs/how-to/hostile-agents.md contains the same table. */
export type Attack = {
  /** What is sent instead of a push of check data. */
  readonly does: string;
  readonly goodServer: string;
  readonly source: string;
  /** One answer, or one per dialect. */
  readonly embedded: AttackAnswer | Readonly<Record<DialectName, AttackAnswer>>;
};

const SILENT = 'released server';
const DEFAULTS = 'released server';
const SUBMITS = 'released server';
const REGISTERS = 'released server';

export const ATTACKS = {
  'slow-head': {
    does: 'A request head, one byte per second.',
    goodServer: 'Closes at its timeout for request heads, with 408 or without an answer.',
    source: 'RFC 9110, 15.5.9; nginx, `client_header_timeout` (60 s)',
    embedded: 408,
  },
  'slow-body': {
    does: 'A complete head, then a body of one byte per second.',
    goodServer:
      'Closes at its timeout for whole requests. A timeout between two reads, as in nginx, never ends this attack.',
    source: 'RFC 9110, 15.5.9; nginx, `client_body_timeout` (60 s between two reads)',
    embedded: 408,
  },
  'short-body': {
    does: 'A body that ends 100 bytes before the announced length; then the sending side of the connection is closed.',
    goodServer: 'Accepts no part of it: answers 400, or closes.',
    source: 'RFC 9112, 8',
    embedded: 400,
  },
  'long-body': {
    does: 'A body with 100 bytes more than the announced length.',
    goodServer:
      'Reads the announced length, which is truncated JSON: 400. It never reads the rest as part of the body.',
    source: 'RFC 9112, 6.3; released server',
    embedded: 400,
  },
  'dropped-body': {
    does: 'Half a body, then a reset of the connection.',
    goodServer: 'Stores nothing and frees the resources of the request. No client is left to answer.',
    source: 'RFC 9112, 8',
    embedded: 'unanswered',
  },
  'unread-answer': {
    does: 'The same push every second, over a connection from which nothing is ever read.',
    goodServer: 'Buffers a bounded number of answers, and closes when the client reads none of them.',
    source: 'nginx, `send_timeout` (60 s between two writes)',
    embedded: 'unanswered',
  },
  'half-handshake': {
    does: 'The first half of a ClientHello, then nothing. To a server without TLS, this is no HTTP request.',
    goodServer: 'Closes at its timeout for handshakes. Without TLS: answers 400, or closes.',
    source: 'RFC 8446, 4.1.2; nginx, `client_header_timeout` (60 s), which covers the handshake',
    embedded: 400,
  },
  'hoarded-connections': {
    does: 'Fifty connections without any traffic.',
    goodServer: 'Closes them at its timeout for request heads, and has room for other clients until then.',
    source: 'nginx, `client_header_timeout` (60 s), `worker_connections` (768)',
    embedded: 408,
  },
  'same-twice': {
    does: 'One push twice, byte for byte, over one connection.',
    goodServer: 'Answers both alike: it stores the last state, and the client may have missed the first answer.',
    source: SUBMITS,
    embedded: 200,
  },
  'stale-data': {
    does: 'Check data from an hour ago.',
    goodServer: 'Accepts them. It judges freshness by the time of arrival.',
    source: SUBMITS,
    embedded: 200,
  },
  'out-of-order': {
    does: 'Current check data, then those from ten minutes ago.',
    goodServer: 'Accepts both, in the order of arrival.',
    source: SUBMITS,
    embedded: 200,
  },
  'size-below-limit': {
    does: 'A body of 50 MB minus one byte, with spaces after the document.',
    goodServer: 'Accepts it.',
    source: DEFAULTS,
    embedded: 200,
  },
  'size-at-limit': {
    does: 'A body of exactly 50 MB, with spaces after the document.',
    goodServer: 'Accepts it.',
    source: DEFAULTS,
    embedded: 200,
  },
  'size-above-limit': {
    does: 'A body of 50 MB plus one byte, with spaces after the document.',
    goodServer:
      'Rejects it with 413. The shipped server accepts up to 256 MB, but fails with 500 if a document takes that much.',
    source: 'RFC 9110, 15.5.14; released server',
    embedded: 413,
  },
  'announced-above-limit': {
    does: 'A head that announces 256 MB plus one byte, and no body.',
    goodServer: 'Rejects it after the head, with 413.',
    source: 'RFC 9110, 15.5.14; nginx, `client_max_body_size`',
    embedded: 413,
  },
  'document-above-limit': {
    does: 'Check data one byte larger than the database column that stores them (16,777,215 bytes).',
    goodServer:
      'Rejects them with 413, or accepts them completely. The shipped server accepts them, and stores a part.',
    source: SUBMITS,
    embedded: 200,
  },
  gzip: {
    does: 'A push compressed with gzip, with `Content-Encoding: gzip`. Real agents never compress.',
    goodServer: 'Does not decompress a coding that it never offered: 415, or 400 because the bytes are no JSON.',
    source: 'RFC 9110, 15.5.16; released server',
    embedded: 400,
  },
  'gzip-bomb': {
    does: 'The same with a document that contains 64 MB of spaces: 64 KB over the wire.',
    goodServer: 'The same. A server that decompresses stops at its body limit, with 413.',
    source: 'RFC 9110, 15.5.16; CWE-409',
    embedded: 400,
  },
  'broken-json': {
    does: 'A document without its last brace.',
    goodServer: 'Rejects it with 400.',
    source: SILENT,
    embedded: 400,
  },
  'invalid-utf8': {
    does: 'A document with the bytes C3 28 in a string.',
    goodServer: 'Rejects it with 400.',
    source: 'RFC 8259, 8.1; released server',
    embedded: 400,
  },
  'deep-nesting': {
    does: 'Check data inside 10,000 nested arrays.',
    goodServer: 'Rejects them with 400 before its stack overflows. The shipped server reads 512 levels.',
    source: 'RFC 8259, 9; PHP, `json_decode`',
    embedded: 400,
  },
  'duplicate-keys': {
    does: 'A document with two passwords: first a wrong one, then its own.',
    goodServer: 'Rejects it, or uses the last one, consistently in all its parts.',
    source: 'RFC 8259, 4; released server',
    embedded: 200,
  },
  'huge-numbers': {
    does: 'Check data with integers beyond 2^53 and 2^64.',
    goodServer: 'Accepts them, because counters of Windows hosts are that large. It changes none of the numbers.',
    source: 'RFC 8259, 6; released server',
    embedded: 200,
  },
  'wrong-types': {
    does: 'An array as uuid, an object as password, and a number as check data.',
    goodServer: 'Rejects them with 400, and never compares an array with a string. The shipped server fails with 500.',
    source: SUBMITS,
    embedded: { documented: 400, shipped: 500 },
  },
  'missing-fields': {
    does: 'A document with neither uuid nor password.',
    goodServer: 'Rejects it with 400.',
    source: SUBMITS,
    embedded: 400,
  },
  'null-fields': {
    does: 'A document whose uuid and password are null.',
    goodServer: 'Rejects it with 400.',
    source: SUBMITS,
    embedded: 400,
  },
  'overlong-uuid': {
    does: 'A first registration with a uuid of 300 characters.',
    goodServer: 'Rejects it with 400, and stores no part of it.',
    source: REGISTERS,
    embedded: 400,
  },
  'wrong-content-type': {
    does: 'A push as `text/plain`.',
    goodServer: 'Does not read it as JSON: 415, or 400 because all members are missing.',
    source: SILENT,
    embedded: 400,
  },
  'huge-head': {
    does: 'A request head of 64 KB.',
    goodServer: 'Rejects it with 431, or with 400 as nginx does.',
    source: 'RFC 6585, 5; nginx, `large_client_header_buffers` (4 of 8 KB)',
    embedded: 431,
  },
  pipelining: {
    does: 'Five pushes in one write, without waiting for an answer.',
    goodServer: 'Answers all of them, in order.',
    source: 'RFC 9112, 9.3.2',
    embedded: 200,
  },
  'expect-continue': {
    does: 'A head with `Expect: 100-continue`; the body follows after any answer.',
    goodServer: 'Sends 100 before the body arrives, then accepts it.',
    source: 'RFC 9110, 10.1.1',
    embedded: 200,
  },
  'double-registration': {
    does: 'Two simultaneous first registrations of one new uuid, over two connections.',
    goodServer: 'Registers one of them, and rejects the other with 403 or 400.',
    source: REGISTERS,
    embedded: 403,
  },
} as const satisfies Readonly<Record<string, Attack>>;

/** As in scenarios: `how: broken-json`. */
export type AttackName = keyof typeof ATTACKS;

export const ATTACK_NAMES = Object.keys(ATTACKS) as readonly AttackName[];
