import { type HeaderFields, trimBlanks } from './header-fields.ts';

/** What a client has to know of the head of an answer. */
export type AnswerHead = {
  readonly status: number;
  readonly body: BodyFraming;
  /** Whether the connection may carry another request. */
  readonly keepsAlive: boolean;
  readonly gzip: boolean;
  readonly location: string | undefined;
};

export type BodyFraming =
  | { readonly kind: 'length'; readonly sizeBytes: number }
  | { readonly kind: 'chunked' }
  /** Everything until the server closes. */
  | { readonly kind: 'rest' };

export type StatusLine = { readonly major: number; readonly minor: number; readonly status: number };

// Any one-digit version, any number of blanks, no need of a reason; `+20` is a number to Go.
const STATUS_LINE = /^HTTP\/(\d)\.(\d) +(\d{3}|\+\d\d)(?: |$)/;

/** Undefined if the line is no status line to Go's client. */
export function readStatusLine(line: string): StatusLine | undefined {
  const [, major, minor, status] = STATUS_LINE.exec(line) ?? [];
  return status === undefined ? undefined : { major: Number(major), minor: Number(minor), status: Number(status) };
}

const NO_BODY: BodyFraming = { kind: 'length', sizeBytes: 0 };
const CHUNKED: BodyFraming = { kind: 'chunked' };
const REST: BodyFraming = { kind: 'rest' };

/** The rules of Go's net/http for the answer to a request other than HEAD; undefined where it refuses the answer. */
export function answerHead(line: StatusLine, fields: HeaderFields): AnswerHead | undefined {
  const chunked = isChunked(line, fields);
  const lengthBytes = statedLength(fields.get('content-length'));
  if (chunked === undefined || lengthBytes === undefined) return undefined;
  if (chunked && hasForbiddenTrailer(fields)) return undefined;
  const { status } = line;
  const switches = status === 101 && isSwitch(fields);
  const body = switches ? REST : bodyOf(status, chunked, lengthBytes);
  return {
    status,
    body,
    // An answer below 200 that is no interim one ends the connection.
    keepsAlive: status > 199 && body.kind !== 'rest' && !wantsClose(line, fields),
    gzip: fields.get('content-encoding')?.[0]?.toLowerCase() === 'gzip',
    location: locationOf(fields.get('location')?.[0]),
  };
}

function bodyOf(status: number, chunked: boolean, lengthBytes: number | 'none'): BodyFraming {
  if ((status >= 100 && status <= 199) || status === 204 || status === 304) return NO_BODY;
  if (chunked) return CHUNKED;
  return lengthBytes === 'none' ? REST : { kind: 'length', sizeBytes: lengthBytes };
}

/** Undefined if the transfer encoding is one that is refused: anything but a single `chunked`. */
function isChunked({ major, minor }: StatusLine, fields: HeaderFields): boolean | undefined {
  const codings = fields.get('transfer-encoding');
  // HTTP/1.0 knows none; version 0.0 is taken for 1.1.
  const mayBeChunked = major > 1 || (major === 1 && minor >= 1) || (major === 0 && minor === 0);
  if (codings === undefined || !mayBeChunked) return false;
  return codings.length === 1 && codings[0]?.toLowerCase() === 'chunked' ? true : undefined;
}

/** Undefined if the stated lengths contradict each other or are none. */
function statedLength(values: readonly string[] | undefined): number | 'none' | undefined {
  const [first, ...others] = values ?? [];
  if (first === undefined) return 'none';
  const length = trimBlanks(first);
  if (others.some((other) => trimBlanks(other) !== length)) return undefined;
  // Go takes 63 bits; what is longer than an answer may be is refused a moment later.
  return /^0*\d{1,18}$/.test(length) ? Number(length) : undefined;
}

function hasForbiddenTrailer(fields: HeaderFields): boolean {
  return ['transfer-encoding', 'trailer', 'content-length'].some((name) => hasToken(fields.get('trailer'), name));
}

function isSwitch(fields: HeaderFields): boolean {
  return (fields.get('upgrade')?.[0] ?? '') !== '' && hasToken(fields.get('connection'), 'upgrade');
}

function wantsClose({ major, minor }: StatusLine, fields: HeaderFields): boolean {
  if (major < 1) return true;
  const connection = fields.get('connection');
  if (hasToken(connection, 'close')) return true;
  return major === 1 && minor === 0 && !hasToken(connection, 'keep-alive');
}

function hasToken(values: readonly string[] | undefined, token: string): boolean {
  return values?.some((value) => value.split(',').some((part) => trimBlanks(part).toLowerCase() === token)) ?? false;
}

/** Lines are read byte by byte; a URL is in UTF-8. */
function locationOf(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : Buffer.from(value, 'latin1').toString('utf8');
}
