import type { ConversationStep } from '../wire/transport/raw-conversation.ts';

/** A request as data, so that it can be sent, shown and repeated with curl. */
export type ConformanceRequest = {
  readonly method: string;
  /** As on the request line. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
  /** `1.1` if absent. */
  readonly version?: '1.0' | '1.1';
  /** How the body is framed; with its length if absent. */
  readonly framing?: 'length' | 'chunks' | 'none';
};

/** A step of a conversation; a request stands for its bytes. */
export type HttpStep = ConformanceRequest | ConversationStep;

/** Conversations that start at the same time, each over its own connection. */
export type Round = readonly (readonly HttpStep[])[];

/** What a report shows of a fixture, what the cases of an interface work with: values of the same length instead of secrets, and of those that a repetition needs new. */
export type ReportedFixture<Fixture> = {
  readonly fixture: Fixture;
  /** Shell text for each of these values, such as `$MUSTER_API_KEY`. */
  readonly variables: readonly (readonly [value: string, variable: string])[];
  /** Left out of reports. */
  readonly secrets: readonly string[];
};

export function requestBytes(request: ConformanceRequest): Buffer {
  const { head, body } = requestParts(request);
  return Buffer.concat([head, body]);
}

/** Head and body of a request, for cases that send them apart. */
export function requestParts({
  method,
  target,
  headers,
  body,
  version = '1.1',
  framing = 'length',
}: ConformanceRequest) {
  const sized = body === undefined ? [] : framedBy(framing, body);
  const lines = [
    `${method} ${target} HTTP/${version}`,
    ...[...headers, ...sized].map(([name, value]) => `${name}: ${value}`),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (body === undefined) return { head, body: Buffer.alloc(0) };
  return { head, body: framing === 'chunks' ? chunked(body) : body };
}

function framedBy(framing: 'length' | 'chunks' | 'none', body: Buffer): readonly (readonly [string, string])[] {
  if (framing === 'chunks') return [['Transfer-Encoding', 'chunked']];
  return framing === 'length' ? [['Content-Length', String(body.length)]] : [];
}

/** In two chunks, if it has two bytes. */
function chunked(body: Buffer): Buffer {
  const half = Math.ceil(body.length / 2);
  const parts = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0);
  const framed = parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
  return Buffer.concat([...framed, Buffer.from('0\r\n\r\n')]);
}
