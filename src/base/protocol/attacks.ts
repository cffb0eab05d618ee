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
  sockets: 1000,
  perSecond: 100,
  /** Bytes of attacks started per second. */
  bytesPerSecond: 64 << 20,
  /** Time limit for an attack, after which it is aborted. */
  longestMs: 120_000,
} as const;

export const HOARDED_CONNECTIONS = 50;

/** Sockets and body bytes that an attack costs its machine and the embedded server. */
export function attackSize(how: AttackName): { readonly sockets: number; readonly bytes: number } {
  return { sockets: 1, bytes: 0, ...LARGE_ATTACKS[how] };
}

/** Limits of a default installation (released server). */
export const SERVER_LIMITS = {
  /** For a body: larger documents exhaust the memory of PHP. */
  bodyBytes: 50 << 20,
  /** For the announced length of a body: nginx's `client_max_body_size`. */
  announcedBytes: 256 << 20,
  /** For check data: the size of the database column. */
  documentBytes: 16_777_215,
} as const;

/** Those that take more than one socket, or have a body. */
const LARGE_ATTACKS: Partial<Record<AttackName, Partial<ReturnType<typeof attackSize>>>> = {
  'hoarded-connections': { sockets: HOARDED_CONNECTIONS },
  'double-registration': { sockets: 2 },
  'size-below-limit': { bytes: SERVER_LIMITS.bodyBytes },
  'size-at-limit': { bytes: SERVER_LIMITS.bodyBytes },
  'size-above-limit': { bytes: SERVER_LIMITS.bodyBytes },
  'document-above-limit': { bytes: SERVER_LIMITS.documentBytes },
  'gzip-bomb': { bytes: ATTACK_BOUNDS.bytesPerSecond },
};

/** As in scenarios: `how: broken-json`. docs/how-to/hostile-agents.md says what each sends and what a good server does. */
export const ATTACK_NAMES = [
  'slow-head',
  'slow-body',
  'short-body',
  'long-body',
  'dropped-body',
  'unread-answer',
  'half-handshake',
  'hoarded-connections',
  'same-twice',
  'stale-data',
  'out-of-order',
  'size-below-limit',
  'size-at-limit',
  'size-above-limit',
  'announced-above-limit',
  'document-above-limit',
  'gzip',
  'gzip-bomb',
  'broken-json',
  'invalid-utf8',
  'deep-nesting',
  'duplicate-keys',
  'huge-numbers',
  'wrong-types',
  'missing-fields',
  'null-fields',
  'overlong-uuid',
  'wrong-content-type',
  'huge-head',
  'pipelining',
  'expect-continue',
  'double-registration',
] as const;

export type AttackName = (typeof ATTACK_NAMES)[number];

/** An agent that misbehaves, and what it would otherwise send. */
export type Attacker = {
  /** Its number in the shard, so that it keeps its source address. */
  readonly agent: number;
  readonly uuid: string;
  readonly password: string;
  readonly strangeUuid: string;
  /** The body of a push of check data from `ageMs` ago. */
  readonly checkdata: (ageMs: number) => Buffer;
};
