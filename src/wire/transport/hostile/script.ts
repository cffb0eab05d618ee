import { gzipSync } from 'node:zlib';
import { type Attacker, type AttackName, HOARDED_CONNECTIONS, SERVER_LIMITS } from '../../../base/protocol/attacks.ts';
import { quote } from '../../../base/protocol/go.ts';
import type { Endpoint } from '../../../base/protocol/push.ts';
import { compileHeads } from '../../agent/request.ts';

export type AttackStep =
  | { readonly kind: 'send'; readonly pieces: readonly Buffer[] }
  /** Sends one byte at a time. */
  | { readonly kind: 'trickle'; readonly bytes: Buffer }
  /** Sends the same bytes at intervals, as long as the server accepts them. */
  | { readonly kind: 'repeat'; readonly bytes: Buffer }
  /** Waits for this many answers, or for any byte of one. */
  | { readonly kind: 'await'; readonly answers: number | 'a beginning' }
  /** Ends the sending side. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'reset' };

/** The connections of an attack, which start at the same time, and their steps. */
export type Script = {
  readonly connections: readonly (readonly AttackStep[])[];
  /** Number of successful answers that each connection waits for; any other answer ends it immediately. */
  readonly answers: number;
  /** Whether it speaks plain TCP, regardless of the base URL. */
  readonly raw: boolean;
  /** Whether it never reads. */
  readonly deaf: boolean;
  /** Maximum number of bytes sent; repeated bytes count once. */
  readonly sizeBytes: number;
};

/** The target of healthy requests. */
export type HostileTarget = { readonly baseUrl: string; readonly apiKey: string; readonly userAgent: string };

const PIPELINED_REQUESTS = 5;
const LENGTH_ERROR_BYTES = 100;
const NESTING = 10_000;
const LONG_UUID_CHARACTERS = 300;
const LARGE_HEAD_BYTES = 64 << 10;
const BOMB_MEBIBYTES = 64;
const STALE_MS = 3_600_000;
const OVERTAKEN_MS = 600_000;

const BLANKS = Buffer.alloc(1 << 20, ' ');
const CHECKDATA_START = '{"checkdata":{';

/** What each attack sends instead of a push. */
const SCRIPTS: Readonly<Record<AttackName, (request: Requests) => Script>> = {
  'slow-head': ({ head, healthy }) => one({ kind: 'trickle', bytes: head(healthy().length) }),
  'slow-body': ({ head, healthy }) => one(send(head(healthy().length)), { kind: 'trickle', bytes: healthy() }),
  'short-body': ({ head, healthy }) =>
    one(send(head(healthy().length + LENGTH_ERROR_BYTES), healthy()), { kind: 'finish' }),
  'long-body': ({ head, healthy }) => one(send(head(Math.max(0, healthy().length - LENGTH_ERROR_BYTES)), healthy())),
  'dropped-body': ({ head, healthy }) =>
    one(send(head(healthy().length), healthy().subarray(0, healthy().length / 2)), { kind: 'reset' }),
  'unread-answer': ({ push, healthy }) => ({
    ...one({ kind: 'repeat', bytes: Buffer.concat(push(healthy())) }),
    deaf: true,
  }),
  'half-handshake': () => ({ ...one(send(CLIENT_HELLO.subarray(0, CLIENT_HELLO.length / 2))), raw: true }),
  'hoarded-connections': () => script(Array.from({ length: HOARDED_CONNECTIONS }, () => [])),
  'same-twice': ({ push, healthy }) => afterAnother(push(healthy()), push(healthy())),
  'stale-data': ({ push, checkdata }) => one(send(...push(checkdata(STALE_MS)))),
  'out-of-order': ({ push, healthy, checkdata }) => afterAnother(push(healthy()), push(checkdata(OVERTAKEN_MS))),
  'size-below-limit': ({ push, healthy }) =>
    one(send(...push(healthy(), blanks(SERVER_LIMITS.bodyBytes - 1 - healthy().length)))),
  'size-at-limit': ({ push, healthy }) =>
    one(send(...push(healthy(), blanks(SERVER_LIMITS.bodyBytes - healthy().length)))),
  'size-above-limit': ({ push, healthy }) =>
    one(send(...push(healthy(), blanks(SERVER_LIMITS.bodyBytes + 1 - healthy().length)))),
  'announced-above-limit': ({ head }) => one(send(head(SERVER_LIMITS.announcedBytes + 1))),
  'document-above-limit': ({ largeDocument }) => one(send(...largeDocument(SERVER_LIMITS.documentBytes + 1))),
  gzip: ({ healthy, packed }) => one(send(...packed([gzipSync(healthy())]))),
  'gzip-bomb': ({ healthy, packed }) =>
    one(send(...packed([...Array<Buffer>(BOMB_MEBIBYTES).fill(packedBlanks()), gzipSync(healthy())]))),
  'broken-json': ({ push, healthy }) => one(send(...push(healthy().subarray(0, -1)))),
  'invalid-utf8': ({ push, inDocument }) =>
    one(send(...push(inDocument(Buffer.from([...Buffer.from('"name":"'), 0xc3, 0x28, ...Buffer.from('",')]))))),
  'deep-nesting': ({ push, envelope }) => one(send(...push(envelope(`${'['.repeat(NESTING)}${']'.repeat(NESTING)}`)))),
  'duplicate-keys': ({ push, healthy }) =>
    one(send(...push(Buffer.concat([Buffer.from('{"password":"wrong",'), healthy().subarray(1)])))),
  'huge-numbers': ({ push, inDocument }) =>
    one(send(...push(inDocument(Buffer.from('"counters":[9007199254740993,18446744073709551617],'))))),
  'wrong-types': ({ push }) => one(send(...push(Buffer.from('{"checkdata":1,"agentuuid":[],"password":{}}')))),
  'missing-fields': ({ push }) => one(send(...push(Buffer.from('{"checkdata":{}}')))),
  'null-fields': ({ push }) => one(send(...push(Buffer.from('{"checkdata":{},"agentuuid":null,"password":null}')))),
  'overlong-uuid': ({ registration, strangeUuid }) =>
    one(send(...registration(strangeUuid.padEnd(LONG_UUID_CHARACTERS, '0')))),
  'wrong-content-type': ({ head, healthy }) =>
    one(send(edited(head(healthy().length), 'application/json', 'text/plain'), healthy())),
  'huge-head': ({ head, healthy }) =>
    one(send(withField(head(healthy().length), `X-Padding: ${'x'.repeat(LARGE_HEAD_BYTES)}`), healthy())),
  pipelining: ({ push, healthy }) => ({
    ...one(send(...Array.from({ length: PIPELINED_REQUESTS }, () => push(healthy())).flat())),
    answers: PIPELINED_REQUESTS,
  }),
  'expect-continue': ({ head, healthy }) =>
    one(
      send(withField(head(healthy().length), 'Expect: 100-continue')),
      { kind: 'await', answers: 'a beginning' },
      send(healthy()),
    ),
  'double-registration': ({ registration, strangeUuid }) =>
    script([1, 2].map(() => [send(...registration(strangeUuid))])),
};

/** Returns what the attack sends instead of a push of this agent. Equal input gives equal bytes. */
export function scriptOf(how: AttackName, agent: Attacker, target: HostileTarget): Script {
  return SCRIPTS[how]({ ...agent, ...writerFor(agent, target) });
}

type Requests = Attacker & ReturnType<typeof writerFor>;

/** Renders an agent's requests, healthy or nearly so. */
function writerFor(agent: Attacker, { baseUrl, apiKey, userAgent }: HostileTarget) {
  const heads = compileHeads(baseUrl, { apiKey, userAgent });
  let rendered: Buffer | undefined;
  const healthy = (): Buffer => {
    rendered ??= agent.checkdata(0);
    return rendered;
  };
  const headOf = (endpoint: Endpoint, lengthBytes: number): Buffer =>
    Buffer.concat([heads[endpoint].beforeLength, Buffer.from(String(lengthBytes)), heads[endpoint].afterLength]);
  const head = (lengthBytes: number) => headOf('submit_checkdata', lengthBytes);
  const push = (...pieces: readonly (Buffer | readonly Buffer[])[]): readonly Buffer[] => {
    const body = pieces.flat();
    return [head(lengthOf(body)), ...body];
  };
  const tail = `,"agentuuid":${quote(agent.uuid)},"password":${quote(agent.password)}}`;
  return {
    healthy,
    head,
    push,
    /** The healthy body with additional members at the start of its document. */
    inDocument: (members: Buffer): Buffer =>
      Buffer.concat([Buffer.from(CHECKDATA_START), members, healthy().subarray(CHECKDATA_START.length)]),
    envelope: (checkdata: string): Buffer => Buffer.from(`{"checkdata":${checkdata}${tail}`),
    largeDocument: (sizeBytes: number): readonly Buffer[] => {
      const documentBytes = healthy().length - (CHECKDATA_START.length - 1) - Buffer.byteLength(tail);
      const rest = healthy().subarray(CHECKDATA_START.length);
      return push(Buffer.from(CHECKDATA_START), blanks(sizeBytes - documentBytes), rest);
    },
    packed: (body: readonly Buffer[]): readonly Buffer[] => [
      withField(head(lengthOf(body)), 'Content-Encoding: gzip'),
      ...body,
    ],
    registration: (uuid: string): readonly Buffer[] => {
      const body = Buffer.from(JSON.stringify({ agentuuid: uuid, password: '', hostname: 'hostile', ipaddress: '' }));
      return [headOf('register_agent', body.length), body];
    },
  };
}

function script(connections: readonly (readonly AttackStep[])[]): Script {
  const sizeBytes = connections.flat().reduce((sum, step) => sum + stepBytes(step), 0);
  return { connections, answers: 1, raw: false, deaf: false, sizeBytes };
}

function one(...steps: readonly AttackStep[]): Script {
  return script([steps]);
}

function afterAnother(first: readonly Buffer[], second: readonly Buffer[]): Script {
  return { ...one(send(...first), { kind: 'await', answers: 1 }, send(...second)), answers: 2 };
}

function send(...pieces: readonly Buffer[]): AttackStep {
  return { kind: 'send', pieces };
}

function stepBytes(step: AttackStep): number {
  if (step.kind === 'send') return lengthOf(step.pieces);
  return step.kind === 'trickle' || step.kind === 'repeat' ? step.bytes.length : 0;
}

function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** `sizeBytes` of spaces, in chunks that share the same memory. */
function blanks(sizeBytes: number): readonly Buffer[] {
  const whole = Array<Buffer>(Math.floor(Math.max(0, sizeBytes) / BLANKS.length)).fill(BLANKS);
  return [...whole, BLANKS.subarray(0, Math.max(0, sizeBytes) % BLANKS.length)];
}

let packedMebibyte: Buffer | undefined;

/** A gzip member with one mebibyte of spaces; consecutive members decompress as one. */
function packedBlanks(): Buffer {
  packedMebibyte ??= gzipSync(BLANKS);
  return packedMebibyte;
}

function withField(head: Buffer, field: string): Buffer {
  return Buffer.concat([head.subarray(0, -2), Buffer.from(`${field}\r\n\r\n`)]);
}

function edited(head: Buffer, from: string, to: string): Buffer {
  return Buffer.from(head.toString('latin1').replace(from, to), 'latin1');
}

/** A ClientHello for TLS 1.2 (RFC 8446, 4.1.2): version, 32 random bytes, no session, one suite, no compression, no extensions. */
const CLIENT_HELLO = Buffer.concat([
  Buffer.from([0x16, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3]),
  Buffer.alloc(32, 'hostile'),
  Buffer.from([0, 0, 2, 0xc0, 0x2f, 1, 0]),
]);
