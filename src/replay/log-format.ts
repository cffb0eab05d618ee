import { UserError } from '../base/kernel/errors.ts';
import { quoted } from '../base/notation/finding.ts';
import { ENDPOINT_PATHS } from '../base/protocol/push.ts';
import { type LoggedTime, readTime } from './log-time.ts';

/** What a line says of a request. One object is used for all lines. */
export type LoggedRequest = LoggedTime & {
  /** Whether the time is that of the first byte of the request, as in Apache; else the request ended then. */
  isStart: boolean;
  /** An index of `ENDPOINTS`, if an agent's request; else -1. */
  endpoint: number;
  /** Status of the answer; 0: unknown. */
  status: number;
  /** Microseconds from the first byte of the request to the end of the answer; -1: unknown. */
  durationUs: number;
  /** Bytes of the request; 0: unknown. */
  sizeBytes: number;
  /** Where the address of the agent is, if a request of one. */
  client: { bytes: Buffer; from: number; to: number };
};

/** Parses lines. */
export type LogFormat = {
  /** Parses the line in the bytes between two places. Returns whether it was understood. */
  readonly read: (bytes: Buffer, from: number, to: number, request: LoggedRequest) => boolean;
  /** Where a line that is not understood ends to be one, and what was expected there. */
  readonly explain: (bytes: Buffer, from: number, to: number) => string;
};

export function emptyRequest(): LoggedRequest {
  return {
    atUs: 0,
    isWholeSecond: false,
    zoneMinutes: undefined,
    isStart: false,
    endpoint: -1,
    status: 0,
    durationUs: -1,
    sizeBytes: 0,
    client: { bytes: Buffer.alloc(0), from: 0, to: 0 },
  };
}

/** What a part of a line means. Durations are in this many microseconds. */
type Field =
  | { readonly kind: 'client' | 'forwarded' | 'time' | 'start' | 'request' | 'method' | 'target' | 'status' | 'size' }
  | { readonly kind: 'duration'; readonly toUs: number };

const SECONDS: Field = { kind: 'duration', toUs: 1e6 };

/** Fields by their variable in nginx's `log_format`; of several with the same meaning, the first counts. */
const NGINX = new Map<string, Field>([
  ['http_x_forwarded_for', { kind: 'forwarded' }],
  ['remote_addr', { kind: 'client' }],
  ['msec', { kind: 'time' }],
  ['time_iso8601', { kind: 'time' }],
  ['time_local', { kind: 'time' }],
  ['request', { kind: 'request' }],
  ['request_method', { kind: 'method' }],
  ['request_uri', { kind: 'target' }],
  ['uri', { kind: 'target' }],
  ['status', { kind: 'status' }],
  ['request_time', SECONDS],
  ['upstream_response_time', SECONDS],
  ['request_length', { kind: 'size' }],
  ['content_length', { kind: 'size' }],
  ['http_content_length', { kind: 'size' }],
]);

/** Fields by their directive in Apache's `LogFormat`, likewise. */
const APACHE = new Map<string, Field>([
  ['{x-forwarded-for}i', { kind: 'forwarded' }],
  ['a', { kind: 'client' }],
  ['h', { kind: 'client' }],
  ['{usec}t', { kind: 'start' }],
  ['{msec}t', { kind: 'start' }],
  ['{sec}t', { kind: 'start' }],
  ['t', { kind: 'start' }],
  ['r', { kind: 'request' }],
  ['m', { kind: 'method' }],
  ['U', { kind: 'target' }],
  ['s', { kind: 'status' }],
  ['D', { kind: 'duration', toUs: 1 }],
  ['{us}T', { kind: 'duration', toUs: 1 }],
  ['{ms}T', { kind: 'duration', toUs: 1e3 }],
  ['T', SECONDS],
  ['I', { kind: 'size' }],
]);

/** A field with its name in the format, and what stands between it and the next one. */
type Token = {
  readonly name: string;
  readonly field: Field | undefined;
  readonly after: Buffer;
};

/** A token with what is compared for each byte. */
type Step = Token & {
  readonly first: number;
  readonly length: number;
  /** The line may end here. */
  readonly isLast: boolean;
};

type Pattern = { readonly lead: Buffer; readonly tokens: readonly Token[] };

const NGINX_VARIABLE = /\$\{?(\w+)\}?/g;
const APACHE_DIRECTIVE = /%[<>!\d,]*((?:\{[^}]*\})?[A-Za-z])/g;
const DIRECTIVE = /^\s*(?:log_format|LogFormat)\b/;
const QUOTED = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g;

/**
 * The format that a text describes in the notation of nginx's `log_format` or of Apache's `LogFormat`: only the format, or the whole
 * directive as in the server's configuration.
 * @param more the continuation of the format, at any place of which a line may end
 * @throws UserError if the format lacks something that a replay needs, or is ambiguous
 */
export function compileFormat(text: string, more = ''): LogFormat {
  const strings = DIRECTIVE.test(text) ? [...text.matchAll(QUOTED)] : [];
  const format = strings.length === 0 ? text : strings.map(([, single, double]) => single ?? double).join('');
  const isNginx = format.includes('$');
  const patternIn = (whole: string): Pattern =>
    isNginx
      ? patternOf(whole, NGINX_VARIABLE, NGINX)
      : // Apache writes the brackets around the time itself.
        patternOf(whole.replaceAll('%t', '[%t]').replaceAll('[[%t]]', '[%t]'), APACHE_DIRECTIVE, APACHE);
  const pattern = patternIn(format);
  const kinds = new Set(pattern.tokens.map(({ field }) => field?.kind));
  const missing = NEEDED.find((needed) => !needed.kinds.some((kind) => kinds.has(kind)));
  if (missing !== undefined)
    throw new UserError(
      `--format: expected a format with ${isNginx ? missing.nginx : missing.apache}, found ${quoted(text)}; copy it from the configuration of the server that wrote the log.`,
    );
  const vague = pattern.tokens.slice(0, -1).find(({ after }) => after.length === 0);
  if (vague !== undefined)
    throw new UserError(
      `--format: expected a separator after ${vague.name}, found none, so that its end is unknown; log a space there.`,
    );
  return compile(patternIn(format + more), pattern.tokens.length);
}

const NEEDED: readonly { readonly kinds: readonly Field['kind'][]; readonly nginx: string; readonly apache: string }[] =
  [
    { kinds: ['time', 'start'], nginx: '$time_local, $time_iso8601 or $msec', apache: '%t' },
    { kinds: ['client', 'forwarded'], nginx: '$remote_addr', apache: '%h' },
    { kinds: ['request', 'target'], nginx: '$request or $request_uri', apache: '%r or %U' },
  ];

function patternOf(format: string, variable: RegExp, fields: ReadonlyMap<string, Field>): Pattern {
  const found = [...format.matchAll(variable)];
  const names = found.map(([, name = '']) => (name.endsWith('}i') ? name.toLowerCase() : name));
  // Of several fields with the same meaning, the best one.
  const best = new Map<Field['kind'], string>();
  for (const [name, { kind }] of fields) if (names.includes(name) && !best.has(kind)) best.set(kind, name);
  const tokens = found.map(([whole], index): Token => {
    const from = (found[index]?.index ?? 0) + whole.length;
    const name = names[index] ?? '';
    const field = fields.get(name);
    const isBest = field !== undefined && best.get(field.kind) === name;
    const after = literal(format.slice(from, found[index + 1]?.index));
    return { name: whole, field: isBest ? field : undefined, after };
  });
  const whole = joined(tokens);
  // What stands after the last field with a meaning is not read.
  const end = whole.findLastIndex(({ field }) => field !== undefined) + 1;
  return { lead: literal(format.slice(0, found[0]?.index)), tokens: whole.slice(0, end) };
}

/** Variables that nothing separates are read as one if at most a target has a meaning, which is found within other text: Apache's `%U%q`. */
function joined(tokens: readonly Token[]): readonly Token[] {
  const whole: Token[] = [];
  for (const token of tokens) {
    const before = whole.at(-1);
    const fields = [before?.field, token.field].filter((field) => field !== undefined);
    const isOne = before?.after.length === 0 && fields.length < 2 && fields.every(({ kind }) => kind === 'target');
    if (isOne) whole.splice(-1, 1, { ...token, name: before.name + token.name, field: fields[0] });
    else whole.push(token);
  }
  return whole;
}

function literal(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\\(.)/g, '$1'));
}

/** The parts of a line that are read when the whole line is known to be one. */
const parts = { clientFrom: 0, clientTo: 0, forwardedFrom: 0, forwardedTo: 0, isPost: true };
/** The token that did not match, and where. */
const failure = { name: '', at: 0 };

function reset(request: LoggedRequest): void {
  request.endpoint = -1;
  request.status = 0;
  request.durationUs = -1;
  request.sizeBytes = 0;
  parts.forwardedTo = 0;
  parts.clientTo = 0;
  parts.isPost = true;
}

/** @param required from this number on, tokens may be missing at the end of a line */
function compile({ lead, tokens }: Pattern, required: number): LogFormat {
  const steps = tokens.map((token, index): Step => {
    const { length, 0: first = -1 } = token.after;
    return { ...token, first, length, isLast: index === required - 1 };
  });
  /** Where the first token begins; -1 if the line begins otherwise. */
  const begin = (bytes: Buffer, from: number): number => {
    for (let place = 0; place < lead.length; place++) if (bytes[from + place] !== lead[place]) return -1;
    return from + lead.length;
  };
  const read: LogFormat['read'] = (bytes, from, to, request) => {
    reset(request);
    let at = begin(bytes, from);
    if (at < 0) return missed('the beginning of a line', from);
    for (let index = 0; index < steps.length; index++) {
      const step = steps[index] as Step;
      const end = placeOf(step, bytes, at, to);
      const isRead = end >= 0 && (step.field === undefined || take(step.field, bytes, at, end, request));
      if (!isRead) return index >= required ? conclude(bytes, request) : missed(step.name, at);
      at = end + step.length;
    }
    return conclude(bytes, request);
  };
  return explainable(read);
}

/** A format whose lines fail where `missed` was called last. */
export function explainable(read: LogFormat['read']): LogFormat {
  return {
    read,
    explain: (bytes, from, to) => {
      read(bytes, from, to, emptyRequest());
      return `column ${failure.at - from + 1}: expected ${failure.name}`;
    },
  };
}

export function missed(name: string, at: number): false {
  failure.name = name;
  failure.at = at;
  return false;
}

const [QUOTE, BACKSLASH, SPACE, QUESTION, HASH, SLASH, COMMA, DASH, COLON, DOT, BRACKET] = [
  34, 92, 32, 63, 35, 47, 44, 45, 58, 46, 91,
];

/** Where the literal after a token begins; -1: nowhere. In quotes, Apache and JSON escape quotes with a backslash. */
function placeOf(step: Step, bytes: Buffer, from: number, to: number): number {
  const { first, length } = step;
  if (length === 0) return to;
  const last = to - length;
  for (let place = from; place <= last; place++)
    if (bytes[place] === first && isThere(step, bytes, from, place)) return place;
  return step.isLast ? to : -1;
}

/** Whether the literal after a token is at a place where its first byte is. */
function isThere({ after, first }: Step, bytes: Buffer, from: number, place: number): boolean {
  for (let index = 1; index < after.length; index++) if (bytes[place + index] !== after[index]) return false;
  if (first === SPACE) return !isInList(bytes, place);
  return first !== QUOTE || !isEscaped(bytes, from, place);
}

/** Whether a space is part of `0.001, 0.002 : 0.003`, as nginx writes values of several upstream servers. */
function isInList(bytes: Buffer, place: number): boolean {
  const before = bytes[place - 1];
  if (before === COLON) return bytes[place - 2] === SPACE;
  return before === COMMA || (bytes[place + 1] === COLON && bytes[place + 2] === SPACE);
}

function isEscaped(bytes: Buffer, from: number, place: number): boolean {
  let before = place - 1;
  while (before >= from && bytes[before] === BACKSLASH) before--;
  return (place - 1 - before) % 2 === 1;
}

/** Reads the field between two places. Returns whether it is one. */
function take(field: Field, bytes: Buffer, from: number, to: number, request: LoggedRequest): boolean {
  switch (field.kind) {
    case 'client':
      parts.clientFrom = from;
      parts.clientTo = to;
      // Before a port, the end of an IPv6 address is unknown.
      if (bytes[to] === COLON && !bytes.subarray(from, to).includes(DOT)) return false;
      for (let place = from; place < to; place++) if (bytes[place] === SPACE) return false;
      return !isUnknown(bytes, from, to);
    case 'forwarded':
      takeForwarded(bytes, from, to);
      return true;
    case 'time':
    case 'start':
      request.isStart = field.kind === 'start';
      return readTime(bytes, from, to, request);
    case 'request':
      if (!isPost(bytes, from, to) || bytes[from + 4] !== SPACE) return true;
      request.endpoint = endpointOf(bytes, from + 5, to);
      return true;
    case 'method':
      parts.isPost = isPost(bytes, from, to);
      return true;
    case 'target':
      request.endpoint = endpointOf(bytes, from, to);
      return true;
    case 'status':
      request.status = Math.max(0, readNumber(bytes, from, to));
      // nginx writes 000 for a request without an answer.
      return isUnknown(bytes, from, to) || (to - from === 3 && readNumber(bytes, from, to) >= 0);
    case 'duration':
      request.durationUs = readDurations(bytes, from, to, field.toUs);
      return !Number.isNaN(request.durationUs);
    case 'size':
      request.sizeBytes = Math.max(0, readNumber(bytes, from, to));
      return !Number.isNaN(request.sizeBytes);
  }
}

function isPost(bytes: Buffer, from: number, to: number): boolean {
  return to - from >= 4 && bytes.readUInt32BE(from) === 0x50_4f_53_54;
}

const LAST_LETTER = -'t.json'.length;
const ENDS = Object.values(ENDPOINT_PATHS).map((path) => Buffer.from(path));
const LETTERS = ENDS.map((path) => path.at(LAST_LETTER));

/** The endpoint of a request target, after any prefix; -1: another one. */
function endpointOf(bytes: Buffer, from: number, to: number): number {
  let end = from;
  while (end < to && bytes[end] !== SPACE && bytes[end] !== QUESTION && bytes[end] !== HASH) end++;
  // The last letter before `.json` tells them apart.
  const letter = bytes[end + LAST_LETTER];
  const index = letter === LETTERS[0] ? 0 : letter === LETTERS[1] ? 1 : letter === LETTERS[2] ? 2 : -1;
  if (index < 0) return -1;
  const path = ENDS[index] as Buffer;
  const start = end - path.length;
  if (start < from || bytes[start] !== SLASH) return -1;
  let same = path.length - 1;
  while (same > 1 && bytes[start + same] === path[same]) same--;
  // The server also takes `/Agentconnector/`.
  return same === 1 && ((bytes[start + 1] as number) | 0x20) === path[1] ? index : -1;
}

/** A dash or nothing. */
function isUnknown(bytes: Buffer, from: number, to: number): boolean {
  return from === to || (to === from + 1 && bytes[from] === DASH);
}

/** A number with or without decimals; -1 if unknown, NaN for other bytes. */
function readNumber(bytes: Buffer, from: number, to: number): number {
  if (isUnknown(bytes, from, to)) return -1;
  let value = 0;
  let decimals = 0;
  for (let place = from; place < to; place++) {
    const digit = (bytes[place] as number) - 48;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      decimals *= 10;
    } else if (bytes[place] === DOT && decimals === 0 && place > from && place + 1 < to) decimals = 1;
    else return Number.NaN;
  }
  return decimals === 0 ? value : value / decimals;
}

/** The sum of times such as `0.120`, or `0.001, 0.120 : -` of several servers that nginx asked, in microseconds. */
function readDurations(bytes: Buffer, from: number, to: number, toUs: number): number {
  let sum = -1;
  for (let at = from; at <= to; ) {
    let end = at;
    while (end < to && bytes[end] !== COMMA && bytes[end] !== SPACE) end++;
    const isColon = end === at + 1 && bytes[at] === COLON;
    const value = isColon ? -1 : readNumber(bytes, at, end);
    if (Number.isNaN(value)) return Number.NaN;
    if (value >= 0) sum = Math.max(0, sum) + Math.round(value * toUs);
    at = end + 1;
  }
  return sum;
}

/** Remembers the first address that proxies passed on, without a port. */
function takeForwarded(bytes: Buffer, from: number, to: number): void {
  const start = bytes[from] === BRACKET ? from + 1 : from;
  parts.forwardedFrom = start;
  parts.forwardedTo = start + addressLength(bytes, start, to);
}

const IPV4 = '(?:\\d{1,3}\\.){3}\\d{1,3}';
const IPV6 = `[\\da-f:]*::[\\da-f:]*(?:${IPV4})?|(?:[\\da-f]{1,4}:){7}[\\da-f]{1,4}`;
const ADDRESS = new RegExp(`^(?:${IPV4}(?=[,: ]|$)|(?:${IPV6})(?=[,\\] ]|$))`, 'i');

/** How long the IP address that begins at a place is; 0: there is none. */
export function addressLength(bytes: Buffer, from: number, to: number): number {
  return ADDRESS.exec(bytes.toString('latin1', from, to))?.[0].length ?? 0;
}

function conclude(bytes: Buffer, request: LoggedRequest): true {
  const { client } = request;
  const { isPost, forwardedFrom, forwardedTo, clientFrom, clientTo } = parts;
  const isForwarded = forwardedTo > forwardedFrom;
  if (!isPost) request.endpoint = -1;
  client.bytes = bytes;
  client.from = isForwarded ? forwardedFrom : clientFrom;
  client.to = isForwarded ? forwardedTo : clientTo;
  return true;
}
