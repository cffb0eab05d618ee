import { nodeHttp } from '../../base/runtime/builtins.ts';

/** An answer of the agent's web server, without the fields that depend on the connection. */
export type Answer = {
  readonly status: number;
  /** Its own header fields: alternating names and values, in the order of the wire. */
  readonly fields: readonly string[];
  readonly body: Buffer | string;
  readonly closes: boolean;
  /** Whether the agent reloads after delivering it. */
  readonly reloads: boolean;
};

const PLAIN = { closes: false, reloads: false };

export function jsonText(body: Buffer | string): Answer {
  return { ...PLAIN, status: 200, fields: ['Content-Type', 'application/json'], body };
}

/** Text from elsewhere, without a character set. */
export function plainText(body: string): Answer {
  return { ...PLAIN, status: 200, fields: ['Content-Type', 'text/plain'], body };
}

export function bodiless(status: number, fields: readonly string[] = []): Answer {
  return { ...PLAIN, status, fields, body: '' };
}

function errorAnswer(status: number, text: string): Answer {
  const fields = ['Content-Type', 'text/plain; charset=utf-8', 'X-Content-Type-Options', 'nosniff'];
  return { ...PLAIN, status, fields, body: `${text}\n` };
}

export const FORBIDDEN = errorAnswer(403, 'Forbidden');
export const WEB_PAGE_REFUSED = errorAnswer(
  403,
  'This simulated agent rejects requests from web pages: it expects no Origin, and an address or localhost in Host. With webServer.trustWebPages it ignores both, like a real agent.',
);
export const NOT_FOUND = errorAnswer(404, '404 page not found');
export const WRONG_METHOD = bodiless(405);
export const SERVER_OPTIONS = bodiless(200, ['Content-Length', '0']);
export const EXPECTATION_FAILED: Answer = { ...bodiless(417, ['Connection', 'close']), closes: true };
export const UPDATE_DISABLED = errorAnswer(403, 'config update is disabled');
export const INVALID_CONFIGURATION = errorAnswer(500, 'invalid json or base64 string');
export const INTERNAL_ERROR = errorAnswer(500, 'internal server error');
export const UNREADABLE_BODY: Answer = { ...errorAnswer(500, 'could not read body'), closes: true };
export const STORED: Answer = { ...bodiless(200), reloads: true };

/** Properties of the request and its connection that affect the answer's head. */
export type Framing = {
  /** Whether the client speaks HTTP/1.0. */
  readonly isOld: boolean;
  readonly isHead: boolean;
  readonly keepsAlive: boolean;
};

/** Largest body that the agent's HTTP library buffers to compute its length. */
const MAX_COUNTED_BYTES = 2048;

export function isCounted(bodyBytes: number): boolean {
  return bodyBytes <= MAX_COUNTED_BYTES;
}

/** All header fields in the order of the wire: the answer's own, then date, length, connection and encoding. */
export function headFields({ fields, body }: Answer, { isOld, isHead, keepsAlive }: Framing): string[] {
  const bodyBytes = Buffer.byteLength(body);
  const all = [...fields, 'Date', httpDate()];
  const counts = isCounted(bodyBytes) && !(isHead && bodyBytes === 0);
  if (counts && !fields.includes('Content-Length')) all.push('Content-Length', String(bodyBytes));
  if (!isOld && !keepsAlive && !fields.includes('Connection')) all.push('Connection', 'close');
  if (isOld && keepsAlive && counts) all.push('Connection', 'keep-alive');
  if (!isOld && !isHead && !isCounted(bodyBytes)) all.push('Transfer-Encoding', 'chunked');
  return all;
}

export function wholeAnswer(answer: Answer, framing: Framing): Buffer {
  const fields = headFields(answer, framing);
  let head = `HTTP/1.${framing.isOld ? 0 : 1} ${answer.status} ${nodeHttp.STATUS_CODES[answer.status]}\r\n`;
  for (let i = 0; i < fields.length; i += 2) head += `${fields[i]}: ${fields[i + 1]}\r\n`;
  const body = framing.isHead ? Buffer.of() : bytesOf(answer.body);
  const isChunked = fields.at(-1) === 'chunked';
  const before = isChunked ? `${head}\r\n${body.length.toString(16)}\r\n` : `${head}\r\n`;
  return Buffer.concat([Buffer.from(before), body, Buffer.from(isChunked ? '\r\n0\r\n\r\n' : '')]);
}

let second = 0;
let date = '';

/** Cached for a second: with thousands of small answers per second, formatting would be a tenth of the work. */
function httpDate(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    date = new Date(now * 1000).toUTCString();
  }
  return date;
}

function bytesOf(body: Buffer | string): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : body;
}
