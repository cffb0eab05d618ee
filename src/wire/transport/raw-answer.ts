/** An answer as it came, right or wrong. */
export type RawAnswer = {
  /** `1.1` of `HTTP/1.1`. */
  readonly version: string;
  readonly status: number;
  /** In their order and letter case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Without chunks, as far as it arrived. */
  readonly body: Buffer;
  /** What ends the body; `none`: there is none, whatever the headers say. */
  readonly framing: 'length' | 'chunks' | 'close' | 'none';
  readonly isWhole: boolean;
  /** Why this is no HTTP answer; the other members then say little. */
  readonly malformed: string | undefined;
  /** On the wire. */
  readonly sizeBytes: number;
};

/** `bodyless`: the answer is to a HEAD request; `isEnded`: no more bytes will come. */
export type RawContext = { readonly bodyless: boolean; readonly isEnded: boolean };

const HEAD_END = '\r\n\r\n';

/** The first answer in these bytes; `undefined` if it may continue, or if there are no bytes. */
export function parseRawAnswer(bytes: Buffer, context: RawContext): RawAnswer | undefined {
  if (bytes.length === 0) return undefined;
  const headBytes = bytes.indexOf(HEAD_END);
  if (!'HTTP/'.startsWith(bytes.toString('latin1', 0, 5))) return malformed(bytes, 'it does not start with HTTP/');
  if (headBytes < 0) return context.isEnded ? malformed(bytes, 'its head has no end') : undefined;
  const head = bytes.toString('latin1', 0, headBytes).split('\r\n');
  const [, version = '', digits = ''] = /^HTTP\/(\d\.\d) (\d{3})(?: .*)?$/.exec(head[0] ?? '') ?? [];
  if (digits === '') return malformed(bytes, 'its status line is not HTTP');
  const strange = head.slice(1).find((line) => !/^[!#$%&'*+.^_`|~\w-]+:/.test(line));
  if (strange !== undefined) return malformed(bytes, `its head has the line ${JSON.stringify(strange.slice(0, 80))}`);
  const headers = head.slice(1).map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const started = { version, status: Number(digits), headers, malformed: undefined };
  const rest = bytes.subarray(headBytes + HEAD_END.length);
  const framed = bodyIn(rest, { ...started, ...context });
  if (framed === undefined) return undefined;
  const { takenBytes, ...body } = framed;
  return { ...started, ...body, sizeBytes: headBytes + HEAD_END.length + takenBytes };
}

/** The values of a header, joined as HTTP joins them; `undefined` if there is none. */
export function headerOf({ headers }: Pick<RawAnswer, 'headers'>, name: string): string | undefined {
  const values = headers.flatMap(([one, value]) => (one.toLowerCase() === name ? [value] : []));
  return values.length === 0 ? undefined : values.join(', ');
}

type Framed = Pick<RawAnswer, 'body' | 'framing' | 'isWhole'> & {
  readonly takenBytes: number;
  readonly malformed?: string;
};

type Started = Pick<RawAnswer, 'status' | 'headers'> & RawContext;

function bodyIn(rest: Buffer, { bodyless, isEnded, ...answer }: Started): Framed | undefined {
  const { status } = answer;
  if (bodyless || status < 200 || status === 204 || status === 304)
    return { body: Buffer.alloc(0), framing: 'none', isWhole: true, takenBytes: 0 };
  if (/\bchunked$/i.test(headerOf(answer, 'transfer-encoding') ?? '')) return chunksIn(rest, isEnded);
  const length = headerOf(answer, 'content-length');
  if (length === undefined)
    return isEnded ? { body: rest, framing: 'close', isWhole: true, takenBytes: rest.length } : undefined;
  // Equal lengths may be repeated.
  const [digits = '', ...others] = new Set(length.split(', '));
  if (others.length > 0 || !/^\d{1,15}$/.test(digits))
    return { ...cutOff(rest, 'length'), malformed: `its Content-Length is ${length}` };
  const size = Number(digits);
  if (rest.length >= size) return { body: rest.subarray(0, size), framing: 'length', isWhole: true, takenBytes: size };
  return isEnded ? cutOff(rest, 'length') : undefined;
}

function cutOff(rest: Buffer, framing: RawAnswer['framing']): Framed {
  return { body: rest, framing, isWhole: false, takenBytes: rest.length };
}

function chunksIn(rest: Buffer, isEnded: boolean): Framed | undefined {
  const parts: Buffer[] = [];
  let chunk = chunkAt(rest, 0);
  for (; typeof chunk !== 'string' && chunk.data.length > 0; chunk = chunkAt(rest, chunk.end)) parts.push(chunk.data);
  if (chunk === 'more' && !isEnded) return undefined;
  const body = Buffer.concat(parts);
  if (chunk === 'more') return { ...cutOff(rest, 'chunks'), body };
  if (chunk === 'malformed')
    return {
      ...cutOff(rest, 'chunks'),
      body,
      malformed: 'a chunk does not start with its size, or does not end with CRLF',
    };
  return { body, framing: 'chunks', isWhole: true, takenBytes: chunk.end };
}

function chunkAt(rest: Buffer, at: number): { readonly data: Buffer; readonly end: number } | 'more' | 'malformed' {
  const lineEnd = rest.indexOf('\r\n', at);
  if (lineEnd < 0) return 'more';
  const digits = /^([\da-f]{1,8})(?:[ \t]*;.*)?$/i.exec(rest.toString('latin1', at, lineEnd))?.[1];
  if (digits === undefined) return 'malformed';
  const start = lineEnd + 2;
  const size = Number.parseInt(digits, 16);
  const end = start + size;
  if (size > 0) {
    if (end + 2 > rest.length) return 'more';
    return rest.toString('latin1', end, end + 2) === '\r\n'
      ? { data: rest.subarray(start, end), end: end + 2 }
      : 'malformed';
  }
  // A trailer, if any, ends with an empty line.
  const trailerEnd = rest.indexOf(HEAD_END, lineEnd);
  return trailerEnd < 0 ? 'more' : { data: rest.subarray(start, start), end: trailerEnd + HEAD_END.length };
}

function malformed(bytes: Buffer, why: string): RawAnswer {
  return {
    version: '',
    status: 0,
    headers: [],
    body: bytes,
    framing: 'none',
    isWhole: false,
    malformed: why,
    sizeBytes: bytes.length,
  };
}
