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

/** The bytes of a request. */
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

/** Headers that curl writes by itself. */
const BY_CURL = /^(content-length|host|transfer-encoding)$/i;

/** The request as a line for a shell, to a base such as `http://127.0.0.1:8080`. */
export function curlLine(
  base: string,
  { method, target, headers, body, version, framing }: ConformanceRequest,
): string {
  const isAbsent = (name: string) => !headers.some(([one]) => one.toLowerCase() === name);
  const flags = [
    '-isS --path-as-is',
    ...(base.startsWith('https:') ? ['-k'] : []),
    ...(version === '1.0' ? ['--http1.0'] : ['--http1.1']),
    method === 'HEAD' ? '-I' : `-X ${method}`,
    ...headers.flatMap(([name, value]) =>
      BY_CURL.test(name) ? [] : [`-H ${quotedForShell(`${name}: ${value}`.trim())}`],
    ),
    ...(framing === 'chunks' ? ["-H 'Transfer-Encoding: chunked'"] : []),
    // What curl would add.
    ...['accept', 'user-agent', ...(body === undefined ? [] : ['content-type', 'expect'])].flatMap((name) =>
      isAbsent(name) ? [`-H '${name}:'`] : [],
    ),
  ];
  const isPath = target.startsWith('/');
  const url = isPath ? quotedForShell(`${base}${target}`) : `--request-target ${quotedForShell(target)} ${base}`;
  if (body === undefined) return `curl ${flags.join(' ')} ${url}`;
  const text = body.toString('utf8');
  if (body.length < 2000 && Buffer.from(text).equals(body) && !text.includes('\0'))
    return `curl ${flags.join(' ')} --data-raw ${quotedForShell(text)} ${url}`;
  return `${shellBytes(body)} | curl ${flags.join(' ')} --data-binary @- ${url}`;
}

/** Longer runs of one byte are made by the shell. */
const LONG_RUN_BYTES = 1000;

/** A shell command that prints these bytes. */
export function shellBytes(bytes: Buffer): string {
  const commands: string[] = [];
  let plainStart = 0;
  const takePlain = (end: number): void => {
    if (end > plainStart)
      commands.push(`printf '%b' '${[...bytes.toString('latin1', plainStart, end)].map(escapedForPrintf).join('')}'`);
  };
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    while (end < bytes.length && bytes[end] === bytes[start]) end++;
    if (end - start < LONG_RUN_BYTES) continue;
    takePlain(start);
    const octal = (bytes[start] ?? 0).toString(8).padStart(3, '0');
    commands.push(`head -c ${end - start} /dev/zero | tr '\\000' '\\${octal}'`);
    plainStart = end;
  }
  takePlain(bytes.length);
  return commands.length === 1 ? commands.join() : `{ ${commands.join('; ')}; }`;
}

function escapedForPrintf(character: string): string {
  if (/[\w !#$%&()*+,./:;<=>?@[\]^{|}~"-]/.test(character)) return character;
  return `\\0${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}

/** One word for a shell. */
function quotedForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
