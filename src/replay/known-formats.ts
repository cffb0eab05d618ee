import { parseDuration } from '../base/kernel/units.ts';
import { valueAtPath } from '../base/notation/schema-findings.ts';
import { jsonIn } from '../base/protocol/exact-json.ts';
import { addressLength } from './log-fields.ts';
import { compileFormat, explainable, type LogFormat } from './log-format.ts';
import { failAt } from './logged-request.ts';

/** nginx's combined and main, and Apache's common and combined, which continue each other. */
const TEXT = '$remote_addr $ident $remote_user [$time_local] "$request" $status';
const MORE = ' $body_bytes_sent "$http_referer" "$http_user_agent" "$http_x_forwarded_for"';

const PLAIN = compileFormat(TEXT, MORE);
/** Apache's vhost_combined. */
const WITH_HOST = compileFormat(`$host ${TEXT}`, MORE);

const [SPACE, DASH, BRACE] = [32, 45, 123];

/** A client is followed by a dash, or by a name if it is an address; other lines begin otherwise, as with what syslog adds. */
const TEXT_LINES = explainable((bytes, from, to, request) => {
  const second = afterWord(bytes, from, to);
  const third = afterWord(bytes, second, to);
  if (second < to && isClient(bytes, from, second)) return PLAIN.read(bytes, from, to, request);
  if (third < to && isClient(bytes, second, third)) return WITH_HOST.read(bytes, from, to, request);
  return failAt(request, '$remote_addr', from);
});

function isClient(bytes: Buffer, from: number, next: number): boolean {
  return (
    (bytes[next] === DASH && bytes[next + 1] === SPACE) || addressLength(bytes, from, next - 1) === next - 1 - from
  );
}

function afterWord(bytes: Buffer, from: number, to: number): number {
  let index = from;
  while (index < to && bytes[index] !== SPACE) index++;
  return index + 1;
}

/** The members of an object that have a meaning, best first; dots lead into objects. */
type Members = Readonly<
  Partial<
    Record<
      'client' | 'forwarded' | 'time' | 'request' | 'method' | 'target' | 'status' | 'size' | 'duration',
      readonly string[]
    >
  >
>;

/** By the program that writes such objects, which has a member that others lack. */
const JSON_MEMBERS: readonly {
  readonly mark: string;
  readonly members: Members;
  readonly durationToSeconds: number;
}[] = [
  {
    mark: 'request.uri', // Caddy
    members: {
      client: ['request.client_ip', 'request.remote_ip'],
      time: ['ts'],
      method: ['request.method'],
      target: ['request.uri'],
      status: ['status'],
      size: ['bytes_read'],
      duration: ['duration'],
    },
    durationToSeconds: 1,
  },
  {
    mark: 'RequestPath', // Traefik
    members: {
      client: ['ClientHost'],
      time: ['time'],
      method: ['RequestMethod'],
      target: ['RequestPath'],
      status: ['DownstreamStatus'],
      size: ['RequestContentSize'],
      duration: ['Duration'],
    },
    durationToSeconds: 1e-9,
  },
  {
    mark: '', // nginx and others with the names of its variables
    members: {
      client: ['remote_addr', 'client_ip', 'remote_ip', 'clientip', 'client'],
      forwarded: ['http_x_forwarded_for', 'x_forwarded_for'],
      time: ['msec', 'time_iso8601', '@timestamp', 'timestamp', 'time_local', 'time', 'ts'],
      request: ['request'],
      method: ['request_method', 'method'],
      target: ['request_uri', 'uri', 'path'],
      status: ['status', 'status_code'],
      size: ['request_length', 'content_length'],
      duration: ['request_time', 'upstream_response_time'],
    },
    durationToSeconds: 1,
  },
];

/** What an object becomes before it is read like other lines. */
const FLAT = compileFormat(
  '$http_x_forwarded_for\t$remote_addr\t$time_local\t$request\t$status\t$request_length\t$request_time',
);

const JSON_LINES: LogFormat = {
  read: (bytes, from, to, request) => {
    const flat = flattened(bytes.toString('utf8', from, to));
    return flat !== undefined && FLAT.read(flat, 0, flat.length, request);
  },
  explain: () => 'expected a JSON object with members such as remote_addr, time_iso8601, request and status',
};

function flattened(text: string): Buffer | undefined {
  const object = jsonIn(text);
  if (typeof object !== 'object' || object === null) return undefined;
  const memberAt = (path: string) => valueAtPath(object, path.split('.'));
  const found = JSON_MEMBERS.find(({ mark }) => mark === '' || memberAt(mark) !== undefined);
  if (found === undefined) return undefined;
  const { members, durationToSeconds } = found;
  const textOf = (kind: keyof Members): string => {
    const values = (members[kind] ?? []).map(memberAt);
    const value = values.find((one) => typeof one === 'string' || typeof one === 'number');
    return value === undefined ? '' : String(value).replaceAll('\t', ' ');
  };
  const line = textOf('request') || `${textOf('method') || 'POST'} ${textOf('target')}`;
  const logged = textOf('duration');
  // Caddy can write durations as Go does: `12.036555ms`, `885µs`.
  const spelledMs = parseDuration(logged.replace('µ', 'u'));
  const duration = spelledMs === undefined ? Number(logged) * durationToSeconds : spelledMs / 1000;
  const durations = Number.isFinite(duration) && logged !== '' ? duration.toFixed(6) : logged;
  return Buffer.from(
    [textOf('forwarded'), textOf('client'), textOf('time'), line, textOf('status'), textOf('size'), durations].join(
      '\t',
    ),
  );
}

/** The formats that web servers have without configuration, and JSON. Each line may have another. */
export const KNOWN_FORMATS: LogFormat = {
  read: (bytes, from, to, request) => formatOf(bytes, from).read(bytes, from, to, request),
  explain: (bytes, from, to) => formatOf(bytes, from).explain(bytes, from, to),
};

function formatOf(bytes: Buffer, from: number): LogFormat {
  return bytes[from] === BRACE ? JSON_LINES : TEXT_LINES;
}
