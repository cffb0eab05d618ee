import { type ConformanceRequest, type HttpStep, type ReportedFixture, type Round, requestBytes } from './request.ts';

/** Lines that repeat conversations, after those that set the variables. */
export function repeatLines(
  conversations: Round,
  variables: ReportedFixture<unknown>['variables'],
  base: string,
): readonly string[] {
  const lines = conversations.map((steps) => repeatLine(steps, base));
  const used = variables.filter(([value]) => lines.some((line) => line.includes(value)));
  const named = lines.map((line) =>
    used.reduce((text, [value, variable]) => text.replaceAll(value, `'"$${variable}"'`), line),
  );
  return [...used.flatMap(([, variable]) => (/^UUID/.test(variable) ? [`${variable}=$(${NEW_UUID})`] : [])), ...named];
}

const NEW_UUID = 'uuidgen 2>/dev/null || cat /proc/sys/kernel/random/uuid';

/** A line that repeats a conversation: curl for a single request, otherwise its bytes and pauses into a connection. */
function repeatLine(steps: readonly HttpStep[], base: string): string {
  const [first, second] = steps;
  const isSingle = steps.length === 2 && first !== undefined && 'method' in first;
  return isSingle && second !== undefined && 'await' in second ? curlLine(base, first) : rawLine(steps, base);
}

const ANSWER_PAUSE_SECONDS = 2;

function rawLine(steps: readonly HttpStep[], base: string): string {
  const { hostname, port, protocol } = new URL(base);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const commands = steps.flatMap((step) => {
    if ('method' in step) return [shellBytes(requestBytes(step))];
    if ('send' in step) return [shellBytes(step.send)];
    if ('pauseMs' in step) return [`sleep ${step.pauseMs / 1000}`];
    return 'finish' in step ? [] : [`sleep ${ANSWER_PAUSE_SECONDS}`];
  });
  const client =
    protocol === 'https:' ? `openssl s_client -quiet -connect ${hostname}:${port || 443}` : `nc ${host} ${port || 80}`;
  return `{ ${commands.join('; ')}; } | ${client}`;
}

/** Headers that curl writes by itself. */
const BY_CURL = /^(content-length|host|transfer-encoding)$/i;

/** The request as a line for a shell, to a base such as `http://127.0.0.1:8080`. */
function curlLine(base: string, { method, target, headers, body, version, framing }: ConformanceRequest): string {
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
function shellBytes(bytes: Buffer): string {
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

function quotedForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
