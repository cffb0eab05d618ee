import { UserError } from '../base/kernel/errors.ts';
import { quoted } from '../base/notation/finding.ts';
import { type LogField, readLogField } from './log-fields.ts';
import { completeRequest, emptyRequest, failAt, type LoggedRequest, resetRequest } from './logged-request.ts';

export type LogFormat = {
  /** Parses the line in the bytes between two offsets. Returns whether it was understood. */
  readonly read: (bytes: Buffer, from: number, to: number, request: LoggedRequest) => boolean;
  /** Where a line that is not understood ends to be one, and what was expected there. */
  readonly explain: (bytes: Buffer, from: number, to: number) => string;
};

const SECONDS: LogField = { kind: 'duration', toUs: 1e6 };

/** Fields by their variable in nginx's `log_format`; of several with the same meaning, the first counts. */
const NGINX = new Map<string, LogField>([
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
const APACHE = new Map<string, LogField>([
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
  readonly field: LogField | undefined;
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
 * @param more the continuation of the format, anywhere in which a line may end
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

const NEEDED: readonly {
  readonly kinds: readonly LogField['kind'][];
  readonly nginx: string;
  readonly apache: string;
}[] = [
  { kinds: ['time', 'start'], nginx: '$time_local, $time_iso8601 or $msec', apache: '%t' },
  { kinds: ['client', 'forwarded'], nginx: '$remote_addr', apache: '%h' },
  { kinds: ['request', 'target'], nginx: '$request or $request_uri', apache: '%r or %U' },
];

function patternOf(format: string, variable: RegExp, fields: ReadonlyMap<string, LogField>): Pattern {
  const found = [...format.matchAll(variable)];
  const names = found.map(([, name = '']) => (name.endsWith('}i') ? name.toLowerCase() : name));
  // Of several fields with the same meaning, the best one.
  const best = new Map<LogField['kind'], string>();
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

/** @param required from this number on, tokens may be missing at the end of a line */
function compile({ lead, tokens }: Pattern, required: number): LogFormat {
  const steps = tokens.map((token, index): Step => {
    const { length, 0: first = -1 } = token.after;
    return { ...token, first, length, isLast: index === required - 1 };
  });
  return explainable((bytes, from, to, request) => {
    resetRequest(request);
    if (!startsWith(bytes, from, lead)) return failAt(request, 'the beginning of a line', from);
    let at = from + lead.length;
    for (let index = 0; index < steps.length; index++) {
      const step = steps[index] as Step;
      const end = endOfField(step, bytes, at, to);
      const isRead = end >= 0 && (step.field === undefined || readLogField(step.field, bytes, at, end, request));
      if (!isRead) return index >= required ? completeRequest(bytes, request) : failAt(request, step.name, at);
      at = end + step.length;
    }
    return completeRequest(bytes, request);
  });
}

function startsWith(bytes: Buffer, from: number, lead: Buffer): boolean {
  for (let index = 0; index < lead.length; index++) if (bytes[from + index] !== lead[index]) return false;
  return true;
}

/** A format whose lines fail where `failAt` was called last. */
export function explainable(read: LogFormat['read']): LogFormat {
  return {
    read,
    explain: (bytes, from, to) => {
      const request = emptyRequest();
      read(bytes, from, to, request);
      return `column ${request.failure.offset - from + 1}: expected ${request.failure.name}`;
    },
  };
}

const [SPACE, QUOTE, COMMA, COLON, BACKSLASH] = [32, 34, 44, 58, 92];

/** Where the literal after a token begins; -1: nowhere. In quotes, Apache and JSON escape quotes with a backslash. */
function endOfField(step: Step, bytes: Buffer, from: number, to: number): number {
  const { first, length } = step;
  if (length === 0) return to;
  const last = to - length;
  for (let offset = from; offset <= last; offset++)
    if (bytes[offset] === first && isLiteralAt(step, bytes, from, offset)) return offset;
  return step.isLast ? to : -1;
}

/** Whether the literal after a token is at an offset where its first byte is. */
function isLiteralAt({ after, first }: Step, bytes: Buffer, from: number, offset: number): boolean {
  for (let index = 1; index < after.length; index++) if (bytes[offset + index] !== after[index]) return false;
  if (first === SPACE) return !isInList(bytes, offset);
  return first !== QUOTE || !isEscaped(bytes, from, offset);
}

/** Whether a space is part of `0.001, 0.002 : 0.003`, as nginx writes values of several upstream servers. */
function isInList(bytes: Buffer, offset: number): boolean {
  const before = bytes[offset - 1];
  if (before === COLON) return bytes[offset - 2] === SPACE;
  return before === COMMA || (bytes[offset + 1] === COLON && bytes[offset + 2] === SPACE);
}

function isEscaped(bytes: Buffer, from: number, offset: number): boolean {
  let before = offset - 1;
  while (before >= from && bytes[before] === BACKSLASH) before--;
  return (offset - 1 - before) % 2 === 1;
}
