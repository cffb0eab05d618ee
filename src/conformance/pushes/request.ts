import type { Duplex } from 'node:stream';
import { jsonIn, membersIn } from '../../base/protocol/exact-json.ts';
import { ENDPOINT_PATHS, ENDPOINTS, type Endpoint } from '../../base/protocol/push.ts';

/** What TLS agreed on with the agent, and what the agent offered. */
export type TlsInfo = {
  readonly protocol: string;
  readonly offeredAlpn: readonly string[];
  readonly hasCertificate: boolean;
  readonly isResumed: boolean;
};

/** A request that an agent sent, as it arrived. */
export type ReceivedPush = {
  readonly method: string;
  readonly target: string;
  /** `HTTP/1.1`. */
  readonly version: string;
  /** In the order and letter case of the wire. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly head: string;
  readonly body: Buffer;
  readonly isChunked: boolean;
  /** `undefined` for requests to other paths. */
  readonly endpoint: Endpoint | undefined;
  /** Members of the body; none if it is not a JSON object. */
  readonly members: { readonly [name: string]: unknown };
  /** Connections are numbered as they open. */
  readonly connection: number;
  readonly tls: TlsInfo | undefined;
  /** When the whole request had arrived. */
  readonly arrivedMs: number;
  /** Another request had no answer yet. */
  readonly overlaps: boolean;
};

export type RequestEvents = {
  /** The head of a request has arrived; its body may not have. */
  readonly head: () => void;
  /** Resolves when the next request may be read. */
  readonly whole: (request: Omit<ReceivedPush, 'connection' | 'tls' | 'arrivedMs' | 'overlaps'>) => Promise<void>;
  /** What follows cannot be read. */
  readonly unreadable: (reason: string) => void;
};

/** `POST /…`, for messages. */
export function requestLine(request: ReceivedPush | undefined): string {
  return request === undefined ? 'nothing' : `${request.method} ${request.target}`;
}

const MAX_HEAD_BYTES = 64 * 1024;
/** More than the largest document that a monitoring server stores. */
export const MAX_BODY_BYTES = 20 * 1024 * 1024;

type Head = Pick<ReceivedPush, 'method' | 'target' | 'version' | 'fields' | 'head' | 'isChunked'> & {
  readonly bodyBytes: number;
};

/** Reads requests from a connection, one after another. Holds at most one head and one body. */
export function readRequests(stream: Duplex, { head: hasHead, whole, unreadable }: RequestEvents): void {
  let pieces: Buffer[] = [];
  let heldBytes = 0;
  let head: Head | undefined;
  let isBusy = false;
  const keep = (bytes: Buffer): void => {
    pieces = bytes.length > 0 ? [bytes] : [];
    heldBytes = bytes.length;
  };
  const giveUp = (reason: string): void => {
    keep(Buffer.alloc(0));
    stream.off('data', add);
    stream.resume();
    unreadable(reason);
  };
  const takeHead = (bytes: Buffer): void => {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0 && heldBytes <= MAX_HEAD_BYTES) return;
    head = end < 0 ? undefined : headOf(bytes.toString('latin1', 0, end));
    if (head === undefined) {
      giveUp(end < 0 ? 'a head larger than 64 KiB' : 'a head that is not HTTP/1');
      return;
    }
    keep(bytes.subarray(end + 4));
    hasHead();
    read();
  };
  const takeBody = (bytes: Buffer, { bodyBytes, ...rest }: Head): void => {
    const found = rest.isChunked ? chunkedBody(bytes) : { body: bytes.subarray(0, bodyBytes), end: bodyBytes };
    if (found === 'invalid') giveUp('a body with invalid chunks');
    if (typeof found === 'string') return;
    head = undefined;
    keep(bytes.subarray(found.end));
    isBusy = true;
    void whole({ ...rest, body: found.body, ...contentOfBody(rest.target, found.body) }).then(() => {
      isBusy = false;
      if (!stream.destroyed) read();
    });
  };
  const read = (): void => {
    if (isBusy || heldBytes < (head?.isChunked === false ? head.bodyBytes : 1)) return;
    const bytes = Buffer.concat(pieces, heldBytes);
    keep(bytes);
    if (head === undefined) takeHead(bytes);
    else takeBody(bytes, head);
  };
  const add = (chunk: Buffer): void => {
    pieces.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes > MAX_BODY_BYTES) giveUp('more than 20 MiB');
    else read();
  };
  stream.on('data', add);
}

export function contentOfBody(target: string, body: Buffer): Pick<ReceivedPush, 'endpoint' | 'members'> {
  const path = target.replace(/\?.*/s, '');
  return {
    endpoint: ENDPOINTS.find((one) => path.endsWith(ENDPOINT_PATHS[one])),
    members: membersIn(jsonIn(body.toString('utf8'))),
  };
}

function headOf(text: string): Head | undefined {
  const [line = '', ...lines] = text.split('\r\n');
  const [method, target, version, ...more] = line.split(' ');
  if (method === undefined || target === undefined || !version?.startsWith('HTTP/1.') || more.length > 0)
    return undefined;
  const fields = lines.map((one): readonly [string, string] => {
    const colon = one.indexOf(':');
    return [one.slice(0, Math.max(colon, 0)), one.slice(colon + 1).trim()];
  });
  const field = (name: string) => fields.find(([one]) => one.toLowerCase() === name)?.[1];
  const isChunked = /chunked/i.test(field('transfer-encoding') ?? '');
  const bodyBytes = Number(field('content-length') ?? 0);
  if (!Number.isInteger(bodyBytes) || bodyBytes < 0 || bodyBytes > MAX_BODY_BYTES) return undefined;
  return { method, target, version, fields, head: text, isChunked, bodyBytes };
}

function chunkedBody(bytes: Buffer): { readonly body: Buffer; readonly end: number } | 'incomplete' | 'invalid' {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return 'incomplete';
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (!(size >= 0)) return 'invalid';
    const end = lineEnd + 2 + size;
    if (bytes.length < end + 2) return 'incomplete';
    if (size === 0) return { body: Buffer.concat(chunks), end: end + 2 };
    chunks.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
